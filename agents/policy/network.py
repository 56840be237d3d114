"""The policy network, and its file: one safetensors file of weights, and a JSON header that says which game, encoder
and layers they belong to. Nothing in the file is ever executed. ``agents.policy.card`` describes it for people.
"""

import copy
import hashlib
import importlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from agents import array_file
from agents.policy import card
from agents.policy.layers import ACTIVATIONS, MLP, NETWORKS
from agents.provenance import rules_digest
from mancala_env import __version__
from mancala_env.checks import is_whole, shown
from mancala_env.games import ruleset
from mancala_env.observation import Encoder, make_encoder
from mancala_env.rules import Ruleset

_SETTINGS = ("encoder", "layers", "activation", "shaping", "margin", "reward")  # arguments, as a file calls them
_SCRIPT = "__main__:"  # begins the name of a class of the script that runs, which nothing else can import by it

Module = nn.Module | Callable[[Encoder, int], nn.Module] | str
"""A module of one's own: the module itself, or its class, which is called with the encoder and the number of actions.

Where only text will do it is ``package.module:Class``; the class is imported then.
"""


class PolicyNetwork(nn.Module):
    """Maps an observation to a logit for each action and a value for the position.

    What computes is ``module``: one of ``agents.policy.layers.NETWORKS``, or any torch module that maps observations,
    ``float32[n, *encoder.shape]``, to logits, float32[n, A], and values, float32[n]. ValueError if a setting is
    impossible, or the module returns something else.

    Parameters
    ----------
    rules : Ruleset or name of one
    encoder : the observation, a key of ``mancala_env.observation.ENCODERS``
    layers, activation, action_head : ints, str, int
        Of a built-in module: the width of each layer of the trunk, a key of ``ACTIVATIONS``, and the width of the layer
        for each action, 0 for none (only for encoders that show what each action does).
    shaping : float
        The coefficient of training (``OpponentEnv``): the value head predicts the reward less ``shaping`` times the
        lead in captured seeds, as a share of all seeds.
    network : a key of ``NETWORKS``, or a module of one's own; the attribute is its name, ``package.module:Class``
    margin : float
        From 0 to 1: how much of the reward is the lead at the end, as a share of all seeds, also in a search that this
        network guides; the rest is the result, -1, 0 or 1.
    reward : str
        The name of a reward of one's own that the value head predicts instead, or ""; such a network guides no search.
    """

    def __init__(
        self,
        rules: Ruleset | str,
        encoder: str = "onehot",
        layers: Sequence[int] = (256, 256),
        activation: str = "relu",
        action_head: int = 0,
        shaping: float = 0.0,
        *,
        network: Module = "mlp",
        margin: float = 0.0,
        reward: str = "",
    ) -> None:
        super().__init__()
        self.rules = ruleset(rules)
        self.encoder = make_encoder(encoder, self.rules)
        for name, value, most in (("shaping", shaping, 1e300), ("margin", margin, 1.0 + 1e-12)):
            if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < most:
                raise ValueError(f"{name} must be a finite number, not {shown(value)}")
        if margin < 0:
            raise ValueError(f"margin must be from 0 to 1, not {shown(margin)}")
        if not isinstance(reward, str):
            raise ValueError(f"reward must be a name, not {shown(reward)}")
        self.shaping, self.margin, self.reward = float(shaping), float(margin), reward
        if isinstance(network, str) and network in NETWORKS:
            self.network = network
            self.layers, self.activation, self.action_head = tuple(layers), activation, action_head
            check_layers(self.layers, activation, action_head)
            self.module = NETWORKS[network](self.encoder, self.rules.num_actions, self.layers, activation, action_head)
        else:
            self.network = module_name(network)
            self.layers, self.activation, self.action_head = (), "", 0
            self.module = make_module(network, self.encoder, self.rules.num_actions)
        self.requires_grad_(False)
        self.eval()

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits, float32[n, A], and values, float32[n], of observations, ``float32[n, *encoder.shape]``."""
        found: tuple[torch.Tensor, torch.Tensor] = self.module(observations)
        return found

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return next((weights.device for weights in self.parameters()), torch.device("cpu"))

    def logits(self, observations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """float32[n, A]: the policy's half of ``forward``, for arrays."""
        with torch.inference_mode():
            seen = torch.from_numpy(observations).to(self.device)
            module = self.module  # an MLP can leave the value out
            found = module.policy(module.trunk(seen)) if isinstance(module, MLP) else module(seen)[0]
            return np.asarray(found.cpu().numpy())

    def copy(self) -> "PolicyNetwork":
        """An independent network with the same weights."""
        return copy.deepcopy(self)

    def weights(self) -> dict[str, torch.Tensor]:
        """The weights of ``module`` by name, on the CPU: what a policy file holds."""
        return {name: tensor.detach().cpu() for name, tensor in self.module.state_dict().items()}

    def described(self) -> dict[str, Any]:
        """The entries of the model card about it."""
        encoder = self.encoder
        shown = {"version": encoder.version, "plies_ahead": encoder.lookahead, "shape": list(encoder.shape)}
        made = {"layers": list(self.layers), "activation": self.activation, "action_head": self.action_head}
        count = sum(weights.numel() for weights in self.parameters())
        return {
            "encoder": {"name": encoder.name, **shown},
            "network": {"kind": self.network, **made, "parameters": count},
        }

    def header(self) -> dict[str, Any]:
        """The header of the policy file: a named game as its name and ``changes``, another whole, as ``ruleset``."""
        return {
            "format": card.KIND.format,
            "package": f"mancala_env {__version__}",
            "rules": self.rules.name,
            "rules_version": self.rules.version,
            **card.as_changes(self.rules),
            "rules_sha256": rules_digest(self.rules),
            "encoder": self.encoder.name,
            "encoder_version": self.encoder.version,
            "layers": list(self.layers),
            "activation": self.activation,
            "towers": self.action_head,
            "shaping": self.shaping,
            "margin": self.margin,
            "reward": self.reward,
            "network": self.network,
        }

    @property
    def digest(self) -> str:
        """A digest of all weights, in hexadecimal."""
        return _digest(self.weights())

    def save(self, path: str | os.PathLike[str], half: bool = False) -> None:
        """Write the network to one file in one step. ``half`` stores float16 weights, which load as float32: ValueError
        if they are too large for that; OSError if the file cannot be written.
        """
        weights = self.weights()
        if half:
            weights = {
                name: tensor.half() if tensor.is_floating_point() else tensor for name, tensor in weights.items()
            }
            if not all(bool(torch.isfinite(tensor).all()) for tensor in weights.values()):
                raise ValueError(f"the weights for {path} are too large for float16; store them as float32")
        header = {**self.header(), "weights_sha256": _digest(weights)}
        header["header_sha256"] = _header_digest(header)
        array_file.save(path, card.KIND, header, {name: each.numpy() for name, each in weights.items()})

    @classmethod
    def load(cls, path: str | os.PathLike[str], network: Module | None = None) -> "PolicyNetwork":
        """The network that ``save`` wrote to ``path``, the file, its folder, or ``zoo:NAME``.

        FileNotFoundError if there is none. ValueError if it is damaged, is not a policy file, or was trained on rules
        or observations that have changed since; or if its model card describes another file.

        Parameters
        ----------
        path : path of the file or its folder
        network : for weights of a module of one's own: its class, its name, or a module to take the weights; nothing
            is imported that is not asked for here
        """
        path = card.policy_file(path)
        card.read(path)

        def made(header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> PolicyNetwork:
            kind = _kind(header["network"], network, path)
            rules, _ = card.game_and_encoder(header)
            settings = {name: header[name] for name in _SETTINGS} | {"action_head": header["towers"], "network": kind}
            built_in = isinstance(kind, str) and kind in NETWORKS
            with torch.device("meta") if built_in else nullcontext():  # shapes alone: nothing large is allocated
                fits = len(settings["layers"]) <= len(arrays) and cls(rules, **settings)._shapes() == {
                    name: array.shape for name, array in arrays.items()
                }
            if not fits and not built_in:
                raise ValueError(f"its weights are not those of {header['network']} as it is now")
            if not fits or (built_in and any(array.dtype.kind != "f" for array in arrays.values())):
                layers, head = shown(header["layers"]), shown(header["towers"])
                raise ValueError(f"its weights do not fit layers {layers} and action_head {head} for {rules.name}")
            weights = {name: torch.tensor(array) for name, array in arrays.items()}
            if header["weights_sha256"] != _digest(weights):
                raise ValueError("its weights have changed since they were written")
            if header["header_sha256"] != _header_digest(header):
                raise ValueError("its header has changed since it was written")
            found = cls(rules, **settings)
            found.module.load_state_dict(weights)
            if not all(bool(torch.isfinite(parameter).all()) for parameter in found.parameters()):
                raise ValueError("it holds weights that are not finite: training had diverged")
            return found

        return array_file.load(path, card.KIND, made)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(weights.shape) for name, weights in self.module.state_dict().items()}


