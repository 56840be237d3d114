"""The settings of an AlphaZero run."""

from dataclasses import dataclass

from mancala_env.cli import GAME
from mancala_env.rules import Ruleset
from training import settings
from training.cli import setting
from training.settings import ANY, Ranges, RunSettings

COMMAND = "mancala train alphazero"


@dataclass(frozen=True)
class AlphaZeroConfig(RunSettings):
    """Train policy and value of a mancala game by tree search against itself, then score them."""

    rules: str | Ruleset = setting("kalah", GAME)
    encoder: str = setting("onehot", "what the network sees: a key of mancala_env.observation.ENCODERS")
    init_from: str = setting("", "a policy to begin with, of this game or a variant; its encoder and layers then count")
    out: str = setting("", "folder of the run; runs/<game>-alphazero if not given")
    seed: int = setting(0, "fixes the run: the same seed gives the same weights, with any number of processes")
    rounds: int = setting(200, "rounds of self-play and learning")
    minutes: float = setting(0.0, "stop after the first round that ends later than this; 0: no limit")

    network: str = setting("mlp", "kind of network: a key of agents.policy.layers.NETWORKS, or package.module:Class")
    layers: tuple[int, ...] = setting((256, 256), "width of each layer shared by policy and value")
    activation: str = setting("relu", "between the layers: relu, tanh or elu")
    action_head: int = setting(0, "units of the layer shared by all actions; 0: none (needs a lookahead encoder)")

    games: int = setting(256, "games of self-play at the same time")
    group: int = setting(64, "games that are searched together, in one process")
    moves: int = setting(16, "moves played in each game in a round")
    simulations: int = setting(64, "of the full search for a move, whose result is learnt from")
    fast_simulations: int = setting(16, "of the fast search for the other moves, which only play on")
    full_share: float = setting(0.25, "share of moves that are searched fully (playout cap randomisation)")
    considered: int = setting(16, "maximum number of actions that the search of a position begins with")
    batch: int = setting(4, "positions of one tree that the network evaluates in one pass")
    exploration: float = setting(1.5, "how much priors and visits weigh against results below the position searched")
    reward: str = setting("result", "what the end of a game brings: result, or margin, the lead in seeds")
    margin: float = setting(0.3, "with the reward result: the share of it that the lead at the end takes")
    sampled_plies: int = setting(12, "plies of a game in which also fast searches have noise; then only full ones")
    game_opening_plies: int = setting(4, "maximum number of random plies at the start of a game of training")
    fixed_opponents: tuple[str, ...] = setting((), "players to be met besides the learner itself, as minimax:depth=4")
    fixed_share: float = setting(0.0, "share of games against fixed_opponents; in these the learner has one seat")

    buffer: int = setting(200_000, "number of latest positions to learn from")
    passes: float = setting(4.0, "how often each position is learnt from, on average over its time in the buffer")
    batch_size: int = setting(512, "positions in a gradient step")
    learning_rate: float = setting(1e-3, "of Adam, at the start")
    final_learning_rate: float = setting(1e-4, "of Adam, at the end; it falls along a line")
    decay: float = setting(1e-5, "weight decay")
    value_weight: float = setting(1.0, "weight of the value loss relative to the policy loss")
    root_value: float = setting(0.4, "share of the search's value in the target of the value; the rest is the reward")

    processes: int = setting(0, "processes of self-play; 0: one for each core; 1: none besides this one")
    ray: str = setting("", "play on a Ray cluster instead: its address, or local")
    threads: int = setting(1, "threads of torch for learning")
    save_every: int = setting(5, "rounds between two saves of policy and checkpoint")
    curve_every: int = setting(10, "rounds between two points of the curves against curve_opponents; 0: none")
    curve_opponents: tuple[str, ...] = setting(("minimax:depth=2",), "scored against while training, policy alone")
    curve_pairs: int = setting(25, "pairs of games against each of them")
    opponents: tuple[str, ...] = setting(("random", "minimax:depth=2", "minimax:depth=4"), "scored against at the end")
    pairs: int = setting(100, "pairs of games against each of them, by the policy alone; 0: no scoring")
    opening_plies: int = setting(4, "random plies at the start of each pair")
    search_opponents: tuple[str, ...] = setting((), "scored against at the end, with search")
    search_simulations: int = setting(800, "of that search")

    SUFFIX = "-alphazero"

    def __post_init__(self) -> None:
        self.check(_RANGES, "self-play")

    @property
    def share_of_margin(self) -> float:
        """From 0 to 1: how much of the reward is the lead at the end, as a share of all seeds."""
        return 1.0 if self.reward == "margin" else self.margin

    @property
    def groups(self) -> int:
        """The number of groups of games."""
        return -(-self.games // self.group)


_RANGES: Ranges = {
    "rounds": (1, ANY),
    "minutes": (0, ANY),
    "games": (1, ANY),
    "group": (1, ANY),
    "moves": (1, ANY),
    "simulations": (2, 1_000_000),
    "fast_simulations": (2, 1_000_000),
    "full_share": (0.01, 1),
    "considered": (1, 65_536),
    "batch": (1, 65_536),
    "exploration": (0, ANY),
    "margin": (0, 1),
    "sampled_plies": (0, ANY),
    "fixed_share": (0, 0.99),
    "buffer": (1, ANY),
    "passes": (0, ANY),
    "final_learning_rate": (0, 1),
    "decay": (0, 1),
    "root_value": (0, 1),
    "processes": (0, 4096),
    "search_simulations": (1, 1_000_000),
}
# Settings that may change between stop and resume; rounds and minutes make the run longer.
FREE_TO_CHANGE = settings.FREE_TO_CHANGE | {
    "rounds", "minutes", "processes", "ray", "search_opponents", "search_simulations"
}  # fmt: skip
