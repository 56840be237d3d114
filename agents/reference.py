"""Reference opponents, which never change, so that scores can be compared from year to year.

``make_agent`` takes their names. What a name means is fixed for ever: a better definition gets the next version,
``v2-...``, and this one stays.
"""

# Plies of alpha-beta on the margin in seeds (in games that are not about seeds on the heuristic ``margin`` in
# ``mancala_env.kernels.scores``), an extra turn being a ply, with uniform choice among all actions of the highest
# value. None: uniform choice among all legal actions.
REFERENCE: dict[str, int | None] = {
    "v1-random": None,
    "v1-depth1": 1,
    "v1-depth2": 2,
    "v1-depth4": 4,
    "v1-depth6": 6,
    "v1-depth8": 8,
}

# What people call them, and agents that score half of the points or more against them.
LEVELS: dict[str, str] = {
    "v1-random": "Beginner",
    "v1-depth1": "Beginner",
    "v1-depth2": "Casual",
    "v1-depth4": "Club",
    "v1-depth6": "Expert",
    "v1-depth8": "Master",
}
