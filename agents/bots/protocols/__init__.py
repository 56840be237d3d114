"""The protocols that a host speaks to a program: each turns a position into lines, and lines into a move."""

from collections.abc import Mapping
from dataclasses import fields

from agents.bots.protocols.base import Protocol
from agents.bots.protocols.mancala import Mancala
from agents.bots.protocols.stdin import Stdin
from agents.bots.protocols.uci import Uci
from mancala_env.spelling import did_you_mean

PROTOCOLS: dict[str, type[Protocol]] = {each.name: each for each in (Mancala, Uci, Stdin)}


def make_protocol(name: str, settings: Mapping[str, str]) -> Protocol:
    """The protocol of a name, with settings as they are written: ``make_protocol("stdin", {"format": "board"})``.

    Raises
    ------
    ValueError
        If there is no such protocol or setting, or a value is impossible.

    Examples
    --------
    >>> make_protocol("uci", {"movetime": "50"}).movetime
    50
    """
    if name not in PROTOCOLS:
        hint = did_you_mean(name, PROTOCOLS) or f"there are {', '.join(PROTOCOLS)}"
        raise ValueError(f"there is no protocol {name!r}; {hint}")
    made = PROTOCOLS[name]
    kinds = {field.name: field.type for field in fields(made) if field.init}
    values: dict[str, bool | int | str] = {}
    for key, text in settings.items():
        if key not in kinds:
            raise ValueError(f"protocol {name} has no setting {key!r}; it takes {', '.join(kinds) or 'none'}")
        values[key] = _value(name, key, kinds[key], text)
    return made(**values)


def _value(name: str, key: str, kind: object, text: str) -> bool | int | str:
    if kind is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"protocol {name}: {key} must be true or false, not {text!r}")
        return text.lower() == "true"
    if kind is int:
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise ValueError(f"protocol {name}: {key} must be a whole number from 0, not {text!r}")
        return int(text)
    return text
