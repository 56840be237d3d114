"""A guided first game: before each of a person's first moves a sentence says what to look at in this position.

What stands on the board is found by playing each move and following its events: what is said holds wherever it is said.
"""

from collections.abc import Sequence
from functools import lru_cache

from mancala_env.kernels import layout
from mancala_env.state import State
from mancala_env.trace import EventKind, Trace
from mancala_env.words import counted, joined, number

MOVES = 10  # of the person, that are guided
LONG = 4  # laps of a move that is worth following
FEW = 3  # moves that are soon looked through
FAREWELL = "That was the guide: from here on you play alone. Hint tells at any time what a search would do."

# Sentences for what is seen on the board, by the kinds of ``seen``.
COMMON = {
    "win": "{move} wins the game at once.",
    "threat": "Your opponent looks at {pits}: as the board stands, {move} takes {seeds} there.",
    "score": "You have won {won}, your opponent {lost}; {half} are more than half.",
    "calm": "Nothing of yours can be taken as the board stands.",
}
GUIDES: dict[str, dict[str, str]] = {
    "oware": {
        "first": "Pits {own} are yours. A last seed that makes two or three in a pit across takes them: which of "
        "your moves ends in a pit of one or two?",
        "hungry": "Your opponent has no seeds, so that each move that is left to you gives some.",
        "capture": "A capture is there: {move} takes {seeds} from {pits}. Pits before the last one that hold two or "
        "three go with it.",
        "poor": "Your row is nearly empty, {mine} against {theirs}. Small moves, from the right, keep you in play.",
        "quiet": "Nothing can be taken now. Follow each of your pits to its last seed: which one could take next turn?",
        "calm": "Nothing of yours can be taken as the board stands. It is time to let a pit grow.",
    },
    "kalah": {
        "first": "Pits {own} are yours, and so is the store at their right. A last seed there gives another turn: "
        "which pit holds as many seeds as it is steps away?",
        "again": "There is another turn for {moves}. Take such turns first, and capture after them.",
        "capture": "{move} ends in an empty pit of yours and takes {seeds} across, from {pits}.",
        "poor": "Your row is nearly empty, {mine} against {theirs}. When a row is empty the game ends, and what lies "
        "in the other is its owner's.",
        "quiet": "Nothing can be taken now. Look for an empty pit across from many seeds, and for a move that could "
        "end there.",
        "calm": "Nothing of yours can be taken as the board stands. It is time to prepare another turn.",
    },
    "toguz": {
        "first": "Pits {own} are yours. One seed of several stays in the pit you play. A last seed that makes a pit "
        "across even takes it: which of your moves ends in an odd one?",
        "mark": "{move} makes three in {marked}, which becomes your tuz: from then on each seed that falls there is "
        "yours.",
        "capture": "{move} takes {seeds}, from {pits}: the most that a move takes here.",
        "tuz": "{marked} is a tuz of yours: each seed that falls there goes to your store.",
        "quiet": "Nothing can be taken now. Which pit of yours could end in an odd one of the opponent next turn?",
        "calm": "Nothing of yours can be taken as the board stands. Heavy pits that are odd are the next ones to "
        "guard.",
    },
    "sungka": {
        "first": "Pits {own} are yours, and so is the store after them. A last seed among others lifts them all and "
        "goes on; one in your store gives another turn.",
        "again": "There is another turn for {moves}. Begin with such a move: whatever else you see can follow it.",
        "capture": "{move} ends in an empty pit of yours and takes {seeds} across, from {pits}.",
        "relay": "{move} goes on for {laps} laps. Each time it passes your store a seed falls in: follow it with a "
        "finger.",
        "poor": "Your row is nearly empty, {mine} against {theirs}. Who cannot move waits, and the other plays on.",
        "quiet": "Nothing can be taken now. Look for the move that drops the most seeds in your store.",
    },
    "hus": {
        "first": "The two rows nearest to you are yours, and your seeds go round in them. A last seed among others "
        "goes on with them, and with the pits across if the nearer one holds seeds.",
        "win": "{move} leaves your opponent without a move and wins.",
        "capture": "{move} takes {seeds} from {pits}, and sows them on your side.",
        "relay": "{move} goes on for {laps} laps. Follow it before you play it: it should end where little can be "
        "taken.",
        "few": "You can play {moves} and nothing else. Pits of one cannot be played, and who cannot move loses.",
        "poor": "You have {mine} left, and your opponent {theirs}. Make pits of two and more, which can be played.",
        "quiet": "Nothing can be taken now. An empty inner pit protects the outer one behind it.",
        "calm": "Nothing of yours can be taken as the board stands. Gather seeds where they come to face full pits.",
    },
    "bao_kiswahili": {
        "first": "The two rows nearest to you are yours. A turn lays one of your {hand} in hand in a pit of the "
        "inner row that holds some; seeds across from it are taken and sown on.",
        "must": "Whatever you play here captures, as it has to be if it can be done. {move} takes the most, {seeds}, "
        "from {pits}.",
        "quiet": "No move captures here. Such a turn spreads your seeds: bring them where they face others.",
        "relay": "{move} goes on for {laps} laps. Follow it: where does it end, and what has it taken by then?",
        "few": "You can play {moves} and nothing else. See where each of them ends.",
        "poor": "You have {mine} on the board, and your opponent {theirs}. An empty inner row loses.",
        "house": "There are still {hand} in your hand. The house, your pit of six at the start, is worth keeping "
        "meanwhile.",
    },
    "tchuka_ruma": {
        "first": "All seeds are to come into the store at the right. A last seed in the store lets you choose again, "
        "one among others goes on with them, and one in an empty pit loses.",
        "win": "{move} brings the last seeds home and wins.",
        "lost": "Whatever you play now loses. Take a move back with Undo, and try another.",
        "lose": "{moves} would lose at once. Count before you lift.",
        "again": "The last seed falls into the store from {moves}. After it you need such a move again.",
        "relay": "{move} goes on for {laps} laps: what lies where a lap ends is lifted, too.",
        "score": "In the store: {won}; still on the board: {mine}.",
    },
}


