"""The files of a policy: its weights, by the name of the policy, and beside them its model card, ``policy.json``: what
the weights are (with their sha256), how made, and how good."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents import array_file, zoo
from agents.provenance import rules_digest, write_json
from agents.reading import read_json
from agents.zoo import FILE_NAME, beside
from mancala_env.games import ruleset
from mancala_env.observation import Encoder, make_encoder
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import as_plain
from mancala_env.rules.spec import rule_changes

FORMAT = 1
KIND = array_file.Kind(  # of the file of weights
    "mancala_policy", "a policy", 1 << 40, "bring back the file that was written, or train anew", format=5
)
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
        said = read_json(path)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise ValueError(
            f"{path} is damaged ({error}): restore it, or delete it and {weights.name} loads without it"
        ) from None
    if "sha256" not in said or not isinstance(said.get("made", {}), dict):
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


def policy_file(path: str | os.PathLike[str]) -> Path:
    """The file of a policy: a run folder, the file itself, or ``zoo:NAME``. FileNotFoundError if there is none, or only
    a learned evaluation of a search; ValueError if the zoo has no such agent.
    """
    given, in_zoo = str(path), str(path).startswith("zoo:")
    name = given.removeprefix("zoo:")
    path = zoo.FOLDER / name if in_zoo and name in zoo.evaluations() else zoo.find(name) if in_zoo else Path(path)
    if path.name == zoo.EVALUATION or ((path / zoo.EVALUATION).is_file() and not (path / FILE_NAME).is_file()):
        raise FileNotFoundError(
            f"{given} is no policy network but the learned evaluation of a search, which only a search uses: play with "
            f"it as minimax:time=0.1,evaluation={given}"
        )
    path = path / FILE_NAME if path.is_dir() else path
    if not path.is_file():
        raise FileNotFoundError(f"there is no policy file {path}; a policy is a run folder, or its {FILE_NAME}")
    return path


def game_and_encoder(header: Mapping[str, Any]) -> tuple[Ruleset, Encoder]:
    """Those of the header of a policy file. Raises ValueError if they have changed since it was trained."""
    whole = header.get("ruleset")
    rules = ruleset(header["rules"], **header["changes"]) if whole is None else ruleset(whole)
    encoder = make_encoder(header["encoder"], rules)
    was = header["rules_version"], header["rules_sha256"], header["encoder_version"]
    if was != (rules.version, rules_digest(rules), encoder.version):
        raise ValueError(f"the rules of {rules.id} or the encoder {encoder.name} have changed since it was trained")
    return rules, encoder


def made_by(path: str | os.PathLike[str]) -> dict[str, Any]:
    """How a policy was made: the ``sha256`` of its file, and the entries of its model card about its making."""
    file = policy_file(path)
    return {"sha256": digest(file), **(read(file) or {}).get("made", {})}
