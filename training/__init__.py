"""Commands: ``python -m training.ppo`` learns, ``python -m training.evaluate`` measures what was learned.

``python -m training.zoo`` keeps the agents that ship with the repository.
``python -m training.learning_curves`` does both, with several seeds, so that configurations can be compared.
"""
