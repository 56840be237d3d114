"""Tournaments: schedule, games under clocks, players of any origin, results on disk, ratings and a report."""
