"""Rules near to those that an agent was trained on: it plays them if its settings allow it, and results say so.

Rules are **near** to others if a position looks the same under both, and nothing differs but how it is played: equal
are the board and the seeds that it starts with, stores, the way of sowing, the landing table, the goal, the kind and
the target of a match, the number of actions, and the shape of what the agent's encoder shows. The options in
``MAY_DIFFER``, those that a family declares for its landing table, and the name, may be others: which moves are legal,
what special captures bring, how a game ends. An encoder that looks ahead plays by the rules of the game that is played.
"""

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from mancala_env.observation import Encoder, make_encoder
from mancala_env.rules import Option, Ruleset
from mancala_env.rules.ruleset import NOT_RULES

ALLOW_RULES = ("trained", "near")  # which rules an agent plays: those it was trained on, or near ones as well
MAY_DIFFER = (
    "skip_origin", "grand_slam", "slam_scope", "feeding", "stuck", "end_check", "end_reason",
    "leftover", "majority_stop", "indeterminacy_max_seeds", "repetition", "repetition_leftover", "max_plies",
    "max_laps", "min_start", "first_mover", "draw_points", "difference", "remainder", "unfilled",
)  # fmt: skip
_NO_OPTION = ("name", "version", *NOT_RULES)


def check_allowed(allow_rules: str) -> None:
    """Raise ValueError unless it is one of ``ALLOW_RULES``."""
    if allow_rules not in ALLOW_RULES:
        raise ValueError(f"allow_rules must be one of {', '.join(ALLOW_RULES)}, not {allow_rules!r}")


def differences(trained: Ruleset, played: Ruleset) -> dict[str, tuple[Any, Any]]:
    """The options in which two rulesets differ, each with its values in the first and in the second.

    Examples
    --------
    >>> import mancala_env as mancala
    >>> differences(mancala.ruleset("oware"), mancala.ruleset("oware", majority_stop=False))
    {'majority_stop': (True, False)}
    """
    found = {}
    for option in _families(trained, played):
        one, other = (option.value_in(rules.landing, rules.board) for rules in (trained, played))
        if one != other:
            found[option.name] = (one, other)
            played = played.changes(**{option.name: one})
    names = (field.name for field in fields(trained) if field.name not in _NO_OPTION)
    pairs = {name: (getattr(trained, name), getattr(played, name)) for name in names}
    return found | {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _families(trained: Ruleset, played: Ruleset) -> list[Option]:
    """Options about the landing table that both rulesets offer, and in which each has made a choice."""
    return [
        option for option in trained.options
        if option.field == "landing" and option in played.options
        and None not in [option.value_in(rules.landing, rules.board) for rules in (trained, played)]
    ]  # fmt: skip


def _far(trained: Ruleset, others: Iterable[str]) -> list[str]:
    """Those options that may not differ."""
    return [name for name in others if name not in (*MAY_DIFFER, *(option.name for option in trained.options))]


def encoder_for(encoder: Encoder, played: Ruleset) -> Encoder | None:
    """The encoder of an agent under near rules; None if these are not near to the encoder's own."""
    trained = encoder.rules
    if _far(trained, differences(trained, played)):
        return None
    other = make_encoder(encoder.name, played)
    fits = (other.shape, other.blocks, played.num_actions) == (encoder.shape, encoder.blocks, trained.num_actions)
    return other if fits else None


def refusal(name: str, encoder: Encoder, played: Ruleset, allow_rules: str, where: str) -> str:
    """Why an agent does not play these rules, and what would make it play them: the text of an error.

    Parameters
    ----------
    name : of the agent
    encoder : of the agent, for the rules that it was trained on
    played : the rules that it should play
    allow_rules : what it may play, one of ``ALLOW_RULES``
    where : the game or position in question, as text
    """
    told = f"{name} plays {encoder.rules.name} with the rules it was trained on, not {where}"
    others = differences(encoder.rules, played)
    if encoder_for(encoder, played) is None:
        far = _far(encoder.rules, others)
        what = f"{', '.join(far)} differ{'s' if len(far) == 1 else ''}" if far else "it would see something else"
        return f"{told}; nor are these near enough for allow_rules=near: {what}"
    assert allow_rules != "near"
    return f"{told}: {_in_words(others)}; these rules are near, so {name},allow_rules=near plays them"


def other_rules(agent: Any, played: Ruleset) -> dict[str, Any] | None:
    """For results: the differences if an agent played other rules than it was trained on; None if it did not.

    Returns
    -------
    dict
        ``trained_on`` and ``played``, the ids of both rulesets, and ``differences``: of each option ``trained`` and
        ``played``, as text, numbers and truth values.
    """
    trained = getattr(agent, "rules", None)
    if not isinstance(trained, Ruleset) or trained == played:
        return None
    return {
        "trained_on": trained.id,
        "played": played.id,
        "differences": {
            option: {"trained": _plain(one), "played": _plain(other)}
            for option, (one, other) in differences(trained, played).items()
        },
    }


def other_rules_line(name: str, told: dict[str, Any]) -> str:
    """The result of ``other_rules`` for an agent as one line of text."""
    pairs = {option: (both["trained"], both["played"]) for option, both in told["differences"].items()}
    return f"{name} was trained on {told['trained_on']} and played near rules: {_in_words(pairs)}"


def _in_words(others: dict[str, tuple[Any, Any]]) -> str:
    parts = [f"{option} is {_plain(played)}, was {_plain(trained)}" for option, (trained, played) in others.items()]
    return "; ".join(parts) if parts else "nothing differs but the name"


def _plain(value: Any) -> Any:
    return value if isinstance(value, bool | int | float) or value is None else str(value)
