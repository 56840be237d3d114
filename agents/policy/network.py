"""The policy network, and its file.

A policy file is one safetensors file: the weights, and a JSON header that says which game, encoder and layers they
belong to. Loading reads numbers and that text; nothing in the file is ever executed. ``agents.policy.card`` describes
it for people, in a file of its own.
"""

import copy
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import nn

from agents import reading
from agents.policy import card
from agents.policy.files import policy_file
from agents.policy.layers import ACTIVATIONS, Trunk, Value, make_policy
from agents.provenance import rules_digest
from mancala_env import __version__
from mancala_env.games import ruleset
from mancala_env.observation import encoder_name, make_encoder
from mancala_env.position_fields import is_whole, shown
from mancala_env.rules import Ruleset
from mancala_env.rules.spec import rule_changes

FORMAT = 4
_READS = (2, 3, 4)  # 3: without a digest of the header; 2: without digests of rules and weights
# The arguments of a PolicyNetwork besides the rules, and what a file calls them: as the first files did.
_SHAPE = {
    "encoder": "encoder",
    "layers": "layers",
    "activation": "activation",
    "action_head": "towers",
    "shaping": "shaping",
}


class PolicyNetwork(nn.Module):
    """Maps an observation to a logit for each action and a value for the position.

    Shared layers, then two outputs::

        observation -> trunk -> policy: A logits, one for each action, legal or not
                             -> value:  the expected result for the player to move

    The policy is linear; with ``action_head`` each action's logit also comes from a layer that looks at the trunk and
    at the action's own block of the observation, with the same weights for every action (``ActionHead``).

    Parameters
    ----------
    rules : Ruleset or name of one
    encoder : str
        The observation: a key of ``mancala_env.observation.ENCODERS``.
    layers : ints
        Width of each layer of the trunk.
    activation : str
        A key of ``ACTIVATIONS``.
    action_head : int
        Width of the layer for each action; 0: none. Only for encoders that show what each action does.
    shaping : float
        The shaping coefficient of training (``Versus``): the value head predicts the result less ``shaping`` times the
        lead in captured seeds, as a share of all seeds.
    """

    def __init__(
        self,
        rules: Ruleset | str,
        encoder: str = "onehot",
        layers: Sequence[int] = (256, 256),
        activation: str = "relu",
        action_head: int = 0,
        shaping: float = 0.0,
    ) -> None:
        super().__init__()
        self.rules = ruleset(rules)
        self.encoder = make_encoder(encoder, self.rules)
        self.layers = tuple(layers)
        if not self.layers or any(not is_whole(width) or width < 1 for width in self.layers):
            raise ValueError(f"layers must be one or more whole widths of at least 1, not {shown(list(self.layers))}")
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {shown(activation)}")
        if not is_whole(action_head) or action_head < 0:
            raise ValueError(f"action_head must be a whole width, 0 for none, not {shown(action_head)}")
        if isinstance(shaping, bool) or not isinstance(shaping, int | float) or not abs(shaping) < 1e300:
            raise ValueError(f"shaping must be a finite number, not {shown(shaping)}")
        self.activation = activation
        self.action_head = action_head
        self.shaping = float(shaping)
        self.trunk = Trunk(self.encoder, self.layers, activation, action_head > 0)
        self.policy = make_policy(self.encoder, self.layers[-1], self.rules.num_actions, activation, action_head)
        self.value = Value(self.layers[-1], 1)
        self.requires_grad_(False)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits, float32[n, A], and values, float32[n], of observations, ``float32[n, *encoder.shape]``."""
        seen = self.trunk(observations)
        return self.policy(seen), self.value(seen).squeeze(1)

    def logits(self, observations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """float32[n, A]: the policy's half of ``forward``, for arrays."""
        with torch.inference_mode():
            result: npt.NDArray[np.float32] = self.policy(self.trunk(torch.from_numpy(observations))).numpy()
            return result

    def copy(self) -> "PolicyNetwork":
        """An independent network with the same weights."""
        return copy.deepcopy(self)

    @property
    def parameter_count(self) -> int:
        """The number of trainable parameters."""
        return sum(weights.numel() for weights in self.parameters())

    def header(self) -> dict[str, Any]:
        """The header of the policy file, which describes the weights.

        Raises
        ------
        ValueError
            If the ruleset is not a named one with changes that can be written as text.
        """
        return {
            "format": FORMAT,
            "package": f"mancala_env {__version__}",
            "rules": self.rules.name,
            "rules_version": self.rules.version,
            "changes": rule_changes(self.rules),
            "rules_sha256": rules_digest(self.rules),
            "encoder": self.encoder.name,
            "encoder_version": self.encoder.version,
            "layers": list(self.layers),
            "activation": self.activation,
            "towers": self.action_head,
            "shaping": self.shaping,
        }

    @property
    def digest(self) -> str:
        """A digest of all weights, in hexadecimal."""
        return _digest(self.state_dict())

    def save(self, path: str | os.PathLike[str], half: bool = False) -> None:
        """Write the network to one file in one step: a reader of ``path`` finds the old file or the new one.

        Parameters
        ----------
        path : path of the file
        half : bool
            Store the weights as float16, in half the bytes; they are float32 again when they are loaded.

        Raises
        ------
        ValueError
            As ``header``; or if weights are too large for float16.
        """
        weights = self.state_dict()
        if half:
            weights = {name: tensor.half() for name, tensor in weights.items()}
            if not all(bool(torch.isfinite(tensor).all()) for tensor in weights.values()):
                raise ValueError(f"the weights for {path} are too large for float16; store them as float32")
        header = {**self.header(), "weights_sha256": _digest(weights)}
        header["header_sha256"] = _header_digest(header)
        path = Path(path)
        unfinished = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            unfinished.write_bytes(save(weights, metadata={"mancala_policy": json.dumps(header)}))
            os.replace(unfinished, path)
        finally:
            unfinished.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "PolicyNetwork":
        """The network that ``save`` wrote to ``path``; for a folder, to its ``policy.safetensors``.

        ``zoo:NAME`` is the policy of an agent that ships with the repository.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If it is damaged, is not a policy file, or was trained on rules or observations that have changed since; or
            if its model card describes another file.
        """
        path = policy_file(path)
        with path.open("rb") as file:
            try:
                metadata, tensors = reading.tensor_header(file)
                header = reading.json_object(metadata.get("mancala_policy", "{}"))
            except ValueError as error:
                raise _damaged(path, error) from None
            network = cls._described(header, tensors, path)  # nothing large has been allocated or read so far
            file.seek(0)
            try:
                weights = load(file.read())
            except (SafetensorError, ValueError, TypeError, KeyError, RuntimeError) as error:
                raise _damaged(path, error) from None
        card.read(path)
        if "weights_sha256" in header and header["weights_sha256"] != _digest(weights):
            raise ValueError(
                f"{path} is damaged: its weights have changed since they were written; bring back the file that was "
                "written, or train anew"
            )
        sealed = header["format"] >= 4 or "header_sha256" in header
        if sealed and header.get("header_sha256") != _header_digest(header):
            raise _damaged(path, "its header has changed since it was written")
        network.load_state_dict(weights)
        if not all(bool(torch.isfinite(parameter).all()) for parameter in network.parameters()):
            raise ValueError(f"{path} holds weights that are not finite: training had diverged; train anew")
        return network

    @classmethod
    def _described(cls, header: dict[str, Any], tensors: dict[str, reading.Tensor], path: Path) -> "PolicyNetwork":
        """The network that a header describes, made only where the file holds weights of its shapes."""
        if type(header.get("format")) is not int or header["format"] not in _READS:
            was = header.get("format")
            raise ValueError(
                f"{path} was written in format {shown(was)}; this version reads formats {_READS[0]} to {FORMAT}: "
                "use the version of mancala_env that wrote it, or train anew"
                if was
                else f"{path} is a safetensors file, but no policy of mancala_env"
            )
        try:
            rules = ruleset(header["rules"], **header["changes"])
            settings = {name: header[stored] for name, stored in _SHAPE.items()}
            settings["encoder"] = encoder_name(settings["encoder"])
            by = str(header["package"])
            with torch.device("meta"):  # shapes alone
                fits = len(settings["layers"]) <= len(tensors) and cls(rules, **settings)._shapes() == {
                    name: tensor.shape for name, tensor in tensors.items()
                }
            versions = header["rules_version"], header["encoder_version"]
            if fits:
                network = cls(rules, **settings)
            encoder = make_encoder(settings["encoder"], rules)
        except (KeyError, TypeError, ValueError, RuntimeError, OverflowError, AttributeError) as error:
            why = f"it does not say {error}" if isinstance(error, KeyError) else " ".join(str(error).split())
            raise ValueError(
                f"{path}: its header does not describe a network of this version: {why}; use the version of "
                "mancala_env that wrote it, or train anew"
            ) from None
        if versions != (rules.version, encoder.version):
            raise ValueError(
                f"{path} was trained with {by} on {rules.name}-v{shown(versions[0])} with encoder {encoder.name} "
                f"version {shown(versions[1])}; these are now v{rules.version} and version {encoder.version}: "
                "train anew"
            )
        if "rules_sha256" in header and header["rules_sha256"] != rules_digest(rules):
            raise ValueError(
                f"{path} was trained with {by} on {rules.id}, and these rules have changed since: use "
                "the version that it was trained with, or train anew"
            )
        if not fits or any(tensor.kind not in ("F32", "F16") for tensor in tensors.values()):
            raise ValueError(
                f"{path}: its weights do not fit layers {shown(header['layers'])} and action_head "
                f"{shown(header['towers'])} for {rules.name}; bring back the file that was written, or train anew"
            )
        return network

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(weights.shape) for name, weights in self.state_dict().items()}


def _digest(weights: dict[str, torch.Tensor]) -> str:
    """A digest of the weights."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(f"{name} {weights[name].dtype} {tuple(weights[name].shape)}".encode())
        digest.update(weights[name].detach().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _header_digest(header: dict[str, Any]) -> str:
    """A digest of a header."""
    said = {name: value for name, value in header.items() if name != "header_sha256"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _damaged(path: Path, why: object) -> ValueError:
    return ValueError(
        f"{path} is no policy file, or is damaged: {' '.join(str(why).split())}; bring back the file that was written, "
        "or train anew"
    )
