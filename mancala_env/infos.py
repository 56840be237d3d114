"""The ``infos`` of the environments: arrays only, with the same keys, shapes and dtypes at every step, for trainers
stack them; words are given as codes of ``TERMINATIONS``. The position itself (``env.position``) has the same facts in
words, and in matches the games that have ended (``State.games``).

- action_mask : int8[A], the legal actions, all 0 at the end and for who is not to move
- termination : int8[], why the game ended, a code of ``TERMINATIONS``; 0 while it goes on
- seat, length : int8[] and int64[], a learner's seat, and its decisions so far
- result, margin : float32[], +1 / 0 / -1 for a learner and its lead (``mancala_env.rewards``); 0 before the end
- illegal : bool[], whether a learner has lost by an illegal action

The environment of PettingZoo has the mask and the termination; a learner's has all."""

from mancala_env.kernels import layout

TERMINATIONS = (*layout.TERMINATIONS, "illegal")
"""The reasons why games end, by their codes in infos: 0, the empty word, while a game is running; -1 (no index) after
an illegal action; the rest as ``State.termination``."""
ILLEGAL = TERMINATIONS.index("illegal") - len(TERMINATIONS)
