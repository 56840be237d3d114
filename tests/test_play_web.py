"""Games that are played by clicks and keys in a real browser."""

import re
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event
from urllib.parse import urlencode

import pytest

import mancala_env as mancala
from agents.play.lobby import LADDER, opponents
from agents.tournament.export import read_games
from mancala_env.rules.describe import sections
from tests.pages import counts, new_tab, seeds_shown
from tests.processes import PATIENCE, wait_until
from tests.test_play import SMALL, served


@contextmanager
def at_table(browser, server, address="", **more):
    """The page, which asks nobody but its server."""
    with new_tab(browser, ours=(server.url, "data:"), **more) as (tab, _):
        tab.goto(server.url + address)
        tab.wait_for_selector("[data-open] .cell")
        rested(tab)
        yield tab


def rested(tab):
    tab.wait_for_selector(".play[data-state=still]")


def only(server):
    """The game of the only tab, which begins anew where it is loaded again."""
    return list(server.sessions._kept.values())[-1][0].session


def moved(tab, action):
    """Do something that changes the game, and wait for it."""
    tab.evaluate("document.querySelector('.play').dataset.state = 'asked'")
    action()
    rested(tab)


def named(game):
    """The moves of a game by their names."""
    return [state.name(action) for state, action in zip(game.states, game.actions, strict=False)]


def listed(tab):
    """The moves in the list beside the board."""
    return " ".join(tab.locator(".play ol li:not(.new) > span").all_text_contents()).split()


def test_a_whole_game_is_played_by_clicks(browser):
    with served() as server, at_table(browser, server) as tab:
        while not only(server).state.is_over:
            game = only(server)
            assert counts(tab) == seeds_shown(game.state)
            offered = tab.locator(".cell.offered").evaluate_all("all => all.map(one => Number(one.dataset.cell))")
            assert offered == [game.state.pit(action) for action in game.state.legal_actions]
            moved(tab, tab.locator(".cell.offered").last.click)
        tab.get_by_role("button", name="Turn board").click()
        game = only(server)
        assert counts(tab) == seeds_shown(game.state)
        said = tab.locator(".says").text_content()
        assert said.startswith(("You win", "You lose", "A draw"))
        address = addressed(tab, f"moves={'.'.join(map(str, game.actions))}")
        for mine, ends in ((True, said), (False, only(server).state.ending)):
            with nullcontext(tab) if mine else at_table(browser, server, address.removeprefix(server.url)) as other:
                other.reload()
                other.wait_for_selector(".says.ended")
                assert ends in other.locator(".says").text_content()
                assert ("You" in other.locator(".table").text_content()) == mine  # a friend was not there
        assert tab.locator(".cell.offered").count() == 0
        assert sorted(listed(tab)) == sorted(named(game))


@pytest.mark.parametrize("rules", ["oware", "hus", "layli_goobalay", "diffusion", "reaping", "oware_territory"])
def test_every_board_can_be_played_on(browser, rules):
    with served(rules, ("random",), seat=1) as server, at_table(browser, server) as tab:
        for _ in range(2):
            moved(tab, tab.locator(".cell.offered").first.click)
            game = only(server)
            assert counts(tab) == seeds_shown(game.state)
            told = tab.locator(".story span").all_text_contents()
            texts = [f"{state.trace(action).text}." for state, action in zip(game.states, game.actions, strict=False)]
            own = max(k for k, state in enumerate(game.states[:-1]) if state.player == 1)
            assert told == texts[own:] if len(texts) - own <= 4 else [told[0], told[-1]] == [texts[own], texts[-1]]
        assert len(only(server).actions) >= 4