def check_layers(layers: Sequence[int], activation: str, action_head: int) -> None:
    """Raise ValueError unless built-in modules can be made so."""
    if not layers or any(not is_whole(width) or width < 1 for width in layers):
        raise ValueError(f"layers must be one or more whole widths of at least 1, not {shown(list(layers))}")
    if activation not in ACTIVATIONS:
        raise ValueError(f"activation must be one of {', '.join(ACTIVATIONS)}, not {shown(activation)}")
    if not is_whole(action_head) or action_head < 0:
        raise ValueError(f"action_head must be a whole width, 0 for none, not {shown(action_head)}")


def check_network(name: str) -> None:
    """Raise ValueError unless a text names a kind of network: a key of ``NETWORKS``, or ``package.module:Class``."""
    if name not in NETWORKS and not all(map(str.strip, [*name.partition(":")])):
        raise ValueError(
            f"there is no network {shown(name)}: networks are {', '.join(NETWORKS)}, or package.module:Class"
        )


def module_name(module: Module) -> str:
    """``package.module:Class`` of a module of one's own, which a file holds. Raises ValueError for anything else."""
    if isinstance(module, str):
        return module
    if not isinstance(module, nn.Module) and not callable(module):
        raise ValueError(
            f"network must be a torch module, its class, package.module:Class, or one of {', '.join(NETWORKS)}; not "
            f"{shown(module)}"
        )
    made = module if isinstance(module, type) or not isinstance(module, nn.Module) else type(module)
    return f"{made.__module__}:{getattr(made, '__qualname__', type(made).__qualname__)}"


