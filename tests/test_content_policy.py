"""Markup that a page should ever take in does nothing: no page runs another script than its own, or sends a form."""

import pytest

import mancala_env as mancala
from mancala_env.replay import Replay
from tests.pages import HOSTILE, random_record
from tests.tournaments import report_of

KALAH = mancala.ruleset("kalah")
REFUSED = ["base-uri", "img-src", "script-src-attr", "script-src-elem"]
BROUGHT_IN = """async (expected) => {
    const refused = new Set(), place = document.createElement("div");
    const all = new Promise((done) => document.addEventListener("securitypolicyviolation", (event) => {
        refused.add(event.effectiveDirective);
        if (expected.every((name) => refused.has(name))) done();
    }));
    place.innerHTML = `<img src="x:" onerror="window.ran = 1"><a href="javascript:window.ran = 2">a</a>
        <form action="https://example.org/"><button>send</button></form><base href="https://example.org/">
        <object data="data:text/html,x"></object><iframe src="https://example.org/"></iframe>`;
    document.body.append(place);
    const script = document.createElement("script");
    script.textContent = "window.ran = 3";
    document.body.append(script);
    place.querySelector("a").click();
    place.querySelector("button").click();
    await all;
    return [window.ran ?? null, document.baseURI === location.href];
}"""


REPLAY = Replay.of(KALAH.start(), [2], players=(HOSTILE, "</script><b>"), title=HOSTILE, result=HOSTILE)


@pytest.mark.parametrize("kind", ["replay", "report"])
def test_markup_in_a_page_does_nothing(kind, browser, tmp_path):
    games = [random_record(KALAH, 1, HOSTILE, "b")]
    html = REPLAY.to_html() if kind == "replay" else report_of(games)
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("[data-state=still]")
    assert page.evaluate(BROUGHT_IN, REFUSED) == [None, True]
    assert page.url == file.as_uri()  # the form was not sent
    page.close()


def test_a_game_in_a_notebook_shows_names_as_text(browser):
    page = browser.new_page()
    said = []
    page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
    page.set_content(REPLAY._repr_html_())
    inside = page.frame_locator("iframe")
    inside.locator(".seat b").first.wait_for()
    assert set(inside.locator(".seat b").all_text_contents()) == {HOSTILE, "</script><b>"}
    inside.locator("button").first.click()
    assert page.locator("script, img").count() == 0
    assert not said
    page.close()


def test_a_page_of_a_server_names_its_policy_in_its_headers():
    from agents.play.web import HEADERS

    for part in ("default-src 'none'", "object-src 'none'", "base-uri 'none'", "form-action 'none'"):
        assert part in HEADERS["Content-Security-Policy"]
