"""Recorded games that are not played again, each with what our rules lack for it.

``python -m tests.recorded_games.missing`` writes the page of the documentation that lists them.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "recorded_games.md"

LARGE_PIECES = "large pieces that lie in piles with the seeds, where their order counts"
FOUR_PLAYERS = "four players"
FIVE_PLAYERS = "five players"
THREE_PLAYERS = "three players"
SOWN_FROM_THE_STORE = "a turn may sow seeds that a player has taken up or won before"
BEHIND = "captured seeds are laid in the mover's own outer pit of that column, and sown from there"
LONE_SEED = "a turn goes on with a lone seed from an empty pit"
GIVES_ONE = f"{LONE_SEED}, and a player gives a seed to an opponent who has none"
COUNTED = "the number that can be captured changes with each capture, and the program's track names one pit twice"

END_PIT = "captured seeds are laid in an end pit that the mover chooses, and all that lies there is sown"

MISSING = {
    "azigo": SOWN_FROM_THE_STORE,
    "bao": END_PIT,
    "bao_kiswahili_dr_congo": END_PIT,
    "bao_kiswahili_east_africa": END_PIT,
    "bay_khom": "what is won lies in the end pits, from which turns go on",
    "buqruru": "each player chooses one pit, the only one they play, and how many seeds fall in each pit",
    "ceelkoqyuqkoqiji": LARGE_PIECES,
    "ceelkoqyuqkoqiji__equal_cost_observed": LARGE_PIECES,
    "ceelkoqyuqkoqiji__fourteen_holes_observed": LARGE_PIECES,
    "chiana_wa_kunja": "a race of coloured seeds round one ring, in which overtaken seeds change sides",
    "chonka": "the program sows the seeds of both players along the first player's track, past that player's store",
    "choro_lango": BEHIND,
    "dongjintian_four_players": FOUR_PLAYERS,
    "fergen_gobale": "a board of another shape, with pits in its centre of which a player chooses one to own",
    "isolo": "seeds pass over the pits of one column, which can be played and captured all the same",
    "iyogh": SOWN_FROM_THE_STORE,
    "jerin": LONE_SEED,
    "katro": "six rows",
    "kpo__four_players_described": FOUR_PLAYERS,
    "kpo__three_players_observed": THREE_PLAYERS,
    "laomuzhu": LARGE_PIECES,
    "lib_al_aqil": GIVES_ONE,
    "lib_al_ghashim": GIVES_ONE,
    "mangola": "captured seeds are sown from behind the nearest empty pit, and last seeds pass over empty pits",
    "mwendo": FOUR_PLAYERS,
    "mweso": "a lap goes on with captured seeds and with the pit that it had reached as well",
    "ngulungu": "a race round one ring, in which pits that are sown into change sides",
    "okwe_achalla": "a turn sows as many seeds of a pit as the player likes",
    "okwe_nigeria": SOWN_FROM_THE_STORE,
    "omangunta_peeta": "two pits that both players own, and the pit across from the one that is won is won with it",
    "pereauni": BEHIND,
    "pereauni__longarim_topotha_observed": BEHIND,
    "pic": FIVE_PLAYERS,
    "pic__nine_counters_described": FIVE_PLAYERS,
    "quendo": FOUR_PLAYERS,
    "quendo__circular_board_observed": FOUR_PLAYERS,
    "raja_pasu_mandiri": THREE_PLAYERS,
    "sat_gol": "a ring of seven pits that belong to nobody",
    "the_concentration_game": COUNTED,
    "the_concentration_game__five_counters_described": COUNTED,
    "the_concentration_game__four_counters_described": COUNTED,
    "the_concentration_game__three_counters_described": COUNTED,
    "yucebao": LARGE_PIECES,
}


def page(played: int) -> str:
    """The page that lists what is not played again, where so many are."""
    rows = "\n".join(f"| `{name}` | {reason} |" for name, reason in MISSING.items())
    return f"""# Recorded games

Random games of {played + len(MISSING)} of Ludii's sowing games (Ludii 1.3.12, ludii.games, by C. Browne and others)
have been recorded, six of each and of some four more. The records of {played} are in `tests/data/recorded`, and are
played again by the rules of this project, turn by turn: legal moves, the board after each lap, the result. Where a turn
differs, a rule of that program is the reason, and nearly always predicts from position and move exactly what is
recorded; the last lines count these plies, and those that it only allows:

```bash
python -m tests.recorded_games
```

Left out is what a record does not hold or our game does not have: plies that lay the board out, rounds after those that
our game is, and with them the result; the other legal moves of long lists; the board between laps, stores and scores,
where the program keeps them in another way. The entry of each game says which
(`Played` in `tests/recorded_games/replay.py`).

What the other {len(MISSING)} have that our rules cannot say, by the name of the file
(`python -m tests.recorded_games.missing` writes this page):

| file | what is missing |
|---|---|
{rows}
"""


if __name__ == "__main__":
    from tests.recorded_games.games import RECORDED

    PAGE.write_text(page(len(RECORDED)), encoding="utf-8")
    sys.exit()
