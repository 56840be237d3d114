"""Opening pages in a browser that may fetch nothing, and games to put into them."""

from contextlib import contextmanager

import numpy as np

from agents.tournament.record import GameRecord
from mancala_env import State
from mancala_env.ending import swept
from tests.processes import PATIENCE

HOSTILE = """<script>alert(1)</script><!--<img src=x onerror=alert(2)>]]>"'&lt;b>`${alert(3)}`\u2028"""
PLIES = 300  # the most games of a match that are shown


def shapes_of(drawing):
    """All shapes of a drawing, in the order in which they are painted."""
    return [shape for part in drawing.parts for shape in (*part.ground, *part.top)]


@contextmanager
def new_tab(browser, *, ours=("file:", "data:"), width=1100, motion=False, dark=False, phone=False, errors=()):
    """An empty tab, and what it asks for; at the end, that it had no errors but these and asked only what is ours."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        reduced_motion="no-preference" if motion else "reduce",
        is_mobile=phone,
        has_touch=phone,
    )
    context.set_default_timeout(1000 * PATIENCE)
    page = context.new_page()
    wrong, asked = [], []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    yield page, asked
    context.close()
    assert [text for text in wrong if not any(known in text for known in errors)] == []
    assert [url for url in asked if not url.startswith(ours)] == []


@contextmanager
def opened(browser, tmp_path, html, *, address="", **more):
    """The page of this text, which asks for nothing."""
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    with new_tab(browser, **more) as (page, asked):
        page.goto(file.as_uri() + address)
        page.wait_for_selector("[data-state=still]")
        yield page
    assert sum(url.startswith("file:") for url in asked) == 1


def recorded(start, actions, **more):
    """The record of these moves from a position."""
    state = start
    for action in actions:
        state = state.play(action)
    number = more.get("number", 0)
    told = {
        "number": number,
        "pair": number // 2,
        "rules": start.rules.name,
        "opening": str(start),
        "seeds": (number, number),
        "actions": tuple(actions),
        "winner": state.winner if state.is_over else None,
        "reason": state.termination or "ply_limit",
        "scores": state.scores if state.is_over else None,
        "times": (0.5, 0.25),
    }
    return GameRecord(**(told | more))


def random_record(rules, number, south="random 1", north="random 2", **more):
    """A game at random, or the beginning of one."""
    rng, state, actions = np.random.default_rng(number), rules.start(), []
    while not state.is_over and len(actions) < PLIES:
        actions.append(int(rng.choice(state.legal_actions)))
        state = state.play(actions[-1])
    return recorded(rules.start(), actions, **({"number": number, "south": south, "north": north} | more))


def counts(page):
    """The seeds in each pit and store as the page writes them."""
    return [read_number(text) for text in page.locator(".board .cell .count").all_text_contents()]


def read_number(text):
    """What "12", "12½" and "½" say."""
    return int(text.removesuffix("½") or 0) + (0.5 if text.endswith("½") else 0)


def seeds_shown(state: State):
    """The seeds in each pit and store that the page shows: at the end those after the final collection."""
    cells = swept(state.rules, state.array)
    return list(cells if state.rules.has_stores else cells[:-2])


def slide(page, ply):
    """Move the slider."""
    page.locator("input[type=range]").evaluate(
        "(slider, ply) => { slider.value = ply; slider.dispatchEvent(new Event('input')); }", ply
    )
