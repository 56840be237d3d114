"""How games end, for people: what players are after, the board after the final collection, every reason in words."""

from mancala_env import words
from mancala_env.checks import Positions
from mancala_env.kernels import layout, scores
from mancala_env.rules import Feeding, Goal, Leftover, Match, Ruleset, Stuck, Unfilled, describe

PLAYERS = ("South", "North")
TALLIES = {
    Match.TERRITORY: "pits",
    Match.WINS: "wins",
    Match.DIFFERENCE: "points",
    Match.REFILL: "in reserve",
    Match.POINTS: "points",
}
_NO_MOVE = ("stuck", "famine", "side_empty", "tutti_a_casa")  # names of the end when a mover or a side has nothing left
_WON_ALONE = ("cleared", "standstill")  # ends of a solitaire that are won

ENDINGS = {  # in a few words, for a column of a table; and for those who do not know the game, in a sentence
    "majority": ("more than half won", "a player had more than half of the seeds"),
    "famine": ("nothing to play", "the player to move had no seeds, or could not give the opponent any"),
    "indeterminacy": ("nothing left to capture", "no seed could be captured any more"),
    "repetition": ("position repeated", "the same position came back too often"),
    "max_plies": ("move limit", "as many moves were played as a game may take"),
    "grand_slam": ("all captured", "a player captured all the opponent had, which ends the game"),
    "side_empty": ("row empty", "a player's row was empty"),
    "stuck": ("no legal move", "the player to move could not move"),
    "tutti_a_casa": ("all home", "a player's row was empty"),
    "block_empty": ("block empty", "a player had emptied their block"),
    "match_target": ("match decided", "the match was decided"),
    "max_games": ("all games played", "as many games were played as the match may take"),
    "max_rounds": ("all rounds played", "as many rounds were played as the match may take"),
    "few_seeds": ("few seeds left", "too few seeds were left on the board"),
    "houses_empty": ("houses empty", "the houses were empty"),
    "marks_taken": ("marks taken", "no marked pit was left"),
    "target_seeds": ("enough won", "a player had won enough seeds"),
    "cleared": ("all in the store", "all seeds were in the store"),
    "standstill": ("piles stand still", "the next step would have left the piles as they were"),
    "lost_by_landing": ("last seed lost it", "the last seed fell where it must not"),
    "illegal": ("illegal move", "a player chose a move that is not legal"),
}


def number(value: float) -> str:
    """A number of seeds or points, with halves as people write them: "12", "12½", "½"."""
    whole, rest = divmod(value, 1)
    return f"{int(whole) or ''}½" if rest == 0.5 else f"{value:g}"


def counted(seeds: float) -> str:
    """A number of seeds in words, such as "1 seed" and "2½ seeds"."""
    return f"{number(seeds)} seed{'' if seeds in (0.5, 1) else 's'}"


