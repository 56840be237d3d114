"""The model card of a policy file: ``policy.json`` says what the weights are, how they were made and how good they are.

A policy plays without it. A card that exists must fit: it holds the sha256 of the file that it describes.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from agents.provenance import rules_digest, write_json
from agents.reading import read_json_value
from agents.zoo import FILE_NAME, beside
from mancala_env.rules import Ruleset

if TYPE_CHECKING:
    from mancala_env.observation import Encoder

__all__ = ["FILE_NAME", "Described", "beside", "digest", "read", "write"]

FORMAT = 1
MADE = (
    "command", "begun_with", "teacher", "fixed_opponents", "given", "seed", "commit", "package", "python", "versions",
    "machine", "resumed",
)  # fmt: skip


class Described(Protocol):
    """The properties of a network that a card describes."""

    @property
    def rules(self) -> Ruleset:
        """The rules that it was trained on."""

    @property
    def encoder(self) -> "Encoder":
        """The encoder of its observations."""

    @property
    def parameter_count(self) -> int:
        """The number of trainable parameters."""

    def header(self) -> dict[str, Any]:
        """The header of its file."""


def write(
    weights: Path,
    network: Described,
    made: Mapping[str, Any],
    config: Mapping[str, Any],
    evaluation: Mapping[str, Any] | None,
    **more: Any,
) -> None:
    """Write the card of the policy file ``weights``.

    Parameters
    ----------
    weights : Path
        The file, as ``network`` has just been saved to it.
    network : Described
        ``agents.policy.network.PolicyNetwork``.
    made : dict
        The run's ``provenance``, with ``command`` and ``training``.
    config : dict
        The run's settings.
    evaluation : dict, optional
        The run's ``evaluation.json``.
    **more : JSON values
        Further entries of the card.
    """
    header = network.header()
    content = {
        "format": FORMAT,
        "file": weights.name,
        "sha256": digest(weights),
        "rules": {
            "id": network.rules.id,
            "changes": header["changes"],
            **({"ruleset": header["ruleset"]} if "ruleset" in header else {}),
            "text": repr(network.rules),
            "sha256": rules_digest(network.rules),
        },
        "encoder": {
            "name": network.encoder.name,
            "version": network.encoder.version,
            "plies_ahead": network.encoder.lookahead,
            "shape": list(network.encoder.shape),
        },
        "network": {
            "kind": header["network"],
            "layers": header["layers"],
            "activation": header["activation"],
            "action_head": header["towers"],
            "parameters": network.parameter_count,
        },
        "made": {name: made[name] for name in MADE if name in made},
        "training": {**made.get("training", {}), "config": dict(config)},
        "evaluation": evaluation
        and {name: evaluation[name] for name in ("seed", "opening_plies", "results") if name in evaluation},
        **more,
    }
    write_json(beside(weights), content)


def read(weights: Path) -> dict[str, Any] | None:
    """The content of the card of a policy file; None if there is no card.

    Raises
    ------
    ValueError
        If it is damaged, or describes another file.
    """
    path = beside(weights)
    try:
        said = read_json_value(path)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(
            f"{path} is damaged ({error}): restore it, or delete it and {weights.name} loads without it"
        ) from None
    if not isinstance(said, dict) or "sha256" not in said or not isinstance(said.get("made", {}), dict):
        raise ValueError(
            f"{path} is not the description of a policy: move it elsewhere, and {weights.name} loads without it"
        )
    if said["sha256"] != digest(weights):
        raise ValueError(
            f"{weights} is not the file that {path.name} beside it describes (its sha256 differs): bring back the two "
            f"that belong together, or delete {path.name} to load the weights as they are"
        )
    return said


def digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