def test_hints_and_values_are_written_beside_the_pits(browser):
    with served() as server, at_table(browser, server) as tab:
        moved(tab, tab.get_by_role("button", name="Hint").click)
        found = only(server).hint()
        assert tab.evaluate("document.activeElement.textContent") == "Hint"  # which was disabled meanwhile
        assert tab.locator(".hinted circle").count() == 1
        assert f"Hint: {only(server).state.name(found.best)}" in tab.locator(".thought").text_content()
        assert only(server).state.trace(found.best).text in tab.locator(".thought").text_content()
        assert tab.locator(".worth:not(:empty)").count() == len(found.values)
        assert "worth" in tab.locator(".cell.offered").first.get_attribute("aria-label")
        tab.get_by_label("Values").check()
        tab.wait_for_selector("[data-values=shown]")
        assert tab.locator(".thought").text_content().startswith("Best: ")
        moved(tab, tab.locator(".cell.offered").first.click)
        tab.wait_for_selector(".worth:not(:empty)", state="attached")
    with served("diffusion", ("random",)) as server, at_table(browser, server) as tab:
        moved(tab, tab.get_by_role("button", name="Hint").click)
        told = tab.locator(".thought").text_content()
        assert re.search(r"[+-]\d+ points?\b.* Points are the search's own estimate: above 0 is good", told)
        assert "24 seeds to clear" in tab.locator(".seat").first.text_content()
        tab.get_by_role("button", name="Rules").click()
        tab.locator("dialog.drawer p", has_text="To clear: seeds that still lie in this player's block.").wait_for()


def chosen(tab, name):
    """The form that begins this game."""
    tab.get_by_role("button", name="Games").click()
    tab.locator(f".card:has([data-game='{name}'])").click()
    form = tab.locator("dialog.setup[open]")
    form.get_by_role("button", name="Play").wait_for()
    return form


def test_games_are_chosen_by_their_cards(browser):
    with served() as server, at_table(browser, server) as tab:
        tab.get_by_role("button", name="Games").click()
        cards, search = tab.locator(".card:visible"), tab.get_by_label("Find a game")
        assert "Oware (Abapa)" in cards.locator("b").all_text_contents()[:3]
        tab.locator(".card img[src^='data:image/svg']").first.wait_for()
        search.fill("layli MATCH")
        assert cards.locator("b").all_text_contents() == ["Layli Goobalay, the match"]
        assert "until your opponent has too few" in cards.text_content()
        search.fill("nosuchgame")
        tab.get_by_text("No game fits").wait_for()
        search.fill("")
        tab.get_by_role("button", name="Back to the board").click()
        form = chosen(tab, "oware")
        form.get_by_label("Opponent").select_option("greedy")
        form.get_by_label("You are").select_option("1")
        form.locator("summary").click()
        form.get_by_label("Number that fixes its random choices").fill("7")
        moved(tab, form.get_by_role("button", name="Play").click)
        game, title = only(server), tab.get_by_role("heading", level=1)
        assert (game.rules_text, game.agent.name, game.seat, game.seed) == ("oware", "greedy", 1, 7)
        assert len(game.actions) == 1
        assert tab.evaluate("document.activeElement.ariaLabel") == "Board"  # by keyboard a pit is near
        assert title.text_content() == "Oware (Abapa)"
        assert "You" in tab.locator(".seat").nth(1).text_content()
        assert counts(tab) == seeds_shown(game.state)
        addressed(tab, "game=oware", "moves=")
        tab.reload()
        tab.wait_for_selector("[data-open] .cell")
        assert title.text_content() == "Oware (Abapa)"  # the tab goes on with its game


def test_opponents_are_those_of_the_game_with_its_options(browser):
    with served("kalah", ("random",)) as server, at_table(browser, server) as tab:
        form = chosen(tab, "kalah")
        against = form.get_by_label("Opponent")
        told = against.locator("option").all_text_contents()
        assert [text.partition(":")[0] for text in told[:6]] == [*LADDER, "random plays at random"]
        assert "zoo:kalah, a trained network: 57 % against one who looks 8 moves ahead" in told[6:]
        values = against.locator("option").evaluate_all("all => all.map((one) => one.value)")
        assert not any("kalah-empty-capture" in value or "zoo:oware" in value for value in values)
        choice = form.get_by_label("captured also where nothing faces it")
        assert choice.locator("option").all_text_contents() == ["no (as usual)", "yes"]
        choice.select_option("true")
        against.locator("option[value*='kalah-empty-capture']").first.wait_for(state="attached")
        names = against.locator("option").evaluate_all("all => all.map((one) => one.value)")
        assert names == [each.name for each in opponents("kalah:empty_capture=true", server.against)]
        assert "zoo:kalah" not in names
        moved(tab, form.get_by_role("button", name="Play").click)
        assert only(server).rules.empty_capture
        assert tab.get_by_role("heading", level=1).text_content() == "Kalah (empty capture)"
        form = chosen(tab, "tchuka_ruma")  # a solitaire, of which the card says so: a page without a server asks nobody
        assert not form.get_by_label("Opponent").is_visible()
        moved(tab, form.get_by_role("button", name="Play").click)
        assert only(server).seat == 0


