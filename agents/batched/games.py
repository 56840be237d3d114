"""Many games in one batch, between two agents that choose for all of them in one call."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from agents.batched import kernel
from agents.batched.players import streams_of
from mancala_env import checks
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset
from mancala_env.state import State

GAMES = 1000
ROOM = 64  # plies in the first buffer of actions, which is doubled when full
ODD = 8  # hashes in a cache line; histories of 2**k of them would all compete for the same places in the cache


@runtime_checkable
class BatchedAgent(Protocol):
    """An agent that chooses in many games in one call the actions that ``act`` would choose in each of them."""

    name: str

    def act_positions(
        self,
        rules: Ruleset,
        games: npt.NDArray[np.int64],
        positions: npt.NDArray[np.int16],
        masks: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """int64[m]: a legal action in each of ``games``, int64[m], the indices of those in which it is its turn.

        ``positions`` int16[n, W] (``mancala_env.kernels.layout``) and ``masks`` bool[n, A], of all games, must not be
        changed; of ``history`` uint64[n, H], the hashes since the last capture, entries after these may be overwritten;
        ``streams`` uint64[m], random numbers, are changed in place. ValueError if an argument is not so.
        """


def batched_agent(agent: object) -> BatchedAgent | None:
    """``agent`` if it can play in a batch; None if it cannot, or its attribute ``batched`` says so of its settings."""
    return agent if isinstance(agent, BatchedAgent) and getattr(agent, "batched", True) else None


def games_at_once(agent: object) -> int:
    """The best number of games for a batch, about a second's work: the agent's ``games_at_once``, or 1000."""
    return int(getattr(agent, "games_at_once", GAMES))


@dataclass(frozen=True)
class Played:
    """n finished games."""

    actions: npt.NDArray[np.uint8]  # [n, L]: the moves after the opening, padded with 0
    plies: npt.NDArray[np.int64]  # [n]: the number of moves of each game
    leads: npt.NDArray[np.int8]  # [n]: +1 where South won, -1 where North did, 0 for a draw
    reasons: npt.NDArray[np.int8]  # [n]: indices into ``layout.TERMINATIONS``
    scores: npt.NDArray[np.int16]  # [n, 2]: twice the final scores


def play_batched(
    rules: Ruleset,
    openings: Sequence[State],
    agents: tuple[BatchedAgent, BatchedAgent],
    souths: npt.NDArray[np.int64],
    seeds: npt.NDArray[np.int64],
) -> Played:
    """Play n games in one batch, each as if alone, from running positions. ``souths`` int64[n] says which agent, 0 or
    1, plays South; ``seeds`` int64[n, 2] are those of South and North. ValueError if an argument is not so, or for an
    illegal action.
    """
    n, pits = len(openings), rules.board.pits
    for state in openings:
        if state.is_over or (state.rules is not rules and state.rules != rules):
            raise ValueError(f"{rules.name}: games begin with running positions by these rules, not with {state}")
    souths = checks.numbers(souths, "souths", 0, 1, n)
    if np.shape(seeds) != (n, 2):
        raise ValueError(f"seeds must be numbers [{n}, 2], those of South and North, not {checks.described(seeds)}")
    positions = np.stack([state.array for state in openings])
    masks = np.stack([state.legal_mask for state in openings])
    histories = [state.history for state in openings]
    history = np.zeros((n, max(map(len, histories)) + 32 + ODD), dtype=np.uint64)
    for game, known in enumerate(histories):
        history[game, : len(known)] = known
    streams = streams_of(seeds)
    actions = np.zeros((n, ROOM), dtype=np.uint8)
    plies = np.zeros(n, dtype=np.int64)
    running = np.arange(n)
    longest, ply = int(positions[:, pits + layout.PLIES_SINCE_CAPTURE].max(initial=0)), 0
    encoded: Any = rules.encoded
    while len(running):
        movers = positions[running, pits + layout.MOVER].astype(np.int64)
        turns = movers ^ souths[running]
        chosen = np.empty(len(running), dtype=np.int64)
        for turn, agent in enumerate(agents):
            to_move = np.flatnonzero(turns == turn)
            if not len(to_move):
                continue
            games, seats = running[to_move], movers[to_move]
            own = streams[games, seats]
            chosen[to_move] = agent.act_positions(rules, games, positions, masks, history, own)
            streams[games, seats] = own
        if not ((chosen >= 0) & (chosen < masks.shape[1])).all() or not masks[running, chosen].all():
            raise ValueError(f"{rules.name}: {agents[0].name} or {agents[1].name} played an illegal action")
        if ply >= actions.shape[1]:
            actions = np.pad(actions, ((0, 0), (0, actions.shape[1])))
        actions[running, ply] = chosen
        plies[running] += 1
        ply += 1
        if rules.repetition and longest + 3 > history.shape[1]:
            history = np.pad(history, ((0, 0), (0, history.shape[1] + ODD)))
        longest = kernel.play_games(
            running, chosen, positions, masks, history, layout.NO_LOG, encoded.to_play(len(running))
        )
        running = running[positions[running, pits + layout.OVER] == 0]
    leads, reasons = np.empty(n, dtype=np.int8), np.empty(n, dtype=np.int8)
    scores = np.empty((n, 2), dtype=np.int16)
    kernel.results(positions, leads, reasons, scores, encoded.rules)
    return Played(actions, plies, leads, reasons, scores)
