"""Clauses of the landing table that games of many families share."""

from mancala_env.rules import When

AGAIN = When(store="own").again()
RELAY = When(was="occupied").relay()
FOUR = When(count={4}).capture("here")
ACROSS = When(side="own", facing="occupied").capture("facing")  # the last seed stays
BOTH_FULL = When(was="occupied", facing="occupied", outer="occupied")  # of four rows: here, and both pits across
