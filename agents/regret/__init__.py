"""How far from perfect? Seeds lost per move against exact values, and against the best reply to a whole policy."""

from agents.regret.measure import (
    Losses,
    Regret,
    Summary,
    bootstrap_interval,
    fixed_positions,
    measure_regret,
    read_positions,
    regret_bounds,
)
from agents.regret.oracle import Oracle, SolverOracle, TableOracle
from agents.regret.response import Exploitability, Policy, agent_policy, exploitability

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
    "bootstrap_interval",
    "exploitability",
    "fixed_positions",
    "measure_regret",
    "read_positions",
    "regret_bounds",
]
