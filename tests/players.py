"""Players for the tests of tournaments, in a file that worker processes import fast."""

import os
import signal
import time

from agents import RandomAgent
from agents.tournament.store import Store
from tests.processes import wait_until


class Slow(RandomAgent):
    """Plays the last legal action, in no hurry, and is asked for one at a time."""

    def act_positions(self, *arguments):
        raise AssertionError("not asked for many games")

    batched = False

    def __init__(self, seconds):
        super().__init__(name="slow")
        self.seconds = seconds

    def act(self, state):
        time.sleep(self.seconds)
        return int(state.legal_actions[-1])


class Deadly(Slow):
    """Kills its process at the first move of a game, as long as a file is not there; writes it if it is to."""

    def __init__(self, file, once):
        super().__init__(0.0)
        self.file, self.once = file, once

    def act(self, state):
        if not self.file.exists():
            if self.once:
                self.file.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().act(state)


class Habit(Slow):
    """Plays the legal action at its place of the list, so that its games show who played them; may be broken."""

    def __init__(self, place, broken=False):
        super().__init__(0.0)
        self.place, self.broken = place, broken

    def act(self, state):
        if self.broken:
            raise RuntimeError("not mended yet")
        return state.legal_actions[self.place % len(state.legal_actions)]


class Looking(Slow):
    """Goes on with its second game when the first one is on the disk."""

    games = 0

    def __init__(self, path):
        super().__init__(0.0)
        self.path, self.games = path, 0

    def reset(self, seed):
        self.games += 1

    def act(self, state):
        if self.games == 2 and state.ply < 10:
            wait_until(lambda: self.stored() == 1)
        return super().act(state)

    def stored(self):
        with Store(self.path) as store:
            return len(store)
