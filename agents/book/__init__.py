"""Building opening books: ``mancala solve book build oware --out oware.book --minutes 60``."""

from agents.book.expansion import Expansion

__all__ = ["Expansion"]
