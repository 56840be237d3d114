"""How good is an agent? Matches in pairs, openings, and one place for every interval, Elo difference and test."""

from agents.evaluation.match import Result, evaluate
from agents.evaluation.openings import Balance
from agents.evaluation.statistics import RESAMPLES, bootstrap_interval, interquartile_mean, score_interval

__all__ = ["RESAMPLES", "Balance", "Result", "bootstrap_interval", "evaluate", "interquartile_mean", "score_interval"]
