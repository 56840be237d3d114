"""What an agent is, the simplest ones, and how to name one: ``make_agent("minimax:depth=6,seed=1")``."""

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from agents.batched import LookaheadAgent, RandomAgent
from agents.mcts import MctsAgent
from agents.reference import LEARNED, NAMES, REFERENCE, FrozenReference
from agents.search import MinimaxAgent
from agents.zoo import FAMILY, FILE_NAME, FOLDER, evaluations, find, rules_of
from mancala_env import checks
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset, plain
from mancala_env.state import IllegalAction, State
from mancala_env.words import did_you_mean

SEARCH_TIME = 0.1  # seconds a move of the zoo's searches


@runtime_checkable
class Agent(Protocol):
    """Anything that plays. A game is fixed by its two agents and the seeds they are reset with."""

    name: str

    def reset(self, seed: int) -> None:
        """Before each game: forget the last one and start any randomness again from ``seed``."""

    def act(self, state: State) -> int:
        """The action to play; one of ``state.legal_actions``."""

    # An agent may also have told, what it found at its last act (agents.search_info.SearchInfo), and clock(left,
    # increment), which is called before act where a clock runs: the seconds that it has left for the rest of the game,
    # and those that are added after each of its moves; and hear(begin, actions), called before act: the moves so far,
    # from the start of the game if these are known, else from the position from which they are.


def greedy(seed: int = 0) -> MinimaxAgent:
    """Plays the move after which its lead in seeds is largest; ties are broken at random."""
    return MinimaxAgent(depth=1, seed=seed, name="greedy")


def policy(path: str, seed: int = 0, sample: bool = False, network: str | None = None) -> Agent:
    """A trained network: a run folder or its ``policy.safetensors``; the most likely action, or a sampled one.
    ``network=package.module:Class`` imports the class of a network of one's own; without it nothing is imported."""
    from agents.policy.agent import PolicyAgent

    return PolicyAgent(path, seed=seed, sample=sample, network=network)


def zoo(
    entry: str,
    seed: int = 0,
    sample: bool = False,
    time: float | str | None = None,
    nodes: int | None = None,
    depth: int | None = None,
    threads: int | None = None,
    tables: str | int | None = None,
    book: str | None = None,
) -> Agent:
    """A trained agent of ``agents/zoo``. Those that search take limits, ``tables`` and ``book`` as ``minimax`` does:
    0.1 seconds a move if no limit is given, and no tables and no book if none are. ``family`` plays any game."""
    limits: dict[str, Any] = {"time": time, "nodes": nodes, "depth": depth}
    settings: dict[str, Any] = {**limits, "threads": threads, "tables": tables, "book": book}
    given = {name: value for name, value in settings.items() if value is not None}
    if entry in evaluations():
        if sample:
            raise ValueError(f"zoo:{entry} searches: it takes {', '.join(settings)} and seed, not sample")
        said = ",".join([f"zoo:{entry}", *(f"{name}={value}" for name, value in given.items())])
        if not limits.keys() & given.keys():
            limits["time"] = SEARCH_TIME
        return MinimaxAgent(**{**limits, **given}, seed=seed, evaluation=f"zoo:{entry}", name=said)
    if entry == FAMILY:
        if given or sample:
            setting = next(iter(given), "sample")
            raise ValueError(f"zoo:family has no setting {setting!r}; minimax:evaluation=zoo:family searches")
        return family(str(FOLDER / FAMILY), True, seed, f"zoo:{FAMILY}")
    find(entry)
    if given:
        raise ValueError(f"zoo:{entry} is a policy and does not search: it has no setting {next(iter(given))!r}")
    return policy(f"zoo:{entry}", seed, sample)


def family(path: str, ahead: bool = False, seed: int = 0, name: str | None = None) -> Agent:
    """A network that reads rules and so plays every game: a run folder of ``mancala train family``; ``ahead``: it looks
    at what each action leaves."""
    from agents.policy.family import FamilyAgent

    return FamilyAgent(path, ahead, seed, name)


