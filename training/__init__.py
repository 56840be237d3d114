"""Commands: ``python -m training.ppo`` learns, ``python -m training.evaluate`` measures what was learned."""
