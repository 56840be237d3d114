"""Recorded games of other programs played again by ours: ``python -m tests.recorded_games [FILE...]``.

``records`` reads the files, ``places`` finds our pits on their boards, ``replay`` compares turn by turn, and ``games``
is the table that says by which rules of ours each game is played: a new game is one line of ``games.toml``, which names
what is in ``readings`` (records that say things in another way) and ``explained`` (other rules of the program)."""
