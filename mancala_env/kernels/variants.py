"""The engine for any rules in two variants: for rules that may use every axis, and for those that need few of them.

Most axes are for some games only. Where a kernel asks ``every_axis(any_rules)`` before it looks at them, the answer
follows from the type of ``any_rules``, and what stands after it is not even compiled in the variant that does without.
Only a move is played in two variants: other kernels call it by its address, and know one kind of any rules.
So what is added for one kind of games costs those of ``layout.is_basic`` no time, neither to compile nor to play.
"""

from typing import Any

from mancala_env.kernels.compilers import overload, types

BASIC = types.uint64  # what ``any_rules`` holds in the variant for basic rules


def every_axis(any_rules: Any) -> bool:
    """May the rules use every axis? Not on the fast path, where ``any_rules`` is None, nor if they are basic."""
    return any_rules is not None


def _by_type(kind: Any) -> bool:
    return not (isinstance(kind, types.NoneType) or getattr(kind, "dtype", None) == BASIC)


every_axis.by_type = _by_type  # type: ignore[attr-defined]  # for ``linking``, which leaves out what is not asked for


@overload(every_axis)
def _every_axis(any_rules):  # without annotations: Numba compares them with those of what it returns
    if _by_type(any_rules):
        return lambda any_rules: True
    return lambda any_rules: False
