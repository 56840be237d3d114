"""Examples: other protocols and players in front of the bots' own protocol, each a program of its own."""
