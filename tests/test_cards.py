"""Model cards as pages: every card of the zoo, those that lack entries, and those that hold what they should not."""

import copy
import itertools
import re
import shutil

import pytest
import torch
from markdown_it import MarkdownIt

from agents import zoo
from agents.policy import card_page
from agents.policy.card_page import to_markdown
from agents.policy.network import PolicyNetwork
from agents.reading import read_json
from tests.pages import HOSTILE
from tests.trainings import refused
from training import card as command
from training import zoo as zoo_command
from training.timing import time_of

CARDS = {name: read_json(zoo.beside(zoo.find(name))) for name in zoo.names()}
CONTROL = "\x1b[2J\x07\x00\x9b31m\x7f\u202e\ud800"  # what terminals obey, what reverses text, and what is no text
HEADINGS = [
    "What it sees", "How strong it is", "Time a move", "How it was made", "What it is not for", "Licence and data",
]  # fmt: skip


def headings(text):
    return re.findall("^## (.*)$", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", CARDS)
def test_every_card_of_the_zoo_says_what_its_file_shows_and_is_a_page(name):
    said, network, text = CARDS[name], PolicyNetwork.load(zoo.find(name)), to_markdown(CARDS[name], f"zoo:{name}")
    config = said["training"]["config"]
    assert config["encoder"] == said["encoder"]["name"] == network.encoder.name
    for told in (config, said["network"]):
        assert (tuple(told["layers"]), told["activation"]) == (tuple(network.layers), network.activation)
    assert headings(text) == HEADINGS
    shown = text.replace("\\", "")
    for result in said["evaluation"]["results"]:
        assert result["opponent"] in shown
        assert f"{100 * result['score']:.1f} %" in shown
        assert f"{100 * result['low']:.1f} to {100 * result['high']:.1f}" in shown
    for part in (
        said["made"]["command"].partition(" --")[0],
        f"{said['training']['seconds'] / 60:.1f}",
        f"{said['network']['parameters']:,} parameters",
        f"{said['encoder']['plies_ahead']} plies ahead",
        card_page.game_of(said),
    ):
        assert part in shown
    alone = said["encoder"]["name"] in ("counts", "onehot")
    assert ("The policy alone, without search" in text) == alone
    assert ("the policy alone is not without search" in text) != alone


def test_scores_with_search_stand_apart_and_what_is_not_known_to_be_the_board_is_not_said_to_be():
    one = CARDS["oware"]["evaluation"]["results"][0]
    results = [
        {**one, "agent": "mcts:network=zoo:oware,simulations=50", "opponent": "minimax:depth=9"},
        {**one, "agent": "zoo:oware", "opponent": "v1-depth4"},
    ]
    said = CARDS["oware"] | {"evaluation": {"opening_plies": 4, "results": results}}
    alone, searching = card_page.results(said)
    assert (alone.search, searching.search) == ("", "mcts:simulations=50")
    text = to_markdown(said, "zoo:oware").replace("\\", "")
    parts = "The policy alone (its input looks 4 plies ahead)", "v1-depth4", "With tree search at play (mcts", "depth=9"
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    unknown = copy.deepcopy(CARDS["kalah-onehot"])
    unknown["encoder"]["name"] = "mine"
    assert "without search" not in to_markdown(unknown, "it")


def changed(value, text, key):
    """A card with other texts, and with more keys wherever there are any."""
    if isinstance(value, dict):
        known = {name: changed(each, text, key) for name, each in value.items()}
        return {key(name): each for name, each in known.items()} | known
    if isinstance(value, list):
        return [changed(each, text, key) for each in value]
    return text if isinstance(value, str) else value


def test_nothing_in_a_card_becomes_markup():
    text = f"{HOSTILE}\"'````\n\n# [a](javascript:b) | <img src=x onerror=c>\n"
    said = changed(CARDS["kalah-empty-capture"], text, lambda name: f"{HOSTILE}`|[a](javascript:b)")
    tokens = MarkdownIt("commonmark").enable("table").parse(to_markdown(said, HOSTILE))
    kinds = {each.type for token in tokens for each in (token, *(token.children or ()))}
    assert not kinds & {"html_block", "html_inline", "link_open", "image"}
    titles = [after.content for token, after in itertools.pairwise(tokens) if token.type == "heading_open"]
    assert titles[1:] == HEADINGS


def test_no_control_character_of_a_card_is_shown():
    card = changed(CARDS["kalah-empty-capture"], f"a{CONTROL}b", lambda name: f"{name}{CONTROL}")
    page = to_markdown(card, f"name{CONTROL}")
    assert [letter for letter in page if not letter.isprintable() and letter != "\n"] == []


def parts(value, path=()):
    """The places of a card, of its first three levels."""
    if isinstance(value, dict) and len(path) < 3:
        for key, each in value.items():
            yield (*path, key)
            yield from parts(each, (*path, key))


def test_a_card_that_is_not_as_cards_are_is_refused_in_a_sentence():
    whole = CARDS["kalah-empty-capture"]
    places = [place for place in parts(whole) if place[:3] != ("training", "config")]
    assert len(places) > 40
    refusals = []
    for place in [*places, ("evaluation", "results", 0, "low"), ("evaluation", "results", 1, "pairs")]:
        for replace in (None, [], {}, "text", float("nan"), -7):
            said = copy.deepcopy(whole)
            at = said
            for key in place[:-1]:
                at = at[key]
            del at[place[-1]]
            if replace is not None:
                at[place[-1]] = replace
            try:
                assert headings(to_markdown(said, "some")) == HEADINGS
            except ValueError as error:
                refusals.append(str(error))
    assert len(refusals) > 60
    assert all(each.startswith("the model card of some is not as cards are") for each in refusals)


def test_a_teacher_and_what_a_run_was_given_are_told():
    said = copy.deepcopy(CARDS["kalah-onehot"])
    said["made"] |= {"teacher": {"sha256": "0123456789abcdef0123"}, "given": {"opponents": ["Mine"]}}
    said["training"]["config"]["teacher"] = "zoo:kalah"
    text = to_markdown(said, "it")
    assert "| teacher | zoo:kalah (sha256 0123456789abcdef...) |" in text
    assert "| opponents given as objects | Mine |" in text
    assert "against itself and against programs, and with its teacher" in text
    assert zoo_command._without_out(f"{said['made']['command']} --out runs/x") == said["made"]["command"]
    objects = "made in Python with objects: network=my nets:Ring's; opponents=Mine"  # no command
    said["made"] |= {"command": zoo_command._without_out(objects)}
    assert "Made in Python with objects: network=my nets:Ring's; opponents=Mine." in to_markdown(said, "it")


def test_the_time_of_a_move_is_measured_on_one_thread():
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    found = time_of(PolicyNetwork("kalah:seeds=3", "counts", (8,)))
    assert torch.get_num_threads() == threads
    assert found.keys() == {"microseconds_per_move", "microseconds_in_batch_of_512", "machine"}
    assert min(found["microseconds_in_batch_of_512"], found["microseconds_per_move"]) > 0
    said = {"time": found}
    assert card_page.takes(said).endswith("a move")
    assert found["machine"].partition("_")[0] in to_markdown(CARDS["kalah"] | said, "it")


def test_what_has_no_card_is_refused_in_one_line(tmp_path, capsys):
    shutil.copy(zoo.find("kalah-onehot"), tmp_path)
    for asked, why in (
        (str(tmp_path), "has no model card"),
        ("zoo:kalha", "did you mean 'kalah'"),
        (str(tmp_path / "nowhere"), "there is no policy file"),
    ):
        assert why in refused(command.main, [asked], capsys)
    (tmp_path / "policy.json").write_text("{", encoding="utf-8")
    assert "damaged" in refused(command.main, [str(tmp_path)], capsys)
