"""Commands: ``mancala train ppo`` trains a policy by self-play, ``mancala evaluate`` scores it.

``mancala train alphazero`` trains one by tree search, ``mancala train distill`` one that plays as another
does without seeing as much, ``mancala train zoo`` adds and lists the agents that ship with the repository,
``mancala train experiment`` trains and scores variants with several seeds, so that they can be compared.
"""
