"""What the games do, option by option, in positions that can be played by hand: ``data/by_hand.txt``.

A sentence, then indented a ruleset, or a name of ``tests.made_up``, with its position: seeds in South's pits and
North's, each from its owner's left, in the stores, and the mover; or ``start``. Then what is legal there, and moves,
or scores of whole games of a match, with all that is so after them. Where nothing is said about them, missing seeds do
not matter. The positions follow from the rule sheets of the games; worked examples are told as GAME: WHAT.
"""

import re
from pathlib import Path

import pytest

from mancala_env import ruleset
from tests.games import after_game
from tests.made_up import MADE_UP
from tests.reference import Position
from tests.test_reference import seen

FILE = Path(__file__).parent / "data" / "by_hand.txt"


def cases():
    """One for each position: its sentence, and its lines."""
    sentence = ""
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith((" ", "#")):
            sentence = line
        elif line.startswith("  ") and "->" not in line and not line.startswith("  legal"):
            lines = [line.strip()]
            yield pytest.param(lines, id=sentence)
        elif line.startswith("  "):
            lines.append(line.strip())
        elif not line.startswith("#"):
            raise ValueError(f"{line!r} is indented by one space")


def placed(words):
    """The arguments of ``Ruleset.position`` for a position in words."""
    *seeds, player = words[0].split("-")
    numbers = [int(each) for each in seeds]
    fields = {"pits": numbers[:-2], "stores": numbers[-2:], "player": "SN".index(player)}
    for word in words[1:]:
        name, value = word.split("=")
        if name in ("owner", "marks"):
            fields[name] = ["SN".find(each) for each in value]
        elif name in ("memory", "closed", "stronghold"):
            fields[name] = [int(each == "x") for each in value]
        elif name == "direction":
            fields[name] = [{"+": 0, "-": 1}.get(each) for each in value]
        elif name == "pending":
            kind, *numbers = value.split("-")
            fields[name] = (kind, *map(int, numbers))
        elif name == "first":
            fields[name] = "SN".index(value)
        elif name == "reserve":
            fields[name] = tuple(map(int, value.split("-")))
        else:
            fields[name] = int(value)
    return fields


def told(state):
    """All that a line says of a position."""
    words = [str(state).split(" ", 1)[1]]
    if state.is_over and state.scores is not None:
        words.append("scores={:g}-{:g}".format(*state.scores))
    elif state.is_over:
        words.append(f"winner={'nobody' if state.winner is None else 'SN'[state.winner]}")
    if state.games and state.games[-1].termination:
        words.append(
            "games=" + ",".join("{:g}-{:g}".format(*game.scores) + f":{game.termination}" for game in state.games)
        )
    return " ".join(words)


@pytest.mark.parametrize("lines", [*cases()])
def test_by_hand(lines):
    first, *others = lines
    spec, *words = re.split(r" (?=start$|\d+-|\w+=)", first)
    rules = MADE_UP[spec] if spec in MADE_UP else ruleset(spec)
    fields = {"pits": rules.start().pits} if words == ["start"] else placed(words)
    state = rules.start() if words == ["start"] else rules.position(**fields)
    begun = {} if state.games else {"marks": state.marks.tolist(), "first": state.first}  # as the position takes them
    reference = Position(rules, **begun | fields)
    assert others
    for line in others:
        if line.startswith("legal"):
            assert line == " ".join(["legal", *map(state.name, state.legal_actions)])
            continue
        moves, after = line.split("->")
        if moves.startswith("games "):
            for game in moves.split()[1:]:
                scores = tuple(map(int, game.split("-")))
                state, reference = after_game(state, scores), reference.next_game(scores, "")
        else:
            for move in moves.split():
                action = state.parse_move(move)
                state, reference = state.play(action), reference.play(action)
        assert told(state) == after.strip()
        assert seen(state) == seen(reference)
