"""Which build of a kernel plays a ruleset: its own, with the rules as constants, or the general one."""

import contextlib
import hashlib
import sys
import tempfile
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from mancala_env.kernels import specialise
from mancala_env.kernels.compilers import AHEAD


class Builds:
    """What ``ready`` makes of a kernel's build for each ruleset, by its axes, so that a game played with altered rules
    has another; and of the kernel itself, the general build. That is slower, and takes the time of six others to make:
    it is made after the first ``FEW`` rulesets with nothing on disk, as anything played much, have got their own."""

    FEW = 5

    def __init__(self, kernel: Any, ready: Callable[[Any], Any] = lambda build: build) -> None:
        self._kernel, self._ready, self._name = kernel, ready, kernel.__name__
        self._made: dict[str, Any] = {}
        self._new = 0  # builds for one ruleset that were not on disk
        # Is there when a process has made the general build; beside all compiled kernels.
        self._marker = Path(getattr(kernel, "folder", ""), f"{self._name}.compiled")

    def of(self, axes: Any, much: bool = False) -> Any:
        """The build that plays by these axes."""
        name = f"{self._name}_{hashlib.sha256(axes.tobytes()).hexdigest()[:16]}"
        if name not in self._made:
            build = self._load(name, axes, much) if AHEAD is None else AHEAD.own(self._kernel, name)
            if build is None:
                return self.general()
            self._made[name] = self._ready(build)
        return self._made[name]

    def _load(self, name: str, axes: Any, much: bool) -> Any:
        """The kernel of a module for one ruleset, which is written if need be; None if there is to be none."""
        file = self._marker.with_name(f"{name}.source")
        if not file.exists():
            if not much and (self._new >= self.FEW or self._marker.exists()):
                return None
            self._new += 1
            try:
                with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False) as written:
                    written.write(specialise.source(self._kernel, axes))
                Path(written.name).replace(file)  # whole, or not at all
            except OSError:  # nothing can be written where kernels lie
                return None
        module = sys.modules[name] = ModuleType(name)  # compiled code that is loaded looks for it
        SourceFileLoader(name, str(file)).exec_module(module)
        return getattr(module, self._name)

    def general(self) -> Any:
        """The build that plays by any rules."""
        if self._name not in self._made:
            self._made[self._name] = self._ready(self._kernel)
            if AHEAD is None:
                with contextlib.suppress(OSError):  # kernels may lie where nothing can be written
                    self._marker.touch()
        return self._made[self._name]
