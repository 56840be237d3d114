"""What can play is the same everywhere: a name, an agent, an object with ``act(state)``, or a function of a state."""

import pickle
from functools import partial

import numpy as np
import pytest

from agents import as_agent, make_agent, plays
from agents.agent import as_agents, refusal
from agents.analysis import compare, play_out
from agents.evaluation import evaluate
from agents.evaluation.regret import agent_policy
from agents.executors import LocalExecutor
from agents.play.session import Session
from agents.tournament.event import Event, Player
from agents.tournament.run import run_event
from mancala_env.games import ruleset
from mancala_env.single_agent import MancalaSingleEnv, MancalaVectorEnv
from training.ppo import PPO, PPOConfig

SMALL = ruleset("kalah:pits_per_row=2,seeds=2")


class Last:
    """Acts, and nothing else."""

    def act(self, state):
        return state.legal_actions[-1]


def first(state):
    return state.legal_actions[0]


def tournament(player, tmp_path):
    event = Event(players=(Player("mine", "x"), Player("greedy", "greedy")), rules=(SMALL.spec(),), rounds=1)
    done = run_event(event, tmp_path / "event.db", executor=LocalExecutor(0), agents={"mine": player})
    return done.games == done.all_games > 0


def a_game(env):
    env.reset(seed=0)
    for _ in range(30):
        *_, over, _, _ = env.step(int(np.flatnonzero(env.action_masks())[0]))
        if over:
            return True
    return False


def given(players):
    """The opponents that a trainer makes of players."""
    objects = {"network": None, "opponents": players, "reward": None}
    return PPO._arranged(PPOConfig(rules=SMALL, opening_plies=1), None, objects, "cpu").opponents


DOORS = {
    "evaluate": lambda player, _: evaluate(player, player, SMALL, pairs=2, opening_plies=1)[0].score == 0.5,
    "evaluate against several": lambda player, _: len(evaluate("random", [player, "greedy"], SMALL, pairs=1)) == 2,
    "tournament": tournament,
    "train": lambda player, _: given(player)[0].name == as_agent(player).name,
    "train against several": lambda player, _: len(given([player, "greedy"])) == 2,
    "play": lambda player, _: Session(SMALL.spec(), player, seat=1).agent.name == as_agent(player).name,
    "play_out": lambda player, _: play_out(SMALL.start(), player).states[-1].is_over,
    "compare": lambda player, _: compare([player, "random"], [SMALL.start()]).agents[0] == as_agent(player).name,
    "agent_policy": lambda player, _: sum(agent_policy(player)(SMALL.start()).values()) == 1,
    "plays": lambda player, _: plays(player, SMALL),
    "gymnasium": lambda player, _: a_game(MancalaSingleEnv(SMALL, opponent=player)),
    "gymnasium vector": lambda player, _: MancalaVectorEnv(3, SMALL, opponent=player).reset(seed=0)[0].shape[0] == 3,
}


@pytest.mark.parametrize(
    "player",
    [Last(), first, lambda state: state.legal_actions[0], partial(first), make_agent("greedy")],
    ids=["object", "function", "lambda", "partial", "agent"],
)
@pytest.mark.parametrize("door", DOORS)
def test_whatever_acts_passes_every_door(door, player, tmp_path):
    assert DOORS[door](player, tmp_path)


@pytest.mark.parametrize(
    ("player", "says"),
    [
        (3, "3 cannot play, for it has no act.state.: give .*, an object with act.state., or a function State -> act"),
        (Last, "Last is a class, and cannot play: give an object of it"),
        (type("Odd", (), {"act": 3})(), "cannot play, for its attribute act, 3, is no method"),
        ("minmax", "unknown agent .minmax.; did you mean .minimax.|.minmax. cannot play, .*: give .random., an agent"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("door", sorted({*DOORS} - {"plays"}))
def test_whatever_cannot_play_is_refused_at_every_door(door, player, says, tmp_path):
    with pytest.raises(ValueError, match=says):
        DOORS[door](player, tmp_path)


class Telling(Last):
    """Has what else an agent may have."""

    name, info = "telling", (3, 1.5)

    def refusal(self, rules):
        return "" if rules.name == "kalah" else "telling plays Kalah alone"

    def hear(self, begin, actions):
        self.heard = len(actions)

    def meet(self, rules):
        self.met = rules

    def act_positions(self, *positions):
        raise NotImplementedError


def test_an_object_without_reset_is_asked_whatever_else_an_agent_may_be_asked():
    player = Telling()
    agent = as_agent(player)
    agent.reset(1)
    agent.hear(SMALL.start(), [0, 1])
    agent.meet(SMALL)
    assert player.met == SMALL
    assert agent.act_positions == player.act_positions
    assert pickle.loads(pickle.dumps(as_agent(Last()))).name == "Last"
    assert (player.heard, agent.info, agent.name) == (2, (3, 1.5), "telling")
    assert not plays(player, "oware")
    with pytest.raises(ValueError, match="telling plays Kalah alone"):
        Session("oware", player)
    assert "unknown agent" in refusal("nobody", SMALL)
    assert "no agent 'nobody' in the zoo" in refusal("zoo:nobody", SMALL)
    assert not hasattr(as_agent(Last()), "info")


@pytest.mark.parametrize(
    ("players", "names"),
    [
        ("greedy", ["greedy"]),
        (first, ["first"]),
        ([first, Last()], ["first", "Last"]),
        ((each for each in ("random", first)), ["random", "first"]),
        ((), []),
    ],
)
def test_one_player_need_not_be_in_a_list(players, names):
    assert [agent.name for agent in as_agents(players)] == names
