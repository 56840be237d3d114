"""Arrays in one safetensors file whose header says what they are: learned evaluations, books, endgame tables."""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from agents import reading
from agents.provenance import rules_digest, write_bytes
from mancala_env import __version__
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain

_KINDS = {np.dtype(dtype): kind for kind, dtype in reading.DTYPES.items()}
_T = TypeVar("_T")


class Kind(NamedTuple):
    """A kind of file: the key of its header, its name, its most bytes, what mends a damaged one, its error, format."""

    key: str
    what: str
    most: int
    remedy: str
    error: type[ValueError] = ValueError
    format: int = 1


class Unasked(ValueError):
    """A file is whole, and needs something that was not asked for; the message says all there is to say."""


def about(rules: Ruleset, digest: str) -> dict[str, Any]:
    """What the header of a file that belongs to a game says of it, and of the numbers in it; for ``game_of``."""
    said: dict[str, Any] = {"rules": rules.name, "ruleset": as_plain(rules), "rules_sha256": rules_digest(rules)}
    return said | {"sha256": digest}


def save(path: str | os.PathLike[str], kind: Kind, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a file in one step. Raises ValueError if it is too large, OSError if it cannot be written."""
    whole = {"format": kind.format, "package": f"mancala_env {__version__}", **header}
    said: dict[str, Any] = {"__metadata__": {kind.key: json.dumps(whole)}}
    parts, end = [], 0
    for name, array in arrays.items():
        part = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        said[name] = {"dtype": _KINDS[part.dtype], "shape": array.shape, "data_offsets": [end, end + part.nbytes]}
        parts.append(part.data)
        end += part.nbytes
    text = json.dumps(said).encode()
    text += b" " * (-len(text) % 8)
    content = b"".join([len(text).to_bytes(8, "little"), text, *parts])
    if len(content) > kind.most:
        raise ValueError(f"{kind.what} has at most {kind.most:,} bytes, and this one would have {len(content):,}")
    write_bytes(Path(path), content)


def load(path: Path, kind: Kind, make: Callable[[dict[str, Any], dict[str, Any]], _T]) -> _T:
    """What ``make`` makes of the header and the read-only arrays of a file; the kind's error, in a line, if unfit."""
    try:
        with path.open("rb") as file:
            if file.seek(0, os.SEEK_END) > kind.most:
                raise ValueError(f"it has more than {kind.most:,} bytes")
            metadata, arrays = reading.tensors_of(file)
        if kind.key not in metadata:
            raise ValueError(f"it is not {kind.what} of mancala_env")
        header = reading.json_object(metadata[kind.key])
        if header["format"] != kind.format:
            raise ValueError(f"its format is {header['format']!r}, and this version reads {kind.format}")
        return make(header, arrays)
    except Unasked:
        raise
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError, RuntimeError) as error:
        why = f"it lacks {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
        raise kind.error(f"{path} cannot be read as {kind.what}: {why}; {kind.remedy}") from None


def game_of(header: Mapping[str, Any]) -> Ruleset:
    """The game that a file belongs to. Raises ValueError if its rules have changed."""
    rules = ruleset(header["ruleset"])
    if header["rules_sha256"] != rules_digest(rules):
        raise ValueError(f"the rules of {rules.name} have changed since it was made")
    return rules


def digest_of(arrays: Mapping[str, Any]) -> str:
    """A digest of all numbers in arrays, in hexadecimal."""
    made = hashlib.sha256()
    for name in sorted(arrays):
        made.update(name.encode())
        made.update(np.ascontiguousarray(arrays[name], dtype=arrays[name].dtype.newbyteorder("<")).data)
    return made.hexdigest()


def check_digest(digest: str, header: Mapping[str, Any]) -> None:
    """Raise ValueError unless the numbers in a file are those that were written."""
    if digest != header["sha256"]:
        raise ValueError("its numbers have changed since they were written")