def import_module_class(name: str) -> Any:
    """What ``package.module:Class`` names, imported. Raises ValueError if there is none."""
    check_network(name)
    place, _, found = name.partition(":")
    try:
        made: Any = importlib.import_module(place)
        for part in found.split("."):
            made = getattr(made, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"{name} cannot be imported: {error}; run where python can import {place}") from None
    return made


def make_module(module: Module, encoder: Encoder, actions: int) -> nn.Module:
    """A module, copied or made by a class, and tried with two observations. ValueError if it does not fit."""
    name = module_name(module)
    make: Any = import_module_class(module) if isinstance(module, str) else module
    made: Any = copy.deepcopy(make) if isinstance(make, nn.Module) else make(encoder, actions)
    if not isinstance(made, nn.Module):
        raise ValueError(f"{name} makes a {type(made).__name__}, not a torch module")
    device = next((weights.device for weights in made.parameters()), torch.device("cpu"))
    was = made.training
    made.eval()
    with torch.no_grad():
        found = made(torch.zeros((2, *encoder.shape), device=device))
    made.train(was)
    shapes = [tuple(each.shape) if isinstance(each, torch.Tensor) else type(each).__name__ for each in found] if (
        isinstance(found, tuple | list)
    ) else type(found).__name__  # fmt: skip
    if shapes != [(2, actions), (2,)]:
        raise ValueError(
            f"{name} must return logits of shape {(2, actions)} and values of shape (2,) for two observations of shape "
            f"{(2, *encoder.shape)}; it returned {shapes}"
        )
    if not all(bool(torch.isfinite(each).all()) for each in found):
        raise ValueError(
            f"{name} returned numbers that are not finite for an observation of zeros: mend its first weights"
        )
    return made


def _kind(said: Any, module: Module | None, path: Path) -> Module:
    """The kind of network that a file holds: built in, or the module asked for. ValueError if it is another."""
    if not isinstance(said, str):
        raise ValueError(f"network is {shown(said)}")
    if said in NETWORKS:
        return said
    if module is None:
        name = asked = shown(said).strip("'")
        move = ""
        if name.startswith(_SCRIPT):
            asked = f"my_module:{name.removeprefix(_SCRIPT)}"
            move = "its class stands in the script that trained it; move it into a module, say my_module.py, and "
        raise array_file.Unasked(
            f"{path} holds weights of {name}, which is no part of mancala_env, and a file never makes anything be "
            f"imported: {move}ask for it, as in PolicyNetwork.load(path, network=YourClass), policy:path={path.parent},"
            f"network={asked} or, for a run of a command, --network {asked}"
        )
    asked = module_name(module)
    if asked != said and not (
        asked.partition(":")[2] == str(said).partition(":")[2] and "__main__" in f"{asked} {said}"
    ):
        raise array_file.Unasked(f"{path} holds weights of {shown(said)}, and {asked} was asked for")
    return module


def _digest(weights: dict[str, torch.Tensor]) -> str:
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(f"{name} {weights[name].dtype} {tuple(weights[name].shape)}".encode())
        digest.update(weights[name].detach().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _header_digest(header: dict[str, Any]) -> str:
    said = {name: value for name, value in header.items() if name != "header_sha256"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