def reference(name: str, seed: int = 0) -> Agent:
    """A reference opponent (``agents.reference``) by its name."""
    if name in LEARNED:
        return FrozenReference(name, seed)
    depth = REFERENCE[name]
    return RandomAgent(seed, name) if depth is None else MinimaxAgent(depth, seed, name)


AGENTS: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    "greedy": greedy,
    "lookahead": LookaheadAgent,
    "minimax": MinimaxAgent,
    "mcts": MctsAgent,
    "policy": policy,
    "ppo": policy,
    "family": family,
    "zoo": zoo,
}


_NO_TEXT = ("name", "evaluate")  # settings that cannot be given as text


def make_agent(spec: str) -> Agent:
    """The agent that ``name:key=value,...`` names, or a reference opponent such as ``v1-depth4``.

    ``random``, ``greedy``, ``lookahead:plies=4``, ``minimax:depth=4``, ``mcts:simulations=800``, ``zoo:oware``,
    ``ppo:runs/oware``; all take ``seed=``. A required setting may stand first, without its key: ``ppo:runs/oware`` is
    ``policy:path=runs/oware``. Values contain no ``,`` and no ``=``. ValueError if there is no such agent or setting,
    or its value is impossible; FileNotFoundError if the file that it is read from does not exist.

    >>> make_agent("minimax:depth=6,seed=1").name
    'minimax:depth=6'
    """
    name, _, rest = str(spec).partition(":")
    make = partial(reference, name) if name in NAMES else AGENTS.get(name)
    if make is None:
        known = f"agents are {', '.join(AGENTS)}, and reference opponents {', '.join(NAMES)}"
        hint = did_you_mean(name, (*AGENTS, *NAMES)) or known
        if "/" in name or name.endswith(".safetensors"):
            hint = f"for a trained policy say 'ppo:{name}'"
        raise ValueError(f"unknown agent {name!r}; {hint}")
    takes = {key: each for key, each in inspect.signature(make).parameters.items() if key not in _NO_TEXT}
    needed = next((key for key, each in takes.items() if each.default is each.empty), None)
    plain = f"; the path that {name} reads must contain no ',' and no '='" if needed else ""
    settings: dict[str, Any] = {}
    for k, part in enumerate(rest.split(",") if rest else ()):
        key, equals, value = part.partition("=")
        if k == 0 and needed and not equals:
            key, equals, value = needed, "=", part
        if not equals or not key:
            raise ValueError(f"cannot read {part!r} in agent {spec!r}; settings look like depth=6{plain}")
        if key not in takes:
            hint = f"{did_you_mean(key, takes)} it takes {', '.join(takes)}{plain}".lstrip()
            raise ValueError(f"{name} has no setting {key!r}; {hint}")  # a value may be a secret
        if key in settings:
            raise ValueError(f"agent {spec!r} gives {key} twice")
        if "=" in value:
            raise ValueError(f"agent {spec!r}: cannot read {value!r} as {key}{plain or ', for it holds a second ='}")
        settings[key] = value if takes[key].annotation in (str, str | None) else _value(value)
    for key, parameter in takes.items():
        if parameter.default is parameter.empty and settings.get(key, "") == "":
            raise ValueError(f"agent {spec!r}: {name} needs {key}=...")
    for key, kind, words in (("seed", int, "a whole number from 0"), ("sample", bool, "true or false")):
        if key in settings and (type(settings[key]) is not kind or (kind is int and settings[key] < 0)):
            raise ValueError(f"agent {spec!r}: {key} must be {words}, not {settings[key]!r}")
    return make(**settings)


def is_built_in(text: str) -> bool:
    """Does ``make_agent`` know what the text names?"""
    word = text.partition(":")[0]
    return word in AGENTS or word in NAMES


def learnt_in(text: str) -> str:
    """The name of the agent that a run folder, or its weights, hold; any other text as it is."""
    for file, kind in ((FILE_NAME, "policy"), (f"{FAMILY}.safetensors", "family")) if ":" not in text else ():
        if Path(text).name == file or Path(text, file).is_file():
            return f"{kind}:path={text}"
    return text


