"""Commands: ``python -m training.ppo`` trains a policy by self-play, ``python -m training.evaluate`` scores it.

``python -m training.alphazero`` trains one by tree search, ``python -m training.distill`` one that plays as another
does without seeing as much, ``python -m training.zoo`` adds and lists the agents that ship with the repository,
``python -m training.experiment`` trains and scores variants with several seeds, so that they can be compared,
``python -m training.controls`` says what policies owe to inputs that look ahead.
"""
