"""Positions that are changed by hand, as data for a page (``editor.js``)."""

from typing import Any

from mancala_env import notation
from mancala_env.checks import kept_fields
from mancala_env.replay import Replay
from mancala_env.rules import Ruleset
from mancala_env.state import State

OF_PITS = ("owner", "marks")  # fields that are changed pit by pit, where a game keeps them


def editable(state: State) -> dict[str, Any]:
    """A position: its ``text`` for ``State.parse``, its ``row`` on the board, its ``fields`` (lists, each in the order of
    the board; ``more`` as ``Ruleset.position`` takes it), and ``refused``, why nobody plays on from it, or ""."""
    said = notation.read(state.rules, str(state))
    fields = {"seeds": said.seeds, "player": [said.mover], "more": {"ply": said.ply, **said.more}}
    for name in OF_PITS:
        if name in kept_fields(state.rules):
            fields |= {name: getattr(state, name).tolist()}
    return {
        "text": state.to_line(),
        "row": Replay(rules=state.rules, states=[state], actions=[]).table()[0].tolist(),
        "fields": fields,
        "refused": f"The game is over in this position: {state.ending}." if state.is_over else "",
    }


def edited(rules: Ruleset, fields: Any) -> State:
    """The position that ``fields`` of ``editable`` say after a change. ValueError if there is none such."""
    try:
        seeds, n = list(fields["seeds"]), rules.board.pits
        more = fields["more"] | {name: fields[name] for name in OF_PITS if name in fields}
        return rules.position(seeds[:n], seeds[n:], *fields["player"], **more)
    except (TypeError, KeyError):
        raise ValueError("a position that is changed has seeds, player and more") from None
