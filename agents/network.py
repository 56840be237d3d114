"""A network that plays: its layers, its file, and the agent that asks it. The only file of ``agents`` that needs torch.

A policy file is one safetensors file: the weights, and a JSON header that says which game, encoder and layers they
belong to. Loading reads numbers and that text; nothing in the file is ever executed. ``agents.sidecar`` describes it
for people, in a file of its own.
"""

import copy
import hashlib
import itertools
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

from agents import near, reading, sidecar, zoo
from agents.changes import rule_changes
from agents.results import rules_digest
from agents.sidecar import FILE_NAME
from agents.together.asked import checked_masks
from mancala_env import __version__, checks
from mancala_env.kernels import layout
from mancala_env.observation import Encoder, make_encoder
from mancala_env.position_fields import is_whole, shown
from mancala_env.rules import Ruleset, ruleset
from mancala_env.state import State

FORMAT = 4
_READS = (2, 3, 4)  # 3: without a digest of the header; 2: without digests of rules and weights
_SHAPE = ("encoder", "layers", "activation", "towers", "shaping")  # arguments of a PolicyNetwork besides the rules
ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "elu": nn.ELU}


def policy_file(path: str | os.PathLike[str]) -> Path:
    """The file of a policy, given as a run folder, the file itself, or ``zoo:NAME``. Raises FileNotFoundError."""
    in_zoo = str(path).startswith("zoo:")
    path = zoo.find(str(path).removeprefix("zoo:")) if in_zoo else Path(path)
    path = path / FILE_NAME if path.is_dir() else path
    if not path.is_file():
        raise FileNotFoundError(f"there is no policy file {path}; a policy is a run folder, or its {FILE_NAME}")
    return path


