"""Building opening books: ``mancala solve book build oware --out oware.book --minutes 60``."""
