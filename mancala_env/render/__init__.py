"""Pictures of a position: text, SVG and pixels, drawn from a ruleset and a row alone."""
