"""The agent that plays the actions of a policy network."""

import copy
import os
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from agents.batched.kernel import Turns
from agents.batched.players import Player, seats_of, streams_of
from agents.policy.plain_network import PlainNetwork
from mancala_env import checks
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called

if TYPE_CHECKING:
    from agents.policy.network import Module, PolicyNetwork


class PolicyAgent(Player):
    """Plays the action that a trained network holds most likely, or draws one from its probabilities.

    Without torch, NumPy computes built-in networks (``agents.policy.plain_network``). ``rules`` are those it was
    trained on, ``encoder`` makes its observations. FileNotFoundError and ValueError as ``PolicyNetwork.load``.

    Parameters
    ----------
    path : a run folder, a policy file, or ``zoo:NAME``
    seed, sample : draw actions with the network's probabilities, from ``seed``, instead of taking the likeliest
    network : for a module of one's own: its class, or ``package.module:Class`` (``PolicyNetwork.load``)
    """

    reads_positions = True

    def __init__(
        self, path: str | os.PathLike[str], seed: int = 0, sample: bool = False, network: "Module | None" = None
    ) -> None:
        try:
            from agents.policy.network import PolicyNetwork, module_name  # imports torch

            made: Any = PolicyNetwork.load(str(path), network)
        except ModuleNotFoundError as error:
            if network is not None or error.name != "torch":
                raise
            made = PlainNetwork.load(str(path))
        name = (
            (str(path) if str(path).startswith("zoo:") else f"policy:path={path}")
            + (",sample=true" if sample else "")
            + (f",network={module_name(network)}" if network is not None else "")
        )
        self._take(made, name, seed, bool(sample))

    @classmethod
    def of(cls, network: "PolicyNetwork", name: str) -> "PolicyAgent":
        """The agent of a network in memory; each call uses the weights that the network has then."""
        agent = cls.__new__(cls)
        agent._take(network, name, seed=0, sample=False)
        return agent

    def _take(self, network: Union["PolicyNetwork", PlainNetwork], name: str, seed: int, sample: bool) -> None:
        self.network, self.name, self.sample = network, name, sample
        self.rules, self.encoder = network.rules, network.encoder
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Before each game: start the draws from ``seed``, 0 or more."""
        self._random = np.random.default_rng(checks.seed(seed))
        self._stream = streams_of([0])  # which it does not draw from

    @property
    def batched(self) -> bool:
        """Can it play in a batch (``act_positions``)? Not if it draws its actions."""
        return not self.sample

    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        if rules is not self.rules and rules != self.rules:
            raise ValueError(f"{self.name} was trained for {called(self.rules)} and does not play {called(rules)}")
        return self.act_batch(self.encoder(*seats_of(rules, turns)), turns.masks[turns.games])

    def act_batch(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """int64[n]: a legal action for each of n positions, from ``float32[n, *encoder.shape]`` and bool[n, A]."""
        logits = self.network.logits(observations)
        if self.sample:  # the largest of logits + Gumbel noise is a draw from their softmax
            logits = logits + self._random.gumbel(size=logits.shape).astype(np.float32)
        return np.where(masks, logits, -np.inf).argmax(axis=1)

    def __deepcopy__(self, memo: dict[int, Any]) -> "PolicyAgent":
        """An agent with a generator of its own; the network, which never changes, is shared."""
        twin = copy.copy(self)
        twin._random = copy.deepcopy(self._random, memo)
        return twin