def made_by(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What is known of how a policy was made: the ``sha256`` of its file, and what its sidecar says of its making."""
    file = policy_file(path)
    return {"sha256": sidecar.digest(file), **(sidecar.read(file) or {}).get("made", {})}


class PolicyNetwork(nn.Module):
    """From what a player sees to how good each action is, and how good the position.

    Shared layers, then an output for each question::

        observation -> trunk -> policy: A logits, one for each action, legal or not
                             -> value:  the expected result for the player who looks

    The policy is linear; with ``towers`` each action's logit also comes from a layer that looks at the trunk and at the
    action's own block of the observation, with the same weights for every action (``Towers``).

    Parameters
    ----------
    rules : Ruleset or name of one
    encoder : str
        What the network looks at: a key of ``mancala_env.observation.ENCODERS``.
    layers : ints
        Width of each layer of the trunk.
    activation : str
        A key of ``ACTIVATIONS``.
    towers : int
        Width of the layer for each action; 0: none. Only for encoders that show what each action does.
    shaping : float
        What the lead in captured seeds was worth in training (``Duel``): by so much times the lead, as a share of all
        seeds, values fall short of expected results.
    """

    def __init__(
        self,
        rules: Ruleset | str,
        encoder: str = "onehot",
        layers: Sequence[int] = (256, 256),
        activation: str = "relu",
        towers: int = 0,
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
        if not is_whole(towers) or towers < 0:
            raise ValueError(f"towers must be a whole width, 0 for none, not {shown(towers)}")
        if isinstance(shaping, bool) or not isinstance(shaping, int | float) or not abs(shaping) < 1e300:
            raise ValueError(f"shaping must be a finite number, not {shown(shaping)}")
        self.activation = activation
        self.towers = towers
        self.shaping = float(shaping)
        self.trunk = Trunk(self.encoder, self.layers, activation, towers > 0)
        self.policy = make_policy(self.encoder, self.layers[-1], self.rules.num_actions, activation, towers)
        self.value = Value(self.layers[-1], 1)
        self.requires_grad_(False)

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits, float32[n, A], and values, float32[n], of observations, float32[n, *encoder.shape]."""
        seen = self.trunk(observations)
        return self.policy(seen), self.value(seen).squeeze(1)

    def logits(self, observations: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """float32[n, A]: the policy's half of ``forward``, for arrays."""
        with torch.inference_mode():
            result: npt.NDArray[np.float32] = self.policy(self.trunk(torch.from_numpy(observations))).numpy()
            return result

    def copy(self) -> "PolicyNetwork":
        """A network with weights of its own, now the same."""
        return copy.deepcopy(self)

    @property
    def parameter_count(self) -> int:
        """How many numbers training can change."""
        return sum(weights.numel() for weights in self.parameters())

    def header(self) -> dict[str, Any]:
        """What a policy file says about its weights.

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
            "towers": self.towers,
            "shaping": self.shaping,
        }

    @property
    def digest(self) -> str:
        """A hexadecimal number that any change of a weight changes."""
        return _digest(self.state_dict())

    def save(self, path: str | os.PathLike[str], half: bool = False) -> None:
        """Write the network to one file, at once: whoever reads ``path`` finds the old file or the new one.

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
            If it is damaged, no policy of ours, or was trained on rules or observations that have changed since; or if
            the sidecar beside it describes another file.
        """
        path = policy_file(path)
        with path.open("rb") as file:
            try:
                metadata, tensors = reading.tensor_header(file)
                header = reading.json_object(metadata.get("mancala_policy", "{}"))
            except ValueError as error:
                raise _damaged(path, error) from None
            network = cls._described(header, tensors, path)  # nothing large has been made or read so far
            file.seek(0)
            try:
                weights = load(file.read())
            except (SafetensorError, ValueError, TypeError, KeyError, RuntimeError) as error:
                raise _damaged(path, error) from None
        sidecar.read(path)
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
            settings = {name: header[name] for name in _SHAPE}
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
                f"{path}: its weights do not fit layers {shown(header['layers'])} and towers {shown(header['towers'])} "
                f"for {rules.name}; bring back the file that was written, or train anew"
            )
        return network

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: tuple(weights.shape) for name, weights in self.state_dict().items()}


class Trunk(nn.Module):
    """The shared layers: float32[n, *encoder.shape] to float32[n, layers[-1]], an activation behind each.

    With ``blocks`` the blocks of all actions are handed on behind that, for ``Towers``.
    """

    def __init__(self, encoder: Encoder, layers: Sequence[int], activation: str, blocks: bool = False) -> None:
        super().__init__()
        sizes = [int(np.prod(encoder.shape)), *layers]
        parts: list[nn.Module] = []
        for width, following in itertools.pairwise(sizes):
            parts += [nn.Linear(width, following), ACTIVATIONS[activation]()]
        self.layers = nn.Sequential(*parts)
        self.width = layers[-1]
        self._first = None
        if blocks:
            if encoder.blocks is None:
                raise ValueError(f"encoder {encoder.name!r} shows nothing of single actions: towers must be 0")
            self._first = encoder.blocks[0]
            self.width += encoder.blocks[1] * encoder.blocks[2]

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """See the class."""
        observations = observations.flatten(1)
        seen: torch.Tensor = self.layers(observations)
        return seen if self._first is None else torch.cat((seen, observations[:, self._first :]), dim=1)


class Towers(nn.Module):
    """A logit for each action, from what all share and from its own block, float32[n, seen + A * F] to float32[n, A].

    The layer between has the same weights for every action, so that what one action teaches holds for the others.
    """

    def __init__(self, seen: int, actions: int, block: int, width: int, activation: str) -> None:
        super().__init__()
        self._seen, self._shape = seen, (actions, block)
        self.linear = nn.Linear(seen, actions)
        self.context = nn.Linear(seen, width)
        self.block = nn.Linear(block, width, bias=False)
        self.activation = ACTIVATIONS[activation]()
        self.out = nn.Linear(width, 1, bias=False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """See the class."""
        seen, blocks = features[:, : self._seen], features[:, self._seen :].unflatten(1, self._shape)
        hidden = self.activation(self.context(seen).unsqueeze(1) + self.block(blocks))
        logits: torch.Tensor = self.linear(seen) + self.out(hidden).squeeze(2)
        return logits


class Value(nn.Linear):
    """Linear in what all actions share: float32[n, seen] or float32[n, seen + A * F] to float32[n, 1]."""

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """See the class."""
        return super().forward(features[:, : self.in_features])


def make_policy(encoder: Encoder, seen: int, actions: int, activation: str, towers: int) -> nn.Module:
    """The policy's output: linear, or with ``towers`` of so many units."""
    if not towers:
        return nn.Linear(seen, actions)
    assert encoder.blocks is not None
    return Towers(seen, actions, encoder.blocks[2], towers, activation)


def last_layers(policy: nn.Module) -> tuple[nn.Linear, ...]:
    """The layers of ``make_policy`` whose outputs add up to the logits."""
    if isinstance(policy, Towers):
        return policy.linear, policy.out
    assert isinstance(policy, nn.Linear)
    return (policy,)


def _digest(weights: dict[str, torch.Tensor]) -> str:
    """A number that any change of the weights changes."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(f"{name} {weights[name].dtype} {tuple(weights[name].shape)}".encode())
        digest.update(weights[name].detach().contiguous().numpy().tobytes())
    return digest.hexdigest()


def _header_digest(header: dict[str, Any]) -> str:
    """A number that any change of what a header says changes."""
    said = {name: value for name, value in header.items() if name != "header_sha256"}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _damaged(path: Path, why: object) -> ValueError:
    return ValueError(
        f"{path} is no policy file, or is damaged: {' '.join(str(why).split())}; bring back the file that was written, "
        "or train anew"
    )


class PolicyAgent:
    """Plays what a trained network thinks best, or draws from what it thinks likely.

    Parameters
    ----------
    path : str
        A run folder, a policy file, or ``zoo:NAME``.
    seed : int
        Of the draws.
    sample : bool
        Draw actions with the network's probabilities instead of taking the likeliest.
    allow_rules : str
        "trained": it plays the rules that it was trained on, and refuses others. "near": it plays near ones too
        (``agents.near`` says which these are), for which nothing was promised; its name then says so.

    Attributes
    ----------
    rules : Ruleset
        That it was trained on.
    encoder : Encoder
        What it looks at in these rules.

    Raises
    ------
    FileNotFoundError, ValueError
        As ``PolicyNetwork.load``; or for an ``allow_rules`` that there is not.
    """

    def __init__(
        self, path: str | os.PathLike[str], seed: int = 0, sample: bool = False, allow_rules: str = "trained"
    ) -> None:
        near.check_allowed(allow_rules)
        name = (
            (str(path) if str(path).startswith("zoo:") else f"policy:path={path}")
            + (",sample=true" if sample else "")
            + (f",allow_rules={allow_rules}" if allow_rules != "trained" else "")
        )
        self._take(PolicyNetwork.load(str(path)), name, seed, bool(sample), allow_rules)

    @classmethod
    def of(cls, network: "PolicyNetwork", name: str) -> "PolicyAgent":
        """The agent that plays what a network in memory thinks best, at every call as the network is then."""
        agent = cls.__new__(cls)
        agent._take(network, name, seed=0, sample=False, allow_rules="trained")
        return agent

    def _take(self, network: "PolicyNetwork", name: str, seed: int, sample: bool, allow_rules: str) -> None:
        self.network, self.name, self.sample, self.allow_rules = network, name, sample, allow_rules
        self.rules, self.encoder = network.rules, network.encoder
        self._played = self.rules, self.encoder  # the rules that were played last, and what it looks at in them
        self.reset(seed)

    def encoder_of(self, rules: Ruleset, state: State | None = None) -> Encoder:
        """What it looks at in a game by these rules; ``state`` is what an error speaks of.

        Raises
        ------
        ValueError
            If it does not play them: they are not those that it was trained on, nor near ones that it was allowed.
        """
        played, encoder = self._played
        if rules is played or rules == played:
            return encoder
        if rules == self.rules:
            return self.encoder
        near_encoder = near.encoder_for(self.encoder, rules) if self.allow_rules == "near" else None
        if near_encoder is None:
            where = rules.name if state is None else f"{rules.name} as in {state}"
            raise ValueError(near.refusal(self.name, self.encoder, rules, self.allow_rules, where))
        self._played = rules, near_encoder
        return near_encoder

    def reset(self, seed: int) -> None:
        """Before each game: start the draws from ``seed``, 0 or more."""
        self._random = np.random.default_rng(checks.seed(seed))

    def act(self, state: State) -> int:
        """A legal action. Raises ValueError if the game is over, or by rules that it does not play (``encoder_of``)."""
        if state.is_over:
            raise ValueError(f"{self.name} cannot move: the game is over in {state}")
        encoder = self.encoder_of(state.rules, state)
        seats = np.array([state.player], dtype=np.int8)
        return int(self.act_batch(encoder(state.row[None], seats), state.legal_mask[None])[0])

    @property
    def together(self) -> bool:
        """Can it be asked for many games at once (``act_rows``)? Not where it draws its actions."""
        return not self.sample

    def act_rows(
        self,
        rules: Ruleset,
        games: npt.NDArray[np.int64],
        rows: npt.NDArray[np.int16],
        masks: npt.NDArray[np.bool_],
        history: npt.NDArray[np.uint64],
        streams: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        """int64[m]: a legal action in each of ``games``; see ``agents.together.RowsAgent``."""
        encoder = self.encoder_of(rules)
        games, masks = checked_masks(rules, games, rows, masks, history, streams)
        asked = checks.positions(rules, rows[games])
        seats = asked[:, rules.board.pits + layout.MOVER].astype(np.int8)
        return self.act_batch(encoder(asked, seats), masks[games])

    def act_batch(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """int64[n]: a legal action for each of n positions.

        Parameters
        ----------
        observations : float32[n, *encoder.shape]
        masks : bool[n, A], True where legal
        """
        logits = self.network.logits(observations)
        if self.sample:  # the largest of logits + Gumbel noise is a draw from their softmax
            logits = logits + self._random.gumbel(size=logits.shape).astype(np.float32)
        return np.where(masks, logits, -np.inf).argmax(axis=1)

    def __deepcopy__(self, memo: dict[int, Any]) -> "PolicyAgent":
        """An agent with a generator of its own; the network, which never changes, is shared."""
        twin = copy.copy(self)
        twin._random = copy.deepcopy(self._random, memo)
        return twin
