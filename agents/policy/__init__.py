"""Trained policies: the network, its file, its model card, and the agents that ask it. Only some of it needs torch."""
