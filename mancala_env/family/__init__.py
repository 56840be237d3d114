"""Learning across the family: one format of observations and actions for all games, and batches that mix games."""

from mancala_env.family.batch import FamilyBatch, observe
from mancala_env.family.format import DIGEST, SIZES, VERSION, Sizes, Told, needed, tell

__all__ = ["DIGEST", "SIZES", "VERSION", "FamilyBatch", "Sizes", "Told", "needed", "observe", "tell"]