def test_the_rules_stand_beside_the_board(browser):
    with served("layli_goobalay", ("random",)) as server, at_table(browser, server) as tab:
        tab.get_by_role("button", name="Rules").click()
        drawer = tab.locator("dialog.drawer[open]")
        drawer.locator("h3", has_text="Where the last seed falls").wait_for()
        assert "a marked pit: gravid, South's" in drawer.locator(".legend").text_content()
        told = " ".join(drawer.text_content().split())
        known = [sentence for sentences in sections(only(server).rules).values() for sentence in sentences]
        known += ["To lift a pit and sow it is one lap.", "The number beside a pit: the seeds in it.", "won so far"]
        assert all(sentence in told for sentence in known)
        tab.set_viewport_size({"width": 1024, "height": 768})
        board, left = tab.locator(".board").bounding_box(), drawer.bounding_box()["x"]
        assert 500 <= board["width"] <= left - board["x"]
        tab.keyboard.press("Escape")
        assert not drawer.is_visible()


def test_keys_play_and_wrong_moves_are_explained_and_change_nothing(browser):
    with served() as server, at_table(browser, server) as tab:
        tab.locator(".cell[data-cell='4']").click()
        assert "b cannot be played now. You can play A, B, C" in tab.locator(".says").text_content()
        tab.locator(".cell[data-cell='6']").click()
        assert "store" in tab.locator(".says").text_content()
        assert only(server).actions == ()
        tab.evaluate("document.querySelector('.cell').focus()")
        moved(tab, lambda: tab.keyboard.press("Enter"))
        assert only(server).actions[0] == 0
        assert tab.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Play South")
        moved(tab, lambda: tab.keyboard.press("c"))  # letters play as well
        game = only(server)
        assert [name for state, name in zip(game.states, named(game), strict=False) if state.player == 0] == ["A", "C"]


def test_a_pit_of_the_opponent_is_picked_where_the_turn_asks_for_it(browser):
    with served("tshuba") as server, at_table(browser, server) as tab:
        moved(tab, tab.locator(".cell[data-cell='4']").click)  # it captures
        assert "Pick 1 more pit of the opponent." in tab.locator(".says").text_content()
        assert tab.locator(".cell.offered[data-cell='3']").count() == 0  # an own pit
        moved(tab, tab.locator(".cell[data-cell='20'].offered").click)
        assert named(only(server))[:2] == ["E", "e"]


def test_a_pit_that_can_be_sown_either_way_asks_which(browser):
    with served("um_el_bagara") as server, at_table(browser, server) as tab:
        moved(tab, tab.locator(".cell[data-cell='0']").click)  # one direction: nothing to ask
        assert named(only(server))[0] == "A-"
        tab.locator(".cell[data-cell='2'].offered").click()
        assert tab.locator(".says").text_content() == "Which way is C sown?"
        assert tab.locator(".cell[data-cell='2'] .hinted").count() == tab.locator(".hinted").count() == 1
        assert tab.locator(".ways button").all_text_contents() == ["C+ ↺ counter-clockwise", "C- ↻ clockwise"]
        moved(tab, tab.locator(".ways button").nth(1).click)
        assert listed(tab) == named(only(server))
        assert listed(tab)[2] == "C-"
        assert tab.locator(".ways button").count() == 0
        moved(tab, tab.get_by_role("button", name="Undo").click)
        tab.keyboard.press("c")
        moved(tab, lambda: tab.keyboard.press("+"))
        assert named(only(server))[-2] == "C+"


