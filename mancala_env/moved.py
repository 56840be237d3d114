"""Old names of modules, which work for one release more: as imports, and as ``python -m`` with a line that says so."""

import importlib
import runpy
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import CodeType, ModuleType
from typing import Any

# The old name of a module or package, and the new one; where a file was split, the new ones in which its names stand.
MOVED: dict[str, str | tuple[str, ...]] = {
    "mancala_env.backwards": "mancala_env.retrograde",
    "mancala_env.duel": "mancala_env.versus",
    "mancala_env.fields": "mancala_env.position_fields",
    "mancala_env.rules.diffusion": "mancala_env.games.diffusion",
    "mancala_env.rules.hus": "mancala_env.games.hus",
    "mancala_env.rules.kalah": "mancala_env.games.kalah",
    "mancala_env.rules.layli_goobalay": "mancala_env.games.layli_goobalay",
    "mancala_env.rules.oware": "mancala_env.games.oware",
    "mancala_env.rules.reaping": "mancala_env.games.reaping",
    "mancala_env.statistics": "mancala_env.random_play",
}


def new_name(old: str) -> str | tuple[str, ...] | None:
    """Where a module is now that was called ``old``; None if no such module has moved."""
    if old in MOVED:
        return MOVED[old]
    package, _, rest = old.rpartition(".")
    moved = new_name(package) if package else None
    return f"{moved}.{rest}" if isinstance(moved, str) else None


class _OldName:
    """Loads a module under the name that it had: as itself, or, if it was split, as one that looks into its parts."""

    def __init__(self, new: str | tuple[str, ...]) -> None:
        self._new = new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        parts = [importlib.import_module(name) for name in ([self._new] if isinstance(self._new, str) else self._new)]
        if len(parts) == 1:
            self._own_spec = parts[0].__spec__
            return parts[0]
        module = ModuleType(spec.name, parts[0].__doc__)

        def look(name: str) -> Any:
            for part in parts:
                if hasattr(part, name):
                    return getattr(part, name)
            raise AttributeError(f"module {spec.name!r} has no attribute {name!r}")

        module.__getattr__ = look  # type: ignore[method-assign]
        self._own_spec = spec
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._own_spec  # it was executed under its new name

    def get_code(self, old: str) -> CodeType:
        """What ``python -m`` runs."""
        return compile(f"import mancala_env.moved; mancala_env.moved.run({old!r})", f"<{old}>", "exec")


class _Finder:
    """Finds modules by the names that they had."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        new = new_name(name)
        return None if new is None else ModuleSpec(name, _OldName(new))  # type: ignore[arg-type]


def run(old: str) -> None:
    """Run the command of a module that was called ``old``, and say on stderr what it is called now."""
    new = new_name(old)
    first = new if isinstance(new, str) or new is None else new[0]
    assert first is not None
    command = first.removesuffix(".__main__")
    print(
        f"python -m {old} is called python -m {command} now; the old name goes with the next release", file=sys.stderr
    )
    runpy.run_module(first, run_name="__main__", alter_sys=True)


def install(moved: Mapping[str, str | tuple[str, ...]]) -> None:
    """Let imports find these modules by their old names too."""
    MOVED.update(moved)
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