class OwnPlayer:
    """A player of one's own with what an ``Agent`` has, a name and ``reset``, and with what else an agent may have."""

    def __init__(self, player: Any) -> None:
        self._choose = checks.chooser(player, "the name of an agent such as minimax:depth=4")
        self._player = player
        self.name = str(getattr(player, "name", None) or getattr(player, "__name__", type(player).__name__))

    def __getattr__(self, also: str) -> Any:
        """What else the player has; but nothing private, which is asked for before there is a player, too."""
        if also.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no {also}")
        return getattr(self._player, also)

    def reset(self, seed: int) -> None:
        """Reset the player, if it can be."""
        if callable(reset := getattr(self._player, "reset", None)):
            reset(seed)

    def act(self, state: State) -> int:
        """The player's action. Raises IllegalAction, with the player's name, if it is none."""
        chosen = self._choose(state)
        try:
            action = checks.action(chosen)
        except TypeError:
            raise IllegalAction(f"{self.name} returned {chosen!r:.80}, which is no action, in {state}") from None
        if action not in state.legal_actions:
            legal = ", ".join(map(str, state.legal_actions))
            raise IllegalAction(f"{self.name} played {action} in {state}; legal are {legal}")
        return action


def as_agent(player: Any) -> Agent:
    """An agent from anything that can play: a name (``make_agent``), an agent, an object with ``act(state)``, or a
    callable State -> action; ValueError if it is none of these, FileNotFoundError as from ``make_agent``.

    An object without ``reset`` is the same in every game; one without ``name`` is called by its class, a function by
    its own name.

    >>> def leftmost(state):
    ...     return state.legal_actions[0]
    >>> as_agent(leftmost).name
    'leftmost'
    """
    if isinstance(player, str):
        return make_agent(player)
    return player if isinstance(player, Agent) and not isinstance(player, type) else OwnPlayer(player)


def as_agents(players: Any) -> list[Agent]:
    """The agents of several players, or of a single one: each as ``as_agent`` takes it."""
    is_one = isinstance(players, str) or not isinstance(players, Iterable) or hasattr(players, "act")
    return [as_agent(players)] if is_one else [as_agent(player) for player in players]


def plays(agent: Any, rules: Ruleset | str) -> bool:
    """Whether an agent (``as_agent``) plays a game, by itself or its name; ``refusal`` says why not."""
    return not refusal(agent, rules)


def refusal(agent: Any, rules: Ruleset | str, called: str = "", name: str = "") -> str:
    """Why an agent (``as_agent``), with its settings, does not play a game; "" if it does. Trained agents play the
    rules that they were trained on, agents with endgame tables those of their tables, others every game. An agent that
    cannot be made plays none; one of your own may define ``refusal(rules)`` or an attribute ``rules``. In the answer
    the game is ``called`` so, and the agent has this ``name``; "" for their own."""
    rules = ruleset(rules)
    entry = _zoo_entry(agent)
    try:
        if entry is not None:
            name = name or f"zoo:{entry}"
            wanted: Any = rules_of(entry)
        else:
            made: Any = as_agent(agent)
            if callable(ask := getattr(made, "refusal", None)):
                return str(ask(rules))
            name, wanted = name or made.name, getattr(made, "rules", None)
    except (ValueError, OSError, ImportError) as error:
        return str(error)
    if isinstance(wanted, Ruleset) and wanted != rules:
        return f"{name} was trained for {plain.called(wanted)} and does not play {called or plain.called(rules)}"
    return ""


def _zoo_entry(agent: Any) -> str | None:
    """The zoo entry that a text names with no settings besides ``seed`` and ``sample``; None for any other text,
    and for ``family``, which plays any game."""
    if not isinstance(agent, str) or not agent.startswith("zoo:"):
        return None
    entry, *settings = agent.removeprefix("zoo:").split(",")
    if "=" in entry or entry == FAMILY or any(not each.startswith(("seed=", "sample=")) for each in settings):
        return None
    return entry


def _value(text: str) -> Any:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text.lower(), text)
