"""Clauses of the landing table, and sources, that games of many families share."""

from mancala_env.rules import When

AGAIN = When(store="own").again()
RELAY = When(was="occupied").relay()
RELAY_NEXT = When(next="occupied").relay("next")
FOUR = When(count={4}).capture("here")
ACROSS = When(side="own", facing="occupied").capture("facing")  # the last seed stays
ACROSS_WITH_LAST = When(side="own", facing="occupied").capture("here", "facing")
BEYOND = When(next2="occupied").capture("next2")
BOTH_FULL = When(was="occupied", facing="occupied", outer="occupied")  # of four rows: here, and both pits across

MURRAY = "H. J. R. Murray, A History of Board-Games Other than Chess, 1951"
PANKHURST = "R. Pankhurst, Gabata and Related Board-Games of Ethiopia and the Horn of Africa, 1971"
