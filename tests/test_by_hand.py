"""What the games do, option by option, in positions that can be played by hand: ``data/by_hand.txt``.

A sentence, then indented a ruleset with its position: seeds in South's pits and North's, each from its owner's left, in
the stores, and the mover; or ``start``. Then what is legal there, and moves with all that is so after them. Where
nothing is said about them, missing seeds do not matter. The positions follow from the rule sheets of the games.
"""

from pathlib import Path

import pytest

from mancala_env import ruleset
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


def placed(words):
    """The arguments of ``Ruleset.position`` for a position in words."""
    *seeds, player = words[0].split("-")
    numbers = [int(each) for each in seeds]
    fields = {"pits": numbers[:-2], "stores": numbers[-2:], "player": "SN".index(player)}
    for word in words[1:]:
        name, value = word.split("=")
        fields[name] = ["SN".find(each) for each in value] if name in ("owner", "marks") else int(value)
    return fields


def told(state):
    """All that a line says of a position."""
    words = [str(state).split(" ", 1)[1]]
    if state.is_over and state.scores is not None:
        words.append("scores={:g}-{:g}".format(*state.scores))
    elif state.is_over:
        words.append(f"winner={'nobody' if state.winner is None else 'SN'[state.winner]}")
    if state.games:
        words.append(
            "games=" + ",".join("{:g}-{:g}".format(*game.scores) + f":{game.termination}" for game in state.games)
        )
    return " ".join(words)


@pytest.mark.parametrize("lines", [*cases()])
def test_by_hand(lines):
    first, *others = lines
    spec, *words = first.split(" ")
    rules = ruleset(spec)
    fields = {"pits": rules.start().pits} if words == ["start"] else placed(words)
    if "match" in rules.fields:
        fields["first"] = fields.get("player", 0)
    state = rules.start() if words == ["start"] else rules.position(**fields)
    reference = Position(rules, **fields)
    assert others
    for line in others:
        if line.startswith("legal"):
            assert line == " ".join(["legal", *map(state.name, state.legal_actions)])
            continue
        moves, after = line.split("->")
        for move in moves.split():
            action = state.parse_move(move)
            state, reference = state.play(action), reference.play(action)
        assert told(state) == after.strip()
        assert seen(state) == seen(reference)
