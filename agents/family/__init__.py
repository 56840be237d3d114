"""The benchmark "learning across the family": games to train on, games to be measured on, and one score over all."""