def swept(rules: Ruleset, array: Positions) -> tuple[float, ...]:
    """Seeds in each pit, then in the stores of South and North, as people see them; whole numbers are ints. In games
    about seeds, at the end, after the final collection: stores hold what ``kernels.scores`` gives, half seeds included,
    and seeds that count for nobody stay where they are. Of a finished match it is the board of its last game."""
    n = rules.board.pits
    seeds = tuple(array[: n + 2].tolist())
    if not array[n + layout.OVER] or rules.goal is not Goal.SEEDS:
        return seeds
    if rules.match is Match.NONE or array[n + layout.OVER] not in layout.ENDS_OF_MATCHES:
        south, north = (int(half) for half in scores.result(array, rules.one_game.rules)[:2])
    else:
        at = rules.fields["match"]
        south, north = int(array[at + layout.LAST]), int(array[at + layout.LAST + 1])
    owed = int(array[rules.fields["debt"]]) if "debt" in rules.fields else 0
    collected = 2 * sum(seeds[pit] for pit in range(n) if pit not in rules.board.nobodys)
    gained, left = south + north - 2 * sum(seeds[n:]), collected
    if gained not in (0, left) or south + 2 * owed < 2 * seeds[n] or north - 2 * owed < 2 * seeds[n + 1]:
        return seeds  # a finished match that was put together by hand, and does not know its last game
    kept = rules.board.nobodys
    pits = tuple(seeds[pit] if pit in kept else 0 for pit in range(n)) if gained else seeds[:n]
    return (*pits, *(doubled // 2 if doubled % 2 == 0 else doubled / 2 for doubled in (south, north)))


def label(reason: str) -> str:
    """An ending in a few words, for tables and choices; what is no ending of a game is only spaced out."""
    return ENDINGS[reason][0] if reason in ENDINGS else reason.replace("_", " ")


def meaning(reason: str, rules: Ruleset | None = None) -> str:
    """What an ending, of ``mancala_env.TERMINATIONS``, means, whoever won, in this game or in any; without a stop."""
    told = ENDINGS[reason][1]
    if rules is None:
        return told
    if reason == "repetition" and rules.repetition:
        told = f"the same position came up for the {words.ordinal(rules.repetition)} time"
    if rules.players == 1:
        return f"{told}, and the solitaire is {'won' if reason in _WON_ALONE else 'lost'}"
    if reason == "side_empty" and rules.goal is Goal.OUTLAST:
        return "a player had no seeds left in play, and loses"
    if reason in ("stuck", "famine") and rules.stuck is Stuck.PASS:
        return "neither player could move"
    if reason == "stuck" and rules.goal in (Goal.LAST_MOVER, Goal.OUTLAST):
        return f"{told}, and loses" + (f", unless {counted(rules.safe_seeds)} save them" if rules.safe_seeds else "")
    if reason == "match_target" and rules.match is not Match.NONE:
        return _reached("a player", rules)
    if reason in ("max_games", "max_rounds"):
        return f"{rules.max_games} {reason.removeprefix('max_')} were played, as many as the match may take"
    return told


def why(rules: Ruleset, array: Positions) -> str:
    """Why the game of a position is over, and where the seeds left on the board went: a sentence without its stop.
    "North's row was empty; the rest went to South". "" while the game runs; of a match, why the match is over."""
    reason = layout.TERMINATIONS[array[rules.board.pits + layout.OVER]]
    if not reason:
        return ""
    if reason in ("max_games", "max_rounds"):
        return f"all {rules.max_games} {reason.removeprefix('max_')} of the match were played"
    if reason == "match_target":
        south, north = _totals(rules, array, over=True)
        return _reached(PLAYERS[south > north if rules.match is Match.REFILL else north > south], rules)
    return "; ".join(filter(None, (_why(reason, rules, array), _rest(reason, rules, array))))


def _why(reason: str, rules: Ruleset, array: Positions) -> str:
    n = rules.board.pits
    mover = int(array[n + layout.MOVER])
    stores = array[n : n + 2].tolist()
    at = rules.fields.get("owner")
    owner = rules.board.owner if at is None else array[at : at + n]
    sides = [sum(int(array[pit]) for pit in range(n) if owner[pit] == player) for player in (0, 1)]
    empty = [player for player in (0, 1) if not sides[player]]
    who, other = PLAYERS[mover], PLAYERS[1 - mover]
    if reason in ("majority", "target_seeds") and stores[0] != stores[1]:
        won = "more than half of the seeds" if reason == "majority" else "won enough seeds"
        return f"{PLAYERS[stores[1] > stores[0]]} had {won}"
    if reason == "grand_slam":
        return f"{other} captured all that {who} had"
    if reason == "block_empty":
        return f"{PLAYERS[empty[0]]} emptied their block first" if len(empty) == 1 else "both blocks were empty"
    if reason in _NO_MOVE and rules.players == 2:
        inner_rows = [array[player * n // 2 + n // 4 : (player + 1) * n // 2] for player in (0, 1)]
        if rules.goal is Goal.INNER_ROW and not all(any(row) for row in inner_rows):
            return f"{PLAYERS[0 if not any(inner_rows[0]) else 1]} had nothing in the inner row, and loses"
        if rules.goal is Goal.OUTLAST and empty:
            loser = f"{PLAYERS[empty[0]]} had no seeds left in play, and loses"
            return loser if len(empty) == 1 else "neither player had seeds left in play"
        if rules.end_check == "any_side" and empty:
            return f"{PLAYERS[empty[0]]}'s row was empty" if len(empty) == 1 else "both rows were empty"
        if rules.stuck is Stuck.PASS:
            return meaning(reason, rules)
        if mover in empty and rules.goal is Goal.SEEDS:
            return f"{who} had no seeds left to play"
        if 1 - mover in empty and rules.feeding is not Feeding.NONE:
            return f"{other} had no seeds, and {who} could not give any"
        loses = rules.goal in (Goal.LAST_MOVER, Goal.OUTLAST, Goal.INNER_ROW)
        is_saved = rules.safe_seeds and stores[mover] >= rules.safe_seeds
        return f"{who} could not move" + (", and loses" if loses and not is_saved else "")
    return meaning(reason, rules)


def _rest(reason: str, rules: Ruleset, array: Positions) -> str:
    n = rules.board.pits
    before, after = array[: n + 2].tolist(), swept(rules, array)
    gains = [after[n + player] - before[n + player] for player in (0, 1)]
    if rules.goal is not Goal.SEEDS or not sum(before[:n]):
        return ""
    if not any(gains):
        return "" if reason in ("majority", "target_seeds") else "what is left on the board is not counted"
    if not all(gains):
        return f"the rest went to {PLAYERS[int(gains[1] > 0)]}"
    is_split = reason == "repetition" and rules.repetition_leftover == "split"
    if is_split or rules.leftover is Leftover.HALVED:
        return "the rest was shared equally"
    return "each player kept the seeds in their own pits"


def _reached(who: str, rules: Ruleset) -> str:
    if rules.match is Match.REFILL:
        missed = "put one in each pit of a row" if rules.unfilled is Unfilled.THINNED else "fill a single pit"
        return f"{who} had too few seeds to {missed}"
    if rules.match is Match.TERRITORY:
        return f"{who} owned {rules.target or 'all'} pits"
    return f"{who} reached {rules.target} {TALLIES[rules.match]}"


def standing(rules: Ruleset, array: Positions) -> str:
    """Where a match stands: "South 2, North 0.5 wins"; of a refill match all seeds of each; "" in other games."""
    if rules.match is Match.NONE:
        return ""
    over = bool(array[rules.board.pits + layout.OVER])
    south, north = _totals(rules, array, over)
    if rules.match is not Match.REFILL or over:
        unit = "seeds" if over and rules.match is Match.REFILL else TALLIES[rules.match]
        return f"South {south:g}, North {north:g} {unit}"
    has = _owned(rules, array)
    kept = f", {south:g} and {north:g} of them in reserve" if min(south, north) >= 0 else ""
    return f"South {has[0]}, North {has[1]} seeds{kept}"


def _owned(rules: Ruleset, array: Positions) -> list[int]:
    """The seeds of each player in a refill match that runs: in reserve, in the store, and in the own pits."""
    n, owner = rules.board.pits, rules.board.owner
    return [
        int(kept + array[n + player] + sum(array[pit] for pit in range(n) if owner[pit] == player))
        for player, kept in enumerate(_totals(rules, array, over=False))
    ]


def aim(rules: Ruleset) -> str:
    """What a player is after, in one sentence: 'Win more seeds than your opponent.'"""
    if rules.match is Match.NONE and rules.goal is not Goal.SEEDS:
        return f"{describe.sentence_of(rules, 'goal')}."
    half = "more than half of the seeds" if rules.majority_stop else ""
    share = words.counted(rules.target_seeds, "seed") if rules.target_seeds else half
    return {
        Match.NONE: f"Be the first to win {share}." if share else "Win more seeds than your opponent.",
        Match.TERRITORY: f"Win seeds that buy you pits of the next game: who owns "
        f"{words.counted(rules.target, 'pit') if rules.target else 'all pits'} wins the match.",
        Match.WINS: f"Be the first to win {words.counted(rules.target, 'game')}.",
        Match.DIFFERENCE: f"Win games by more seeds than your opponent: a lead of {rules.target} seeds in all wins "
        "the match.",
        Match.POINTS: f"Be the first to win {rules.target} seeds, in as many games as it takes.",
        Match.REFILL: "Win seeds game by game, until your opponent has too few to lay out the next one.",
    }[Match.NONE if rules.max_games == 1 else rules.match]


def left_to_win(rules: Ruleset, array: Positions) -> str:
    """What each player still lacks to win: "to win, South needs 2 more wins, North 1"; "" where no number says it."""
    n, match = rules.board.pits, Match.NONE if rules.max_games == 1 else rules.match
    if array[n + layout.OVER] or rules.players == 1:
        return ""
    if match is Match.REFILL:
        owned, least = _owned(rules, array), rules.board.columns if rules.unfilled is Unfilled.THINNED else rules.seeds
        return f"who has fewer than {counted(least)} for the next game has lost; South has {owned[0]}, North {owned[1]}"
    if rules.goal is Goal.EMPTY_BLOCK:
        south, north = (sum(array[pit] for pit in range(n) if rules.board.owner[pit] == player) for player in (0, 1))
        return f"South still has {counted(south)} to clear, North {north}"
    if match is not Match.NONE:
        target, has, unit = rules.target or n, _totals(rules, array, over=False), TALLIES[match].removesuffix("s")
    elif rules.goal is not Goal.SEEDS or not rules.has_stores:
        return ""
    else:
        target, has, unit = rules.target_seeds or int(array[: n + 2].sum()) // 2 + 1, array[n : n + 2].tolist(), "seed"
    lacking = [target - won for won in has]
    plural, (south, north) = "" if lacking[0] in (0.5, 1) else "s", map(number, lacking)
    return f"to win, South needs {south} more {unit}{plural}, North {north}" if min(lacking) > 0 else ""


def _totals(rules: Ruleset, array: Positions, over: bool) -> tuple[float, float]:
    """The tallies of a match; of a refill match the seeds in reserve, or when it is over all seeds."""
    at = rules.fields["match"]
    south, north = (int(tally) for tally in array[at + layout.TALLY : at + layout.TALLY + 2])
    if rules.counts_points:  # these are doubled
        return south / 2, north / 2
    if not over or rules.match is not Match.REFILL:
        return south, north
    return south + int(array[at + layout.LAST]) / 2, north + int(array[at + layout.LAST + 1]) / 2


def outcome(
    winner: int | None,
    points: tuple[float, float] | None = None,
    seat: int | None = None,
    match: Match = Match.NONE,
    players: int = 2,
) -> str:
    """Who won and the final scores: "South wins, 37 to 11", "You lose, 11½ to 36½", "A draw"; of a solitaire "Won". For
    the player in ``seat``, whose points come first, else the winner's. ``match``: of which these are the result."""
    if players == 1 and seat is None:
        return "Lost" if winner else "Won"
    if winner is None:
        won = "A draw" if match is Match.NONE else "The match is a draw"
    else:
        won = f"{PLAYERS[winner]} wins" if seat is None else "You win" if winner == seat else "You lose"
        won += "" if match is Match.NONE else " the match"
    if points is None:
        return won
    own, other = points[::-1] if (winner if seat is None else seat) else points
    if match in (Match.NONE, Match.REFILL):
        return f"{won}, {number(own)} to {number(other)}" + (" seeds" if match is Match.REFILL else "")
    return f"{won}, {own:g} to {other:g} {TALLIES[match]}"