def kept(tab, face):
    """The text of the file that a button makes."""
    with tab.expect_download() as waits:
        moved(tab, tab.get_by_role("button", name=face, exact=True).click)
    return Path(waits.value.path()).read_text(encoding="utf-8")


def test_moves_are_taken_back_and_games_are_kept_as_files(browser, tmp_path):
    with served() as server, at_table(browser, server, errors=("400", "409")) as tab:
        undo, redo = (tab.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo"))
        assert all(button.is_disabled() for button in (undo, redo))
        moved(tab, tab.locator(".cell.offered").first.click)
        after = counts(tab)
        moved(tab, undo.click)
        assert only(server).actions == ()
        assert counts(tab) == [2] * 6 + [0, 0]
        moved(tab, redo.click)
        assert counts(tab) == after
        text = kept(tab, "Save")
        assert read_games(text) == [only(server).record]
        before = counts(tab)
        moved(tab, undo.click)
        saved = tmp_path / "game.txt"
        for content, fails in ((text, 0), ("<script>alert(1)</script>", 1)):
            saved.write_text(content, encoding="utf-8")
            moved(tab, lambda: tab.locator("input[type=file]").set_input_files(saved))
            assert tab.locator(".says.failed").count() == fails
            assert counts(tab) == before
        game = only(server)
        game.play(game.state.legal_actions[0])  # a page that is behind catches up
        game.replies()
        moved(tab, tab.locator(".cell.offered").last.click)
        assert "changed meanwhile" in tab.locator(".says").text_content()
        assert counts(tab) == seeds_shown(game.state)


def test_a_game_is_looked_through_given_up_and_analysed(browser):
    with served() as server, at_table(browser, server) as tab:
        for _ in range(3):
            moved(tab, tab.locator(".cell.offered").first.click)
        game = only(server)
        last = len(game.actions)
        tab.locator(".play ol button").first.click()
        assert counts(tab) == seeds_shown(game.states[1])
        assert tab.locator(".cell.offered").count() == 0
        tab.keyboard.press("ArrowLeft")
        assert counts(tab) == seeds_shown(game.states[0])
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        tab.get_by_role("button", name="Link").click()
        tab.get_by_role("button", name="Link copied").wait_for()
        link = tab.locator(".thought a")
        link.wait_for()
        link = link.get_attribute("href")
        tab.keyboard.press("End")
        assert counts(tab) == seeds_shown(game.states[last])
        assert tab.locator(".cell.offered").count() > 0
        tab.get_by_role("button", name="Resign").click()
        moved(tab, tab.get_by_role("button", name="Resign: sure?").click)
        assert tab.locator(".says.ended").text_content() == "You lose: you have given the game up."
        assert read_games(game.save())[0].reason == "resigned"
        moved(tab, tab.get_by_role("button", name="Analyse the game").click)
        assert tab.locator(".graph .line").get_attribute("d").count("L") == last - 1
        found = sorted((game.review(at)["loss"] for at in range(last)), reverse=True)
        worst = tab.locator(".worst button")
        assert worst.count() == min(3, sum(loss > 0 for loss in found))
        if worst.count():
            assert "is worth" in worst.first.text_content()
            assert "was better: " in worst.first.text_content()
            assert tab.locator(".thought").text_content().startswith("The worst moves")
        moved(tab, tab.locator(".actions button", has_text="Rematch").click)
        assert only(server).seat == 1
        tab.goto("about:blank")
        tab.goto(link)
        tab.wait_for_selector("[data-open] .cell")
        rested(tab)
        assert only(server).actions == game.actions
        assert counts(tab) == seeds_shown(game.states[0])


def addressed(tab, *parts):
    """Wait until the address of a page holds these."""
    wait_until(lambda: all(part in tab.evaluate("decodeURIComponent(location.hash)") for part in parts))
    return tab.evaluate("location.href")


def test_the_address_is_the_game(browser):
    began = "#game=kalah:empty_capture=true&against=greedy&seed=3"
    with served(lobby=True) as server, at_table(browser, server, began) as tab:
        for name in "C", "D":
            moved(tab, lambda name=name: tab.keyboard.press(name))
        actions = only(server).actions
        address = addressed(tab, "game=kalah:empty_capture=true", f"moves={'.'.join(map(str, actions))}")
        tab.keyboard.press("ArrowLeft")
        earlier = addressed(tab, f"ply={len(actions) - 1}")
        for where in address, earlier:  # a second tab, or a friend's
            with at_table(browser, server, where.removeprefix(server.url)):
                assert only(server).actions == actions
        tab.reload()
        tab.wait_for_selector("[data-open] .cell")
        assert counts(tab) == seeds_shown(only(server).states[-2])
        tab.get_by_role("button", name="Games").click()
        wait_until(lambda: not tab.evaluate("location.hash"))
        tab.go_back()
        rested(tab)
        assert tab.locator(".where").text_content().endswith(f" / {len(actions)}")
        tab.go_forward()
        tab.locator(".lobby").wait_for()


def test_a_linked_game_opens_without_the_first_one_being_played(browser):
    with served(SMALL, ("greedy",), seat=1) as server, browser.new_context(reduced_motion="reduce") as context:
        made, first = [], server.first_session
        server.first_session = lambda: made.append(first()) or made[-1]
        tab = context.new_page()
        tab.set_default_timeout(1000 * PATIENCE)
        tab.goto(f"{server.url}#game=oware&against=greedy&seed=3")
        tab.wait_for_selector("[data-open] .cell.offered")
        assert only(server).rules.name == "oware"
        assert [session.actions for session in made] == [()]


def test_the_way_back_waits_for_what_is_being_thought_about(browser, monkeypatch):
    waits = Event()
    with served("oware", ("greedy",)) as server, at_table(browser, server) as tab:
        moved(tab, tab.locator(".cell.offered").first.click)
        actions = only(server).actions
        before = addressed(tab, "seat=0", f"moves={'.'.join(map(str, actions))}")
        moved(tab, tab.get_by_role("button", name="Rematch").click)
        addressed(tab, "seat=1")
        session, reply = only(server), only(server).reply
        monkeypatch.setattr(session, "reply", lambda stop: waits.wait(PATIENCE) and reply(stop))
        tab.locator(".cell.offered").first.click()
        tab.locator(".says", has_text="is thinking").wait_for()
        tab.go_back()
        assert tab.evaluate("location.href") == before
        waits.set()
        wait_until(lambda: only(server) is not session)
        rested(tab)
        assert (only(server).seat, only(server).actions) == (0, actions)
        assert counts(tab) == seeds_shown(only(server).state)
        assert addressed(tab, "seat=0") == before


BAD_LINKS = {
    "game=no_such_game": "none of the games",
    "game=kalah&against=policy:/etc/passwd": "none of the opponents",
    "game=kalah&against=greedy&moves=2.99": "move 2, number 99, cannot be played; moves there are A, B",
    "game=kalah&against=greedy&moves=x": "whole number",
    "game=kalah&against=greedy&position=kalah 1-2": "kalah 1-2",
    "game=tchuka_ruma&seat=1": "seat",
    "game=kalah:x=1": "none of the games",
}


def test_a_link_that_leads_nowhere_says_why_and_shows_the_games(browser):
    with served(lobby=True) as server, new_tab(browser, ours=(server.url, "data:"), errors=("400",)) as (tab, _):
        for link, why in BAD_LINKS.items():
            tab.goto("about:blank")
            tab.goto(f"{server.url}#{link}")
            said = tab.locator(".lobby .note", has_text="This link leads to no game here")
            said.wait_for()
            assert why in said.text_content()


def test_seeds_are_sown_one_by_one_and_an_agent_that_thinks_can_be_hurried(browser):
    with served("oware", ("minimax:depth=40",)) as server, at_table(browser, server, motion=True) as tab:
        tab.evaluate("document.querySelector('.play').dataset.state = 'asked'")
        tab.locator(".cell.offered").first.click()
        tab.wait_for_selector(".hand circle", state="attached")
        assert tab.locator(".cell.offered").count() == 0
        bar = tab.locator(".table > .controls")
        before = bar.bounding_box()["height"]
        tab.get_by_role("button", name="Move now").wait_for()
        assert bar.bounding_box()["height"] == before
        tab.get_by_role("button", name="Move now").click()
        rested(tab)
        assert only(server).is_persons_turn
        assert len(only(server).actions) > 1
        assert counts(tab) == seeds_shown(only(server).state)


# ---- screens -------------------------------------------------------------------------------------------------------


def test_the_opponent_has_its_level_and_all_buttons_are_in_sight_at_the_end(browser):
    with served(SMALL, ("minimax:depth=2",)) as server, at_table(browser, server) as tab:
        tab.set_viewport_size({"width": 1280, "height": 800})
        assert tab.locator(".seat b").all_text_contents() == ["Casual", "You"]
        while not only(server).state.is_over:
            moved(tab, tab.locator(".cell.offered").first.click)
        moved(tab, tab.get_by_role("button", name="Analyse", exact=True).click)
        tab.wait_for_selector(".worst:not([hidden])")
        assert below(tab) == []


def below(tab):
    """Buttons that do not fit on the screen."""
    script = "all => all.filter((one) => one.getBoundingClientRect().bottom > innerHeight).map((one) => one.innerText)"
    return tab.locator(".play button:visible").evaluate_all(script)


def test_axe_finds_nothing_in_the_light_and_in_the_dark(browser):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    ground = "getComputedStyle(document.body).backgroundColor"
    with served("layli_goobalay", ("random",)) as server:
        for dark, colour in ((False, "rgb(252, 249, 242)"), (True, "rgb(23, 19, 15)")):
            with at_table(browser, server, dark=dark) as tab:
                moved(tab, tab.locator(".cell.offered").first.click)
                assert tab.evaluate(ground) == colour
                tab.get_by_role("button", name="Rules").click()
                tab.locator("dialog.drawer h3").nth(1).wait_for()
                found = [axe.run(tab)]
                tab.get_by_role("button", name="Close the rules").click()
                tab.get_by_role("button", name="Games").click()
                found.append(axe.run(tab))
                tab.locator(".card").first.click()
                tab.locator("dialog.setup[open]").get_by_role("button", name="Play").wait_for()
                found.append(axe.run(tab))
                assert [each["id"] for result in found for each in result.response["violations"]] == []
            with at_table(browser, server, dark=dark) as tab:
                tab.get_by_role("button", name="Light / dark").click()
                assert tab.evaluate(ground) != colour


# ---- the end of a game, and matches --------------------------------------------------------------------------------

SERIES = "oware_series_wins:pits_per_row=3,seeds=2,target=2"


def laid_out(tab, server, state):
    """Lay another position on the board of the only tab."""
    game = only(server)
    said = {"game": game.rules_text, "against": game.against, "seat": game.seat, "seed": game.seed}
    moved(tab, lambda: tab.goto(f"{server.url}#{urlencode({**said, 'position': state.to_line()})}"))


@pytest.mark.parametrize(
    ("rules", "before", "key", "after", "scores", "said"),
    [
        (SMALL, "kalah 0-0-1-0-2-0-4-5-S", "C", [0] * 6 + [5, 7], ["7 seeds", "5 seeds"],
         "You lose, 5 to 7: South's row was empty; the rest went to North."),
        ("awari", "awari 1-0-0-0-0-0-0-1-1-0-0-0-20-25-S over=repetition", "", [0] * 12 + [21.5, 26.5],
         ["26½ seeds", "21½ seeds"], "North wins, 26½ to 21½: the same position came up"),
    ],
)  # fmt: skip
def test_a_finished_board_goes_with_the_result(browser, rules, before, key, after, scores, said):
    """Board, names beside it and result say the same; seeds that are shared are halved."""
    with served(rules, ("random",)) as server, at_table(browser, server) as tab:
        laid_out(tab, server, mancala.State.parse(only(server).rules, before))
        if key:
            moved(tab, lambda: tab.keyboard.press(key))
        assert counts(tab) == after
        assert tab.locator(".seat .score").all_text_contents() == scores
        assert tab.locator(".says").text_content().startswith(said)
        store = len(after) - 2
        label = tab.locator(f".cell[data-cell='{store}']").get_attribute("aria-label")
        assert label == f"South's store: {scores[1]}"
        if key:
            moved(tab, tab.get_by_role("button", name="Undo").click)
            assert counts(tab) == [0, 0, 1, 0, 2, 0, 4, 5]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_games_of_a_match_are_told(browser, seat):
    with served(SERIES, ("random",), seat=seat, seed=seat) as server, at_table(browser, server) as tab:
        game, fresh, seeds = only(server), 0, sum(counts(tab))
        said, button = tab.locator(".says"), tab.get_by_role("button", name="Next game")
        while not game.state.is_over:
            done = len(game.state.games)
            moved(tab, tab.locator(".cell.offered").first.click)
            told, ended = said.text_content(), game.game_ends[done:]
            assert ("is over" in told) == bool(ended)
            for end in ended:
                assert end.short(seat).partition(": ")[2] in told
                assert f"Game {end.game} is over" in told
                assert end.why in told
                assert end.following is None or f"{end.standing}. Game {end.following} begins" in told
            assert tab.locator(".play li.new").all_text_contents() == [end.short(seat) for end in game.game_ends]
            if ended and not game.state.is_over:  # the board of the game that has ended, swept
                assert counts(tab)[-2:] == list(ended[-1].result.scores)
                assert sum(counts(tab)) == seeds  # a game that a majority decides leaves some on the board
                assert "to win, " in told.lower()
                tab.set_viewport_size({"width": 1280, "height": 800})
                assert below(tab) == []
                tab.set_viewport_size({"width": 844, "height": 390})
                controls = tab.locator(".table > .controls").evaluate("(node) => node.getBoundingClientRect().top")
                for node, room in ((button, 0), (said, 1)):
                    assert node.evaluate("(node) => node.getBoundingClientRect().bottom") <= controls + room
                moved(tab, button.click)
            marks = tab.locator(".arrows path, .cell circle[fill='var(--b-played)'], .cell .captured").count()
            begins = game.game_ends and game.game_ends[-1].ply == len(game.actions) and not game.state.is_over
            assert (marks == 0) == bool(begins)
            if begins:
                fresh += 1
                assert counts(tab) == seeds_shown(game.state)
        assert fresh
        told = said.text_content()
        assert told.startswith(("You win the match", "You lose the match", "The match is a draw"))
        assert game.state.ending in told
        assert not any(reason in told for reason in mancala.TERMINATIONS[1:])
        tallies = [f"{tally} win" for tally in game.state.scores]
        scores = tab.locator(".seat .score").all_text_contents()
        assert all(tally in text for tally, text in zip(tallies[:: 1 - 2 * (1 - seat)], scores, strict=True))


def test_games_can_be_chosen_while_the_first_one_waits_for_the_compiler(browser):
    compiled = Event()
    with served(lobby=True) as server, new_tab(browser, ours=(server.url, "data:")) as (tab, _):
        first = server.first_session
        server.first_session = lambda: compiled.wait(PATIENCE) and first()
        tab.goto(server.url)
        tab.get_by_label("Find a game").fill("oware (abapa)")
        tab.locator(".lobby .card:visible").click()
        tab.get_by_label("Opponent").select_option("greedy")
        tab.locator(".setup .go").click()
        compiled.set()
        tab.wait_for_selector(".play[data-state=still] h1:text-is('Oware (Abapa)')")
        assert only(server).rules.name == "oware"
