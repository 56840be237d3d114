"""What a misspelt name may have meant."""

import difflib
from collections.abc import Iterable


def did_you_mean(asked: str, known: Iterable[str]) -> str:
    """``did you mean 'kalah'?`` with the one of ``known`` that is spelt most like what was asked for; "" if none is.

    Examples
    --------
    >>> did_you_mean("lenght", ["name", "length"])
    "did you mean 'length'?"
    """
    near = difflib.get_close_matches(asked, list(known), n=1)
    return f"did you mean {near[0]!r}?" if near else ""
