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
        "first": "Pits {own} are yours. Choose one: its seeds fall one by one into the pits that follow. "
        "A last seed that makes two or three across takes them.",
        "capture": "{move} takes {seeds} from {pits}. Pits of two or three before the last one go with it.",
        "poor": "Your row is nearly empty, {mine} against {theirs}. Small moves, first from {last}, keep you in play.",
        "quiet": "Nothing can be taken now. Which pit could take next turn? Follow each to its last seed.",
        "calm": "Nothing of yours can be taken as the board stands. It is time to let a pit grow.",
    },
    "kalah": {
        "first": "Pits {own} are yours. Choose one: its seeds fall one by one into the pits that follow. "
        "A last seed in your own store gives another turn.",
        "again": "There is another turn for {moves}. Take such turns first, and capture after them.",
        "capture": "{move} ends in an empty pit of yours and takes {seeds} across, from {pits}.",
        "poor": "Your row is nearly empty, {mine} against {theirs}. A row that is empty ends the game.",
        "quiet": "Nothing can be taken now. Look for an empty pit of yours across from many seeds.",
    },
    "toguz": {
        "first": "Pits {own} are yours: choose one to sow. A last seed that makes a pit across even takes it.",
        "mark": "{move} makes three in {marked}, which becomes your tuz: each seed that falls there is then yours.",
        "capture": "{move} takes {seeds}, from {pits}: the most that a move takes here.",
        "quiet": "Nothing can be taken now. Which pit could end in an odd one of the opponent next turn?",
    },
    "sungka": {
        "first": "Pits {own} are yours: choose one. A last seed among others goes on; one in the store moves again.",
        "again": "There is another turn for {moves}. Begin with it: whatever else you see can follow.",
        "capture": "{move} ends in an empty pit of yours and takes {seeds} across, from {pits}.",
        "relay": "{move} goes on for {laps} laps. Each time it passes your store a seed falls in.",
        "quiet": "Nothing can be taken now. Look for the move that drops the most seeds in your store.",
    },
    "hus": {
        "first": "Two rows are yours: choose a pit. A last seed among others goes on with them, or with those across.",
        "capture": "{move} takes {seeds} from {pits}, and sows them on your side.",
        "relay": "{move} goes on for {laps} laps. Follow it: it should end where little can be taken.",
        "quiet": "Nothing can be taken now. An empty inner pit protects the outer one behind it.",
    },
    "bao_kiswahili": {
        "first": "You lay one of {hand} in an inner pit that holds some; those across are taken and sown on.",
        "must": "Whatever you play captures, as it must where it can. {move} takes the most, {seeds}.",
        "relay": "{move} goes on for {laps} laps. Follow it: where does it end, and what has it taken by then?",
        "house": "You have {hand} in hand. The house, at first your pit of six, is worth keeping.",
        "quiet": "No move captures here. Such a turn spreads your seeds: bring them where they face others.",
    },
    "tchuka_ruma": {
        "first": "Choose a pit. A last seed in the store moves again, among others goes on, in an empty pit loses.",
        "lose": "{moves} would lose at once. Count before you lift.",
        "again": "The last seed falls into the store from {moves}. After it you need such a move again.",
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
    won, lost = state.stores[:: 1 - 2 * player]
    mine, hand = sum(state.pits[pit] for pit in own), state.reserve[player]
    theirs, half = sum(state.pits) - mine, (sum(state.pits) + won + lost) // 2 + 1
    numbers = {"mine": mine, "theirs": theirs, "won": won, "lost": lost, "hand": hand, "half": half}
    always = {name: counted(seeds, "seed") for name, seeds in numbers.items()} | {"last": names[own[-1]]}
    ends = {name: state.play(state.parse_move(name)) for name in moves}
    wins, loses = ([name for name, end in ends.items() if end.winner == who] for who in (player, 1 - player))
    again = [name for name in moves if _where(moves[name], EventKind.AGAIN) and ends[name].player == player]
    marks = {name: names[pit] for name in moves for pit in _where(moves[name], EventKind.MARK)}
    laps, longest = max((_laps(trace), name) for name, trace in moves.items())
    threat, capture = _threat(state), _capture(state, moves)
    must = all(_taken(trace, state) for trace in moves.values())
    found: tuple[tuple[str, object, dict[str, str]], ...] = (
        ("win", wins, {"move": joined(wins[:1])}),
        ("lose", loses, {"moves": joined(loses, "or")}),
        ("must", must, capture),
        ("again", again, {"moves": joined(again, "or")}),
        ("mark", marks, {"move": joined([*marks][:1]), "marked": joined([*marks.values()][:1])}),
        ("capture", capture, capture),
        ("threat", threat, threat),
        ("relay", laps >= LONG, {"move": longest, "laps": number(laps)}),
        ("poor", 3 * mine < theirs, {}),
        ("quiet", not capture, {}),
        ("calm", not threat, {}),
        ("house", hand and state.stronghold[player], {}),
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
    turned = State.from_array(state.rules, array)
    return _capture(turned, _moves(turned))


def _capture(state: State, moves: dict[str, Trace]) -> dict[str, str]:
    """The move that takes the most from the opponent, in words; {} if none takes anything."""
    taken = {name: _taken(trace, state) for name, trace in moves.items()}
    best = max(taken, key=lambda name: sum(taken[name].values()), default="")
    if not taken.get(best):
        return {}
    pits = joined([state.rules.board.names[pit] for pit in taken[best]])
    return {"move": best, "seeds": counted(sum(taken[best].values()), "seed"), "pits": pits}


def _taken(trace: Trace, state: State) -> dict[int, int]:
    """Seeds that a move takes out of pits of the opponent; those that fall on a mark only pass through."""
    pits = [pit for pit, owner in enumerate(state.owner) if owner != trace.player and state.marks[pit] < 0]
    taken: dict[int, int] = {}
    for kind, pit, _, seeds, _ in trace.events:
        if kind is EventKind.TAKE and pit is not None and pit in pits:
            taken[pit] = taken.get(pit, 0) + seeds
    return taken


def _where(trace: Trace, kind: EventKind) -> list[int]:
    """Where something happens in a move, as often as it does; pit 0 for what happens nowhere in particular."""
    return [event.target or 0 for event in trace.events if event.kind is kind]


def _laps(trace: Trace) -> int:
    """The laps of a move; 0 if it would go on for ever."""
    endless = _where(trace, EventKind.ROUNDS) or _where(trace, EventKind.LIMIT)
    return 0 if endless else len(_where(trace, EventKind.LAND))
