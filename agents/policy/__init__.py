"""Trained policies: the network, its file, its model card, and the agents that use it. Not all of it needs torch."""
