"""Games that are played by hand, as rows of a table: rules, a position, then what holds there and what is played.

A row is a sentence, the rules, ``at(...)`` with the arguments of ``Ruleset.position``, or ``START``, and steps: a dict
says what holds, an action, or ``sow(pit)``, is played. Keys of a dict are attributes of the State, or ``LOOKS``.
"""

import numpy as np

START = None


def at(*fields, **more):
    """A position, by the arguments of ``Ruleset.position``."""
    return fields, more


def sow(pit):
    """The action of the mover that plays this pit."""
    return lambda state: state.rules.action(state.player, pit)


def legal_pits(state):
    """The pits of the legal actions; None for passing."""
    return [state.pit(action) for action in state.legal_actions]


LOOKS = {  # besides attributes
    "north": lambda state: state.pits[6:],
    "south": lambda state: state.pits[:6],
    "legal_pits": legal_pits,
    "str": str,
}


def check(rules, start, *steps):
    """Play a row of a table, which says what holds at least once."""
    assert any(isinstance(step, dict) for step in steps)
    state = rules.start() if start is START else rules.position(*start[0], **start[1])
    for step in steps:
        if not isinstance(step, dict):
            state = state.play(step(state) if callable(step) else step)
            continue
        found = {name: LOOKS[name](state) if name in LOOKS else getattr(state, name) for name in step}
        assert {name: each.tolist() if isinstance(each, np.ndarray) else each for name, each in found.items()} == step
