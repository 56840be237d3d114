"""Positions that are changed by hand, as data for a page (``editor.js``)."""

from typing import Any

from mancala_env import notation
from mancala_env.checks import kept_fields
from mancala_env.replay import Replay
from mancala_env.replay.table import columns
from mancala_env.state import State

OF_PITS = ("owner", "marks")  # fields that are changed pit by pit, where a game keeps them


def editable(state: State) -> dict[str, Any]:
    """A position: ``text`` for ``State.parse``, its ``row`` (``columns``), and why nobody plays on from it, or ""."""
    shown = Replay(rules=state.rules, states=[state], actions=[])
    refused = f"The game is over in this position: {state.ending}." if state.is_over else ""
    return {"text": state.to_line(), "row": shown.table()[0].tolist(), "refused": refused}


def edited(state: State, row: list[Any]) -> State:
    """A position with the seeds, the mover and ``OF_PITS`` of a row. ValueError if there is none such."""
    rules, at = state.rules, columns(state.rules)
    n, said = rules.board.pits, notation.read(rules, str(state))
    if len(row) != at["width"]:
        raise ValueError(f"{rules.name}: a row has {at['width']} numbers, not {len(row)}")
    more = {name: row[at[name] : at[name] + n] for name in OF_PITS if name in kept_fields(rules)}
    return rules.position(row[:n], row[n : n + 2], row[at["mover"]], said.ply, **said.more | more)
