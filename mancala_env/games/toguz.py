"""Toguz Korgool, a sport of Kyrgyzstan and Kazakhstan: even pits are captured, and a three becomes a tuz."""

from mancala_env.rules import Leave, MarkedPits, Ruleset, When, two_rows

TOGUZ = Ruleset(
    name="toguz",
    region="Central Asia",
    people="Kyrgyz, Kazakhs and Altai",
    source="World Nomad Games, Toguz Korgool; playstrategy.org, Togyzqumalaq",
    about="Toguz Korgool, in Kazakhstan Toguz Kumalak, 'nine pebbles': two rows of nine pits with nine seeds each. "
    "Leave one seed in the pit you play and sow the others counter-clockwise; a seed that lies alone moves to the next "
    "pit. If the last seed makes a pit of the opponent even, you take all of it. If it makes one three, you take these "
    "and the pit becomes your tuz: all seeds that fall there later are yours at once, whoever sows them, and nobody "
    "lifts it. A player has one tuz at most, not in the opponent's ninth pit, and not in the pit with the same number "
    "as the opponent's tuz. The first to win more than 81 of the 162 seeds wins. Where the player to move has no seeds "
    "the other takes the rest, which is all in the other's row.",
    mark_word="tuz",
    board=two_rows(9),
    seeds=9,
    leave=Leave.FIRST_LAP,
    landing=(
        When(side="opponent", marked=False, count={3}).capture("here").mark("here"),
        When(side="opponent", marked=False, count="even").capture("here"),
    ),
    mark_limit=1,
    marked_pits=MarkedPits.COLLECT,
    mirrored_marks=False,
    unmarkable=(-1,),
    majority_stop=True,
)

GAMES = (TOGUZ,)
