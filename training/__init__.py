"""Commands: ``python -m training.ppo`` learns, ``python -m training.evaluate`` measures what was learned.

``python -m training.zoo`` keeps the agents that ship with the repository.
"""
