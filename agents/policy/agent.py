"""The agent that plays the actions of a policy network."""

import copy
import os
from typing import TYPE_CHECKING, Any, Union

import numpy as np
import numpy.typing as npt

from agents.batched.arguments import checked_seats, running
from agents.batched.kernel import Turns
from agents.batched.players import Player
from agents.policy import near_rules
from agents.policy.plain_network import PlainNetwork
from mancala_env import checks
from mancala_env.observation import Encoder
from mancala_env.rules import Ruleset
from mancala_env.state import State

if TYPE_CHECKING:
    from agents.policy.network import Module, PolicyNetwork


class PolicyAgent(Player):
    """Plays the action that a trained network holds most likely, or draws one from its probabilities.

    Without torch, NumPy computes built-in networks (``agents.policy.plain_network``).

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
        (``agents.policy.near_rules`` says which these are), on which it has not been measured; its name then says so.
    network : Module, optional
        For a network with a module of one's own: its class, or ``package.module:Class`` (``PolicyNetwork.load``).

    Attributes
    ----------
    rules : Ruleset
        The rules that it was trained on.
    encoder : Encoder
        Makes its observations under these rules.

    Raises
    ------
    FileNotFoundError, ValueError
        As ``PolicyNetwork.load``; or for an unknown ``allow_rules``.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        seed: int = 0,
        sample: bool = False,
        allow_rules: str = "trained",
        network: "Module | None" = None,
    ) -> None:
        near_rules.check_allowed(allow_rules)
        try:
            from agents.policy.network import PolicyNetwork, module_name  # imports torch

            made: Any = PolicyNetwork.load(str(path), network)
        except ModuleNotFoundError as error:
            if network is not None or error.name not in ("torch", "safetensors"):
                raise
            made = PlainNetwork.load(str(path))
        name = (
            (str(path) if str(path).startswith("zoo:") else f"policy:path={path}")
            + (",sample=true" if sample else "")
            + (f",allow_rules={allow_rules}" if allow_rules != "trained" else "")
            + (f",network={module_name(network)}" if network is not None else "")
        )
        self._take(made, name, seed, bool(sample), allow_rules)

    @classmethod
    def of(cls, network: "PolicyNetwork", name: str) -> "PolicyAgent":
        """The agent of a network in memory; each call uses the weights that the network has then."""
        agent = cls.__new__(cls)
        agent._take(network, name, seed=0, sample=False, allow_rules="trained")
        return agent

    def _take(
        self, network: Union["PolicyNetwork", PlainNetwork], name: str, seed: int, sample: bool, allow_rules: str
    ) -> None:
        self.network, self.name, self.sample, self.allow_rules = network, name, sample, allow_rules
        self.rules, self.encoder = network.rules, network.encoder
        self._played = self.rules, self.encoder  # the rules that were played last, and their encoder
        self.reset(seed)

    def encoder_of(self, rules: Ruleset, state: State | None = None) -> Encoder:
        """The encoder of its observations under these rules; ``state`` is named in errors.

        Raises
        ------
        ValueError
            If it does not play them: it was trained on others, and these are not near ones that it may play.
        """
        played, encoder = self._played
        if rules is played or rules == played:
            return encoder
        if rules == self.rules:
            return self.encoder
        near_encoder = near_rules.encoder_for(self.encoder, rules) if self.allow_rules == "near" else None
        if near_encoder is None:
            where = rules.name if state is None else f"{rules.name} as in {state}"
            raise ValueError(near_rules.refusal(self.name, self.encoder, rules, self.allow_rules, where))
        self._played = rules, near_encoder
        return near_encoder

    def reset(self, seed: int) -> None:
        """Before each game: start the draws from ``seed``, 0 or more."""
        self._random = np.random.default_rng(checks.seed(seed))

    def act(self, state: State) -> int:
        """A legal action. Raises ValueError if the game is over, or of rules that it does not play (``encoder_of``)."""
        encoder = self.encoder_of(running(state, self.name).rules, state)
        seats = np.array([state.player], dtype=np.int8)
        return int(self.act_batch(encoder(state.array[None], seats), state.legal_mask[None])[0])

    @property
    def batched(self) -> bool:
        """Can it play in a batch (``act_positions``)? Not if it draws its actions."""
        return not self.sample

    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        encoder = self.encoder_of(rules)
        turns, asked, seats = checked_seats(rules, turns)
        return self.act_batch(encoder(asked, seats), turns.masks[turns.games])

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
