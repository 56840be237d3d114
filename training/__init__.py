"""Train, score and export policies: ``mancala train ppo``, ``alphazero``, ``distill``, ``evaluation``, ``zoo``,
``experiment``, and ``mancala evaluate``."""
