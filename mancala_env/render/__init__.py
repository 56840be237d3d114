"""Pictures of a position in text, SVG and pixels, drawn from a ruleset and the position alone."""
