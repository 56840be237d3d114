"""Games in which seeds jump pits: those out of play (Deka), and those that hold certain numbers (Lamlameta)."""

from mancala_env.games.chosen_directions import DARAMUTI
from mancala_env.games.clauses import FOUR, FOUR_AND_ON, RELAY
from mancala_env.rules import Goal, MarkedPits, Option, Ruleset, Skipping, When, two_rows

OPPONENTS = When(side="opponent", count={3}, from_ply=1).close()
CLOSES = Option(
    "closes",
    "whose pits are closed when a last seed makes them three",
    {"opponents": OPPONENTS, "any": When(count={3}).close()},
    {"opponents": "the opponent's, but not on the first ply", "any": "any"},
)

DEKA = Ruleset(
    people="Yombe, DR Congo",
    source="P. Townshend, Les jeux de mankala au Zaire, au Rwanda et au Burundi, 1977, pp. 12-13; L. Russ, Mancala "
    "Games, 1984",
    about="Pits are closed for good when they come to three. On the real board they lie in a ring round the hole that "
    "swallows seeds due in a closed pit of the opponent. Townshend tells that a three closes any pit, whoever owns it.",
    mark_word="closed",
    options=(CLOSES,),
    seeds=2,
    landing=(When(was="occupied", place={-1}).relay(), OPPONENTS, RELAY),
    marked_pits=MarkedPits.CLOSED,
    goal=Goal.LAST_MOVER,
)

LAMLAMETA = Ruleset(
    people="of Ethiopia",
    source="L. Russ, Mancala Games, 1984",
    about="Seeds pass over the opponent's pits of two, and a capture takes all of these. Russ also restricts what may "
    "be played first, and which pits of two may be lifted; that is left out.",
    board=two_rows(12),
    seeds=2,
    skipping=Skipping(counts={2}, side="opponent", from_ply=1),
    landing=(RELAY, When(side="own", facing={2}).capture("every", every={2}, every_side="opponent")),
)

PUHULMUTU = DARAMUTI.changes(
    about="Seeds pass over pits of three, but a last seed falls into one, makes four and captures them. This is one "
    "round; in those that follow pits are closed that cannot be filled.",
    skipping=Skipping(counts={3}, last=False),
    landing=(FOUR_AND_ON, FOUR, RELAY),
)

KOTU_BAENDUM = PUHULMUTU.changes(
    source="H. Parker, Ancient Ceylon, 1909, pp. 598-599",
    about="As Puhulmutu, with first moves from the ends of the row, where a capture ends the turn.",
    opening=((0, -1), (0, -1)),
    landing=(When(count={4}, place={0, -1}).capture("here"), *PUHULMUTU.landing),
)
