"""Arrays that belong to a ruleset, in one safetensors file that says what they are: learned evaluations and books."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents import reading
from agents.provenance import rules_digest, write_bytes
from mancala_env import __version__
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain

FORMAT = 1


class Kind(NamedTuple):
    """A kind of file: the key of its header, its name, its most bytes, what mends a damaged one, and its error."""

    key: str
    what: str
    most: int
    remedy: str
    error: type[ValueError] = ValueError


def save(path: str | os.PathLike[str], kind: Kind, made: Any, arrays: Mapping[str, Any], **more: Any) -> None:
    """Write a file in one step; its header holds the rules, a digest and ``more``. ValueError if it is too large."""
    from safetensors.numpy import save

    header = {
        "format": FORMAT,
        "package": f"mancala_env {__version__}",
        "rules": made.rules.name,
        "ruleset": as_plain(made.rules),
        "rules_sha256": rules_digest(made.rules),
        "sha256": made.digest,
        **more,
    }
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    content = save(whole, metadata={kind.key: json.dumps(header)})
    if len(content) > kind.most:
        raise ValueError(f"{kind.what} has at most {kind.most:,} bytes, and this one would have {len(content):,}")
    write_bytes(Path(path), content)


def load(path: Path, kind: Kind, make: Callable[[Ruleset, dict[str, Any], dict[str, Any]], Any]) -> Any:
    """What ``make`` makes of rules, header and read-only arrays of a file; the kind's error, in a line, if unfit."""
    try:
        with path.open("rb") as file:
            if file.seek(0, os.SEEK_END) > kind.most:
                raise ValueError(f"it has more than {kind.most:,} bytes")
            metadata, arrays = reading.tensors_of(file)
        if kind.key not in metadata:
            raise ValueError(f"it is not {kind.what} of mancala_env")
        header = reading.json_object(metadata[kind.key])
        if header["format"] != FORMAT:
            raise ValueError(f"its format is {header['format']!r}, and this version reads {FORMAT}")
        rules = ruleset(header["ruleset"])
        if header["rules_sha256"] != rules_digest(rules):
            raise ValueError(f"the rules of {rules.name} have changed since it was made")
        made = make(rules, header, arrays)
        if made.digest != header["sha256"]:
            raise ValueError("its numbers have changed since they were written")
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise kind.error(f"{path} cannot be read as {kind.what}: {why}; {kind.remedy}") from None
    return made
