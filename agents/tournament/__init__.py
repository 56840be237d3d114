"""Tournaments: schedule, games under clocks between agents and programs, results on disk, ratings and a report."""
