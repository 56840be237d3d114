"""Little engines in plain Python that speak foreign protocols and play at random: they know nothing of this project."""
