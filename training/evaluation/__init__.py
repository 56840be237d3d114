"""Learn an evaluation for the compiled search: ``mancala train evaluation --rules oware``.

A search that looks a few plies ahead plays many games with itself; what it expects of the positions that it meets, and
how their games ended, is what the evaluation learns. The next round is played by a search with that evaluation, so that
what is a few plies ahead moves into it, round by round (temporal differences over a search: Baxter, Tridgell and
Weaver, "Learning to play chess using temporal differences", Machine Learning 40, 2000). Weights are learnt in floats
with torch and written as whole numbers (``agents.search.evaluation``), by which search needs no torch.
"""

from training.evaluation.config import EvaluationConfig
from training.evaluation.trainer import TrainedEvaluation, main, train

__all__ = ["EvaluationConfig", "TrainedEvaluation", "main", "train"]
