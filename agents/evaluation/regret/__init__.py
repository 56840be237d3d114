"""Distance from perfect play: seeds lost per move compared with exact values, and to the best reply to a policy."""

from agents.evaluation.regret.measure import Losses, Regret, Summary, fixed_positions, measure_regret, regret_bounds
from agents.evaluation.regret.oracle import Oracle, SolverOracle, TableOracle
from agents.evaluation.regret.response import Exploitability, Policy, agent_policy, exploitability

__all__ = [
    "Exploitability",
    "Losses",
    "Oracle",
    "Policy",
    "Regret",
    "SolverOracle",
    "Summary",
    "TableOracle",
    "agent_policy",
    "exploitability",
    "fixed_positions",
    "measure_regret",
    "regret_bounds",
]
