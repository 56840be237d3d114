"""What worker processes of every command do."""

import contextlib
import multiprocessing
import os
import signal


def die_with_parent() -> None:
    """However the process ends that started this one, this one is then sent SIGTERM too (Linux only).

    To be called in a process that ``multiprocessing`` started.
    """
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
        parent = multiprocessing.parent_process()
        if parent is not None and os.getppid() != parent.pid:  # it has ended before that was arranged
            os.kill(os.getpid(), signal.SIGTERM)
