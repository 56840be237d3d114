"""The page that shows an event while it runs: this machine only, up to date without loading anew, names only text."""

import http.client
import json
from dataclasses import replace

import pytest

from agents.tournament.event import Event, Player
from agents.tournament.live import live
from agents.tournament.run import Progress, Standing
from agents.tournament.schedule import Pairing
from agents.tournament.store import Store, stored
from mancala_env.games import ruleset
from tests.pages import HOSTILE, random_record
from tests.processes import PATIENCE

EVENT = Event((Player("random", "random"), Player(HOSTILE, "random:seed=1")), ("kalah",), pairs=2)


@pytest.fixture
def games():
    rules = ruleset("kalah")
    names = ("random", HOSTILE)
    found = [random_record(rules, k, names[k % 2], names[1 - k % 2], pair=k - k % 2) for k in range(4)]
    return [*found[:3], replace(found[3], winner=0, fault=1, reason="crash", detail=HOSTILE, scores=None)]


def test_a_page_follows_the_event_and_hears_of_its_end(browser, tmp_path, games, capsys):
    path, pairing = tmp_path / "event.db", Pairing(0, 0, "kalah", (0, 1))
    progress = Progress(4, standings={player.name: Standing() for player in EVENT.players})
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    wrong, asked = [], []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    with Store(path, EVENT, {}) as store, live(EVENT, path, 0) as served:
        assert capsys.readouterr().out.startswith(f"Live at {served.url}")
        page.goto(served.url)
        page.locator("#status", has_text="No game has ended yet").wait_for()
        page.evaluate("window.same = true")
        store.note_pairings([pairing])
        for count, game in enumerate(games, 1):
            store.add([stored(pairing, game)])
            store.flush()
            progress.add(game.south, game.north, game.winner, game.fault)
            served.show(progress)
            page.locator("#status", has_text=f"{count} of 4 games").wait_for()
            page.locator("#last tbody tr").nth(count - 1).wait_for()
        assert page.locator("#standings tbody tr").count() == 2
        assert HOSTILE in page.locator("#standings tbody").text_content()
        assert page.locator("#faults tbody tr").count() == 1
    page.locator("#status", has_text="The event has ended: all 4 games were played").wait_for()
    assert page.evaluate("window.same")
    assert page.locator("main script, main img").count() == 0
    assert not wrong
    assert all(url.startswith(served.url) or url.startswith("data:") for url in asked)
    context.close()


def test_only_its_own_name_is_answered(tmp_path):
    with live(EVENT, tmp_path / "none.db", 0) as served:
        answers = {}
        for host in (f"127.0.0.1:{served.server_port}", "evil.example"):
            line = http.client.HTTPConnection("127.0.0.1", served.server_port, timeout=PATIENCE)
            line.request("GET", "/state?seen=-1", headers={"Host": host})
            answer = line.getresponse()
            answers[host] = answer.status
            text = answer.read()
            line.close()
            if answer.status == 200:
                assert json.loads(text)["all"] == 4
        assert list(answers.values()) == [200, 403]
        with pytest.raises(OSError, match="in use by another program: choose another --port"):
            live(EVENT, tmp_path / "none.db", served.server_port).__enter__()
