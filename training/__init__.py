"""Commands that learn, and that measure what was learned: ``python -m training.ppo``, ``python -m training.evaluate``."""
