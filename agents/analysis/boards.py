"""For notebooks: positions side by side, each with a caption, HTML pages in a frame, and a game between two agents."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from agents.agent import as_agent
from agents.evaluation.openings import seeds_of
from mancala_env import checks
from mancala_env.replay import Replay
from mancala_env.state import State, the_state


class Boards:
    """Pictures of positions, of any games, side by side in a notebook, each ``width`` pixels wide. ``captions`` are by
    default their texts; ``marked`` names for each the pit that gets a dotted ring, as the one played last does, or
    None. ValueError unless there are as many of these as positions.
    """

    def __init__(
        self,
        states: Sequence[State],
        captions: Sequence[str] | None = None,
        *,
        marked: Sequence[int | None] | None = None,
        width: int = 300,
    ) -> None:
        captions = [str(state) for state in states] if captions is None else captions
        marked = [None] * len(states) if marked is None else marked
        for what, given in (("captions", captions), ("marks", marked)):
            if len(given) != len(states):
                raise ValueError(f"{len(states)} positions have as many {what}, not {len(given)}")
        if width < 1:
            raise ValueError(f"width must be some pixels, not {width}")
        self._parts = [
            f'<figure style="margin:0;width:{width}px">{state.to_svg(size=width, last_pit=pit)}'
            f'<figcaption style="text-align:center">{escape(str(caption))}</figcaption></figure>'
            for state, caption, pit in zip(states, captions, marked, strict=True)
        ]

    def _repr_html_(self) -> str:
        return f'<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:end">{"".join(self._parts)}</div>'


boards = Boards


@dataclass(frozen=True)
class Page:
    """An HTML page inside a notebook, in a frame of ``height`` pixels; ``title`` is for screen readers."""

    html: str
    height: int = 680
    title: str = "A page"

    def _repr_html_(self) -> str:
        page, style = escape(self.html, quote=True), f"width:100%;height:{self.height}px;border:0"
        return f'<iframe srcdoc="{page}" style="{style}" title="{escape(self.title, quote=True)}"></iframe>'


def play_out(start: State, south: Any, north: Any = None, *, seed: int = 0, title: str = "") -> Replay:
    """Let two agents, or whatever else can play (``agents.agent.as_agent``), or copies of one, play from a position to
    the end. ``seed`` fixes the game; ``title`` stands above the board. IllegalAction if an agent plays an illegal
    action.
    """
    seats = [copy.deepcopy(as_agent(one)) for one in (south, north or south)]
    for agent, own_seed in zip(seats, seeds_of(checks.seed(seed)), strict=True):
        agent.reset(own_seed)
    states, actions = [the_state(start, "start")], []
    while not states[-1].is_over:
        actions.append(int(seats[states[-1].player].act(states[-1])))
        states.append(states[-1].play(actions[-1]))
    return Replay(
        rules=start.rules, states=states, actions=actions, players=(seats[0].name, seats[1].name), title=title
    )
