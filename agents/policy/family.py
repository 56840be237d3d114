"""A network that reads rules, and so plays every game: tokens of pits that exchange what they know along what the board
connects, and attend to the tokens of the rules (``mancala_env.family``); and the agent that plays by it.

Its file is one safetensors file: weights, and a header with its sizes and the digest of the format that it reads.
Nothing in it is ever executed."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from agents import array_file
from agents.batched.kernel import Turns, play_games
from agents.batched.players import Player, seats_of, spec
from mancala_env.family import DIGEST, StaticFeatures, needed
from mancala_env.family.batch import Eyes
from mancala_env.family.format import BOARD, COUNTERS, KINDS, NAMES, PITS, WORDS
from mancala_env.family.kernels import leads as leads_of
from mancala_env.kernels import layout
from mancala_env.rules import Ruleset

FILE_NAME = "family.safetensors"
_KIND = array_file.Kind(
    "mancala_family", "a network of the family", 1 << 32, "bring back the file that was written, or train anew"
)
WIDEST, DEEPEST = 1024, 64  # a token, and exchanges
TOP_SEEDS, TOP_PLACE, TOP_AT = 24, 16, 32  # numbers from here on look the same
STEEP = 4.0  # a lead of all seeds divided by this is nearly won
NEAR = 4  # pits that a pit hears from
_LIES = "place", "their_place", "home", "their_home", "to_store", "their_to_store", "to_end", "seeds", "mark"
_OF_PIT = TOP_SEEDS + 1, 2 * TOP_PLACE + 2, 4, 3  # numbers that each of these may be
_COLUMN = {name: k for k, name in enumerate(BOARD)}
_COUNTER = {name: k for k, name in enumerate(COUNTERS)}


class Read(NamedTuple):
    """What is made of the rules of G games, once for all their positions."""

    board: torch.Tensor  # int64[G, P, 15]
    pits: torch.Tensor  # bool[G, P]
    at: torch.Tensor  # int64[G, 2, P + 1]: the token at each place of the ways of the seat and of the other player
    length: torch.Tensor  # int64[G, 2]: of these ways
    actions: torch.Tensor  # int64[G, A, 2]
    static: torch.Tensor  # float32[G, P, D]: of each pit
    tokens: torch.Tensor  # float32[G, T, D]: of the rules
    there: torch.Tensor  # bool[G, T]: which of these there are; the first always is
    whole: torch.Tensor  # float32[G, D]: of all rules


def log_scaled(numbers: torch.Tensor) -> torch.Tensor:
    """The logarithm of a number's size, from 1 on, with its sign: float32."""
    numbers = numbers.float()
    return torch.sign(numbers) * torch.log1p(numbers.abs())


def listed(said: torch.Tensor, width: int) -> torch.Tensor:
    """What all pits of all positions say as one list, float32[m, D], from 1; 0 says nothing."""
    return nn.functional.pad(said.reshape(-1, width), (0, 0, 1, 0))


