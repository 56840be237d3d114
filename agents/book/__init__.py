"""Building opening books: ``python -m agents.book build oware --out oware.book --minutes 60``."""

from agents.book.expansion import Expansion

__all__ = ["Expansion"]
