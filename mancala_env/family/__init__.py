"""Learning across the family: one format of observations and actions for all games, and batches that mix games."""

from mancala_env.family.batch import FamilyBatch, observe
from mancala_env.family.format import DIGEST, SIZES, VERSION, Sizes, StaticFeatures, needed, static_features

__all__ = [
    "DIGEST", "SIZES", "VERSION", "FamilyBatch", "Sizes", "StaticFeatures", "needed", "observe", "static_features",
]  # fmt: skip
