"""Reading what others wrote, JSON and the headers of safetensors files: it ends in a value or in a ValueError, in
memory that the size of the file bounds."""

import json
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

MAX_BYTES = 64 << 20  # of a JSON file
MAX_DEPTH = 100  # levels of nested lists and objects
MAX_VALUES = 5_000_000
MAX_HEADER = 4 << 20  # bytes of the header of a safetensors file
_TOO_DEEP = f"its lists and objects are nested more than {MAX_DEPTH} deep"
DTYPES = {  # of safetensors files, by the names that these have for them
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "F16": "<f2", "U32": "<u4", "I32": "<i4",
    "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8",
}  # fmt: skip
_BYTES = {"BF16": 2, **{kind: np.dtype(dtype).itemsize for kind, dtype in DTYPES.items()}}


def json_value(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError if it is not JSON, or nested more than ``MAX_DEPTH`` deep."""
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    check_nesting(value)
    return value


def check_nesting(value: Any) -> None:
    """Raise ValueError if lists and dictionaries (of YAML, say, where a list may hold itself) are nested more than
    ``MAX_DEPTH`` deep, or hold too many values."""
    level, depth, count = [value], 0, 0
    while level:
        inner: list[Any] = []
        for each in level:
            if isinstance(each, dict | list):
                inner.extend(each.values() if isinstance(each, dict) else each)
                if count + len(inner) > MAX_VALUES:
                    raise ValueError(f"it holds more than {MAX_VALUES:,} values")
        level, depth, count = inner, depth + 1, count + len(inner)
        if depth > MAX_DEPTH:
            raise ValueError(_TOO_DEEP)


def json_object(text: str | bytes) -> dict[str, Any]:
    """The object of a JSON text, as a dict. Raises ValueError if the text is anything else."""
    value = json_value(text)
    if not isinstance(value, dict):
        raise ValueError(f"it is no JSON object, but a {type(value).__name__}")
    return value


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object that a file holds. OSError, or ValueError for anything else, or more than ``MAX_BYTES``."""
    with path.open("rb") as file:
        text = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise ValueError(f"it has more than {MAX_BYTES >> 20} MiB")
    return json_object(text)


class Tensor(NamedTuple):
    """A tensor as the header of a safetensors file describes it."""

    kind: str  # "F32", "I64", ...
    shape: tuple[int, ...]
    begin: int  # in the file
    end: int


def tensor_header(file: BinaryIO) -> tuple[dict[str, str], dict[str, Tensor]]:
    """The metadata of a safetensors file and a description of each tensor; no tensors are read, but the file holds
    exactly their bytes. ValueError if it is not a safetensors file, or is damaged."""
    file.seek(0, 2)
    size = file.tell()
    file.seek(0)
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or not 2 <= length <= min(size - 8, MAX_HEADER):
        raise ValueError("it has no header of a safetensors file")
    header = json_object(file.read(length))
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise ValueError("its metadata are no texts")
    tensors: dict[str, Tensor] = {}
    for name, about in header.items():
        said = ("dtype", "shape", "data_offsets")
        kind, shape, span = (about.get(key) if isinstance(about, dict) else None for key in said)
        if not (
            isinstance(kind, str) and kind in _BYTES and _are_counts(shape) and _are_counts(span) and len(span) == 2
        ):
            raise ValueError(f"its header does not say what tensor {name[:80]!r} is")
        if span[1] - span[0] != _BYTES[kind] * prod(shape):
            raise ValueError(f"tensor {name[:80]!r} is of another size than its header says")
        tensors[name] = Tensor(kind, tuple(shape), *(8 + length + at for at in span))
    end = 8 + length
    for begin, until in sorted((tensor.begin, tensor.end) for tensor in tensors.values()):
        if begin != end:
            raise ValueError("its tensors overlap, or leave gaps")
        end = until
    if end != size:
        raise ValueError(f"it has {size} bytes and should have {end}")
    return metadata, tensors


def tensors_of(file: BinaryIO) -> tuple[dict[str, str], dict[str, npt.NDArray[Any]]]:
    """The metadata of a safetensors file, and its tensors as read-only arrays. ValueError as above, and for BF16."""
    metadata, tensors = tensor_header(file)  # which checks that the tensors fill the rest of the file
    arrays = {}
    for name, tensor in tensors.items():
        if tensor.kind not in DTYPES:
            raise ValueError(f"tensor {name[:80]!r} holds numbers of kind {tensor.kind}")
        file.seek(tensor.begin)
        content = file.read(tensor.end - tensor.begin)
        arrays[name] = np.frombuffer(content, dtype=DTYPES[tensor.kind]).reshape(tensor.shape)
    return metadata, arrays


def _are_counts(value: Any) -> TypeGuard[list[int]]:
    """Is it a list of at most 64 whole numbers from 0, each below 2**48?"""
    return isinstance(value, list) and len(value) <= 64 and all(type(n) is int and 0 <= n < 1 << 48 for n in value)
