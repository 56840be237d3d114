"""The model card of a policy, ``policy.json``: what the weights are (with their sha256), how made, and how good."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.provenance import rules_digest, write_json
from agents.reading import read_json_value
from agents.zoo import FILE_NAME, beside
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain
from mancala_env.rules.spec import rule_changes

__all__ = ["FILE_NAME", "as_changes", "beside", "digest", "read", "write"]

FORMAT = 1
MADE = (
    "command", "begun_with", "teacher", "fixed_opponents", "given", "seed", "commit", "package", "python", "versions",
    "machine", "resumed",
)  # fmt: skip


def write(
    weights: Path, rules: Ruleset, about: Mapping[str, Any], evaluation: Mapping[str, Any] | None, **more: Any
) -> None:
    """Write the card of a run beside its ``weights``: ``about`` what was learnt, and how; ``evaluation``; ``more``."""
    made, config = about["made"], about["config"]
    content = {
        "format": FORMAT,
        "file": weights.name,
        "sha256": digest(weights),
        "rules": {"id": rules.id, **as_changes(rules), "text": repr(rules), "sha256": rules_digest(rules)},
        **{name: value for name, value in about.items() if name not in ("made", "config")},
        "made": {name: made[name] for name in MADE if name in made},
        "training": {**made.get("training", {}), "config": dict(config)},
        "evaluation": evaluation
        and {name: evaluation[name] for name in ("seed", "opening_plies", "results") if name in evaluation},
        **more,
    }
    write_json(beside(weights), content)


def as_changes(rules: Ruleset) -> dict[str, Any]:
    """What a file says of rules besides their name: the changes, or the whole ruleset where no name is known for it."""
    try:
        return {"changes": rule_changes(rules)}
    except ValueError:
        return {"changes": {}, "ruleset": as_plain(rules)}


def read(weights: Path) -> dict[str, Any] | None:
    """The content of the card of a policy file; None if there is none. Raises ValueError if it is of another file."""
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
