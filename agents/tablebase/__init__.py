"""Endgame tables of Oware, Kalah and their relatives: perfect play where few seeds are left.

Build them with ``mancala solve tables build awari --seeds-on-board 12 --out tables/``, look positions up with
``Tablebase("tables", rules)``. Kalah, where no position comes back, is searched to the end, for the
others the method is retrograde analysis (``kernel``), as for the published databases of awari: T. R. Lincke, "Exploring
the Computational Limits of Large Exhaustive Search Problems", ETH Zürich 2002; J. W. Romein and H. E. Bal, "Solving
Awari with Parallel Retrograde Analysis", IEEE Computer 36(10), 2003.
"""

from agents.tablebase.files import DamagedTable
from agents.tablebase.retrograde import build
from agents.tablebase.table import Tablebase

__all__ = ["DamagedTable", "Tablebase", "build"]
