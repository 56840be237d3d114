"""Distance from perfect play: seeds lost per move compared with exact values, and to the best reply to a policy."""

from agents.evaluation.regret.measure import Oracle, SolverOracle, TableOracle, fixed_positions, measure_regret
from agents.evaluation.regret.response import agent_policy, exploitability

__all__ = [
    "Oracle", "SolverOracle", "TableOracle", "agent_policy", "exploitability", "fixed_positions", "measure_regret",
]  # fmt: skip
