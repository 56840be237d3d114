"""Commands: ``python -m training.ppo`` trains a policy by self-play, ``python -m training.evaluate`` scores it.

``python -m training.alphazero`` trains one by tree search, ``python -m training.zoo`` adds and lists the agents that
ship with the repository, ``python -m training.learning_curves`` trains and scores with several seeds, so that
configurations can be compared.
"""