def guidance(states: Sequence[State], seat: int) -> str:
    """What to look at in the last of these positions of a game, all since it began; "" if its game has no guide, it is
    not for the person at ``seat`` to choose a move, or they have made more than ``MOVES``."""
    rules, last = states[-1].rules, states[-1]
    turns = [state for state in states if not state.is_over and state.player == seat and state.pending is None]
    if rules.name not in GUIDES or not turns or turns[-1] is not last or len(turns) > MOVES + 1:
        return ""
    if len(turns) > MOVES:
        return FAREWELL
    texts = COMMON | GUIDES[rules.name]
    told: list[str] = ["first"] if states[0] == rules.start() else []
    for state in turns[len(told) :]:
        told.append(min((kind for kind in seen(state) if kind in texts), key=told.count))  # else the most urgent one
    return texts[told[-1]].format_map(seen(last)[told[-1]])


@lru_cache(maxsize=64)
def seen(state: State) -> dict[str, dict[str, str]]:
    """What stands on the board for the mover, the most urgent first, with words that tell of it."""
    player, names, moves = state.player, state.rules.board.names, _moves(state)
    own = [pit for pit, owner in enumerate(state.owner) if owner == player]
    mine, everything = sum(state.pits[pit] for pit in own), sum(state.pits) + sum(state.stores)
    theirs = sum(state.pits) - mine
    ends = {name: state.play(state.parse_move(name)) for name in moves}
    over = {name: end.winner for name, end in ends.items() if end.is_over}
    wins, loses = ([name for name, winner in over.items() if winner == who] for who in (player, 1 - player))
    again = [name for name in moves if name not in over and _where(moves[name], EventKind.AGAIN)]
    marks = {name: names[pit] for name in moves for pit in _where(moves[name], EventKind.MARK)}
    tuz = [names[pit] for pit, mark in enumerate(state.marks) if mark == player]
    laps, longest = max((_laps(trace), name) for name, trace in moves.items())
    threat, capture = _threat(state), _capture(state)
    must = all(_taken(trace, state) for trace in moves.values())
    numbers = {
        "mine": mine,
        "theirs": theirs,
        "won": state.stores[player],
        "lost": state.stores[1 - player],
        "hand": state.reserve[player],
        "half": everything // 2 + 1,
    }
    always = {name: counted(seeds, "seed") for name, seeds in numbers.items()}
    found: tuple[tuple[str, object, dict[str, str]], ...] = (
        ("win", wins, {"move": joined(wins[:1])}),
        ("lost", len(loses) == len(moves), {}),
        ("lose", loses, {"moves": joined(loses, "or")}),
        ("hungry", theirs == 0, {}),
        ("must", must, capture),
        ("again", again, {"moves": joined(again, "or")}),
        ("mark", marks, {"move": joined([*marks][:1]), "marked": joined([*marks.values()][:1])}),
        ("capture", capture, capture),
        ("threat", threat, threat),
        ("relay", laps >= LONG, {"move": longest, "laps": number(laps)}),
        ("few", len(moves) <= FEW, {"moves": joined([*moves])}),
        ("poor", 3 * mine < theirs, {}),
        ("tuz", tuz, {"marked": joined(tuz)}),
        ("quiet", not capture, {}),
        ("calm", not threat, {}),
        ("house", state.reserve[player] and state.stronghold[player], {}),
        ("score", state.scores, {}),
        ("first", True, {"own": f"{names[own[0]]} to {names[own[-1]]}"}),
    )
    return {kind: always | words for kind, holds, words in found if holds}


def _moves(state: State) -> dict[str, Trace]:
    return {state.name(action): state.trace(action) for action in state.legal_actions}


def _threat(state: State) -> dict[str, str]:
    """``_capture`` of the opponent, if it were their turn."""
    if state.rules.players == 1:
        return {}
    array = state.array
    array[len(state.pits) + layout.MOVER] = 1 - state.player
    return _capture(State.from_array(state.rules, array))


def _capture(state: State) -> dict[str, str]:
    """The move that takes the most from the opponent, in words; {} if none takes anything."""
    taken = {name: _taken(trace, state) for name, trace in _moves(state).items()}
    best = max(taken, key=lambda name: sum(taken[name].values()), default="")
    if not taken.get(best):
        return {}
    pits = joined([state.rules.board.names[pit] for pit in taken[best]])
    return {"move": best, "seeds": counted(sum(taken[best].values()), "seed"), "pits": pits}


def _taken(trace: Trace, state: State) -> dict[int, int]:
    """Seeds that a move takes out of pits of the opponent; those that fall on a mark only pass through."""
    taken: dict[int, int] = {}
    for event in trace.events:
        pit = event.source
        if (
            event.kind is EventKind.TAKE
            and pit is not None
            and state.owner[pit] != trace.player
            and state.marks[pit] < 0
        ):
            taken[pit] = taken.get(pit, 0) + event.seeds
    return taken


def _where(trace: Trace, kind: EventKind) -> list[int]:
    """Where something happens in a move, as often as it does; pit 0 for what happens nowhere in particular."""
    return [event.target or 0 for event in trace.events if event.kind is kind]


def _laps(trace: Trace) -> int:
    """The laps of a move; 0 if it would go on for ever."""
    endless = _where(trace, EventKind.ROUNDS) or _where(trace, EventKind.LIMIT)
    return 0 if endless else len(_where(trace, EventKind.LAND))