class Exchange(nn.Module):
    """Each pit hears from the pits where its last seed would fall, either way round, from those across and next to it,
    from those whose last seed would fall into it, from the rules, and from all pits together."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.send, self.give = nn.Linear(width, NEAR * width, bias=False), nn.Linear(width, width, bias=False)
        self.ask, self.offer = nn.Linear(width, width, bias=False), nn.Linear(width, 2 * width, bias=False)
        self.hear = nn.Linear(3 * width, 2 * width)
        self.take = nn.Linear(2 * width, width)
        self.all = nn.Linear(3 * width, width)

    def forward(
        self, pits: torch.Tensor, whole: torch.Tensor, there: torch.Tensor, near: torch.Tensor, read: Read,
        game: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
        """float32[n, P, D] and [n, D] of pits and the whole, anew. ``near``: int64[n * P, 4], tokens of all positions
        in one list from 1, 0 for none."""
        count, width = pits.shape[1:]
        seen = self.norm(pits)
        ways = torch.where(near > 0, near * NEAR - torch.arange(NEAR, device=near.device), 0)
        heard = nn.functional.embedding_bag(ways, listed(self.send(seen), width), mode="sum")
        given = self.give(seen).view(-1, width)
        heard = heard + torch.zeros_like(listed(given, width)).index_add(0, near[:, 0], given)[1:]
        keys, values = self.offer(read.tokens)[game].chunk(2, dim=2)
        answers = nn.functional.scaled_dot_product_attention(
            self.ask(seen), keys, values, attn_mask=read.there[game][:, None]
        )
        mixed = torch.cat((seen, heard.view_as(seen) + answers, whole[:, None].expand(-1, count, -1)), dim=2)
        pits = pits + self.take(nn.functional.gelu(self.hear(mixed)))
        shown = pits.masked_fill(~there[:, :, None], 0.0)
        mean = shown.sum(dim=1) / there.sum(dim=1, keepdim=True)
        most = pits.masked_fill(~there[:, :, None], -1e4).amax(dim=1)
        return pits, whole + nn.functional.gelu(self.all(torch.cat((whole, mean, most), dim=1)))


class FamilyNetwork(nn.Module):
    """Logits and a value of positions of any games, from ``mancala_env.family``.

    Parameters
    ----------
    width, layers : numbers of each token, and exchanges between tokens
    reads_rules : bool
        False: a network for comparison that sees the board, and nothing of the rules.
    """

    def __init__(self, width: int = 48, layers: int = 3, reads_rules: bool = True) -> None:
        super().__init__()
        self.width, self.layers, self.reads_rules = int(width), int(layers), bool(reads_rules)
        self.field, self.word = nn.Embedding(len(NAMES), width), nn.Embedding(len(WORDS), width)
        self.place = nn.Embedding(TOP_AT, width)
        self.numbers = nn.Linear(2, width)
        self.rule = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        self.no_rules = nn.Parameter(torch.zeros(width))
        self.lies = nn.Linear(len(_LIES), width)  # of where a pit lies
        self.row = nn.Embedding(8, width)
        # Of its seeds, how far they go beyond the store or fall short of it, its owner, and its mark.
        self.pit = nn.EmbeddingBag(sum(_OF_PIT), width, mode="sum")
        self.much, self.shown = nn.Linear(2, width), nn.Linear(len(PITS) - 2, width)
        self.counters = nn.Linear(3 * len(COUNTERS), width)
        self.exchanges = nn.ModuleList(Exchange(width) for _ in range(layers))
        self.kind = nn.Embedding(len(KINDS), width)
        self.action = nn.Sequential(nn.Linear(3 * width, width), nn.GELU(), nn.Linear(width, 1))
        self.value = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1))
        with torch.no_grad():
            for head in (self.action, self.value):  # at first all actions are about as likely
                for weights in head[-1].parameters():
                    weights.mul_(0.01)
            for said in (self.field, self.word):  # so that what no game to learn from says means nothing
                said.weight.zero_()

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.no_rules.device

    def read(self, features: StaticFeatures) -> Read:
        """What it makes of the rules of G games; ``features`` as ``Eyes.static``, stacked."""
        device = self.device
        board = torch.from_numpy(features.board).long().to(device)
        pits = torch.from_numpy(features.pit_mask).to(device)
        games, count = pits.shape
        at = torch.zeros((games, 2, count + 1), dtype=torch.long, device=device)
        for side, name in enumerate(("place", "their_place")):
            at[:, side].scatter_(
                1, board[:, :, _COLUMN[name]], torch.arange(1, count + 1, device=device).expand(games, -1)
            )
            at[:, side, 0] = 0
        length = torch.stack([board[:, :, _COLUMN[name]].amax(dim=1) for name in ("place", "their_place")], dim=1)
        where = log_scaled(torch.stack([board[:, :, _COLUMN[name]] for name in _LIES], dim=2))
        static = self.lies(where) + self.row(board[:, :, _COLUMN["row"]].clamp(max=7))
        actions = torch.from_numpy(features.actions).long().to(device)
        return Read(board, pits, at, length, actions, static, *self._rules(features))

    def _rules(self, features: StaticFeatures) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Tokens of the rules, float32[G, T, D], which of them there are, and all together, float32[G, D]."""
        lines = torch.from_numpy(features.rules).long().to(self.device)
        there = torch.from_numpy(features.rule_mask).to(self.device)
        token, field, word, low, high, at = lines.unbind(dim=2)
        games, most = len(lines), int(token.max()) + 1
        if not self.reads_rules:
            tokens = self.no_rules.expand(games, 1, -1)
            return tokens, torch.ones((games, 1), dtype=torch.bool, device=self.device), tokens[:, 0]
        said = self.field(field) * (1 + self.word(word)) + self.place(at.clamp(0, TOP_AT - 1))
        said = (said + self.numbers(log_scaled(torch.stack((low, high), dim=2)))) * there[:, :, None]
        tokens = torch.zeros((games, most, self.width), device=self.device)
        tokens = tokens.scatter_add(1, token[:, :, None].expand(-1, -1, self.width), said)
        tokens = tokens + self.rule(tokens)
        shown = torch.zeros((games, most), dtype=torch.bool, device=self.device).scatter(1, token, there)
        tokens = torch.cat((self.no_rules.expand(games, 1, -1), tokens[:, 1:]), dim=1)
        shown = torch.cat((torch.ones_like(shown[:, :1]), shown[:, 1:]), dim=1)
        whole = (tokens * shown[:, :, None]).sum(dim=1) / shown.sum(dim=1, keepdim=True)
        return tokens, shown, whole

    def forward(self, seen: Mapping[str, torch.Tensor], read: Read) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits, float32[n, A], of actions, legal or not, and values, float32[n], of n positions: the reward that the
        seat expects. ``seen``: "seeds", "pits", "counters" and "game", as ``FamilyBatch.observe`` gives them."""
        game, seeds = seen["game"], seen["seeds"].long()
        shown, counters = seen["pits"].long(), seen["counters"].float()
        there, board, total = read.pits[game], read.board[game], counters[:, _COUNTER["total"]].clamp(min=1.0)
        near, beyond = self._near(seeds, shown[:, :, 0], board, read, game)
        numbers = torch.stack((seeds.clamp(max=TOP_SEEDS), beyond, shown[:, :, 0], shown[:, :, 1]), dim=2)
        numbers = numbers + torch.tensor([sum(_OF_PIT[:k]) for k in range(len(_OF_PIT))], device=self.device)
        pits = read.static[game] + self.pit(numbers.view(-1, len(_OF_PIT))).view(*seeds.shape, self.width)
        pits = pits + self.much(torch.stack((torch.log1p(seeds.float()), seeds / total[:, None]), dim=2))
        pits = pits + self.shown(shown[:, :, 2:].float())
        share = counters / total[:, None]
        of_all = torch.cat((log_scaled(counters), share.clamp(-2, 2), (counters != 0).float()), dim=1)
        whole = read.whole[game] + self.counters(of_all)
        before = torch.arange(len(seeds), device=self.device)[:, None] * seeds.shape[1]  # in a list of all pits
        near = torch.where(near > 0, near + before[:, :, None], 0).view(-1, NEAR)
        for exchange in self.exchanges:
            pits, whole = exchange(pits, whole, there, near, read, game)
        kinds, at = read.actions[game].unbind(dim=2)
        pointed = nn.functional.embedding(torch.where(at > 0, at + before, 0), listed(pits, self.width))
        of_actions = torch.cat((pointed, self.kind(kinds), whole[:, None].expand_as(pointed)), dim=2)
        lead = STEEP * (share[:, _COUNTER["store"]] - share[:, _COUNTER["their_store"]])
        return self.action(of_actions).squeeze(2), torch.tanh(lead + self.value(whole).squeeze(1))

    @staticmethod
    def _near(
        seeds: torch.Tensor, owner: torch.Tensor, board: torch.Tensor, read: Read, game: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """int64[n, P, 4]: for each pit the tokens of the pits where its last seed falls if its seeds are sown one by
        one, without further laps, forward and backward, of the pit across, and of the next one; 0: none. Of stores only
        its owner's counts. And int64[n, P]: by how much its seeds go beyond that, or fall short of it, from 1; 0: no
        seeds fall there."""
        column = board.unbind(dim=2)
        theirs = owner == 2
        place, follows, to_store = (
            torch.where(theirs, column[_COLUMN[f"their_{name}"]], column[_COLUMN[name]])
            for name in ("place", "next", "to_store")
        )
        length = torch.where(theirs, read.length[game, 1, None], read.length[game, 0, None]).clamp(min=1)
        loop = length + (to_store > 0)
        past = torch.where((to_store > 0) & (seeds >= to_store), (seeds - to_store) // loop + 1, 0)
        in_store = (to_store > 0) & (seeds >= to_store) & ((seeds - to_store) % loop == 0)
        sown = (seeds > 0) & (place > 0)
        forward = (place - 1 + seeds - past) % length + 1
        backward = (place - 1 - seeds) % length + 1
        ways = read.at[game]
        falls = [
            torch.where(sown, torch.where(theirs, torch.gather(ways[:, 1], 1, to), torch.gather(ways[:, 0], 1, to)), 0)
            for to in (forward, backward)
        ]
        falls[0] = torch.where(in_store, 0, falls[0])
        near = torch.stack((*falls, column[_COLUMN["facing"]], follows), dim=2)
        beyond = torch.where(to_store > 0, (seeds - to_store).clamp(-TOP_PLACE, TOP_PLACE) + TOP_PLACE + 1, 0)
        return near, beyond

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All weights by name."""
        return {name: tensor.detach().cpu().numpy() for name, tensor in self.state_dict().items()}

    @property
    def digest(self) -> str:
        """A digest of all weights, in hexadecimal."""
        return array_file.digest_of(self.arrays())

    def tensors(self, seen: Mapping[str, npt.NDArray[Any]]) -> dict[str, torch.Tensor]:
        """What ``FamilyBatch.observe`` gives, as tensors on the device."""
        return {key: torch.from_numpy(array).to(self.device) for key, array in seen.items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to one file in one step."""
        header = {"reads": DIGEST, "width": self.width, "layers": self.layers, "reads_rules": self.reads_rules}
        array_file.save(path, _KIND, header, self.arrays())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "FamilyNetwork":
        """The network that ``save`` wrote to ``path``, the file or its folder. FileNotFoundError if there is none;
        ValueError if it is damaged, or reads another format of games than this version writes.
        """
        file = Path(path) / FILE_NAME if Path(path).is_dir() else Path(path)
        if not file.is_file():
            raise FileNotFoundError(
                f"there is no network {file}; it is a run folder of mancala train family, or its {FILE_NAME}"
            )

        def made(header: dict[str, Any], arrays: dict[str, Any]) -> FamilyNetwork:
            if header["reads"] != DIGEST:
                raise ValueError("it reads rules as another version tells them")
            if not 0 < int(header["width"]) <= WIDEST or not 0 < int(header["layers"]) <= DEEPEST:
                raise ValueError("its sizes are none that a network here has")
            network = cls(*(header[name] for name in ("width", "layers", "reads_rules")))
            network.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in arrays.items()})
            return network.requires_grad_(False).eval()

        return array_file.load(file, _KIND, made)


class FamilyAgent(Player):
    """Plays every game by a network that reads its rules: the action that it holds likeliest.

    Parameters
    ----------
    network : one in memory, or a run folder of ``mancala train family``, or its file
    ahead : bool
        True: it plays every action by the rules, and takes the one after which it values the position most.
    """

    reads_positions = True

    def __init__(
        self, network: FamilyNetwork | str, ahead: bool = False, seed: int = 0, name: str | None = None
    ) -> None:
        self.network = network if isinstance(network, FamilyNetwork) else FamilyNetwork.load(network)
        path = network if isinstance(network, str) else "own"
        said = spec("family", path=path, ahead=ahead or None)
        self.name, self.ahead = name or said, ahead
        self._eyes: dict[Ruleset, Eyes] = {}
        self.reset(seed)

    def _act_in(self, rules: Ruleset, turns: Turns) -> npt.NDArray[np.int64]:
        (positions, seats), masks = seats_of(rules, turns), turns.masks[turns.games]
        if (eyes := self._eyes.get(rules)) is None:
            eyes = self._eyes[rules] = Eyes([rules], needed([rules]))
        if not self.ahead:
            logits = self._thought(eyes, positions, seats)[0][:, : masks.shape[1]]
            return np.where(masks, logits, -np.inf).argmax(axis=1)
        games, actions = np.nonzero(masks)
        after, seats, leads = positions[games], seats[games], np.zeros(len(games), dtype=np.int64)
        history, ahead = np.zeros((len(games), 2), dtype=np.uint64), rules.without_repetition.rules
        play_games(np.arange(len(games)), actions, after, masks[games], history, layout.NO_LOG, ahead)
        leads_of(after, seats, leads, ahead)
        movers, over = after[:, rules.board.pits + layout.MOVER], after[:, rules.board.pits + layout.OVER] != 0
        values = self._thought(eyes, after, movers.astype(np.int8))[1] * np.where(movers == seats, 1, -1)
        worth = np.full(masks.shape, -np.inf)
        worth[games, actions] = np.where(over, 2 * np.sign(leads), values)
        return worth.argmax(axis=1)

    def _thought(
        self, eyes: Eyes, positions: npt.NDArray[np.int16], seats: npt.NDArray[np.int8]
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Logits, float32[m, A], and values, float32[m], of positions of a game."""
        with torch.inference_mode():
            seen = eyes.see(positions, seats, np.zeros(len(positions), dtype=np.int64))
            logits, values = self.network(self.network.tensors(seen), self.network.read(eyes.static))
        return logits.cpu().numpy(), values.cpu().numpy()
