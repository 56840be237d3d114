"""Reference opponents (``make_agent`` takes their names), so that scores can be compared from year to year. What a name
means is fixed for ever: a better definition gets the next version, ``v2-...``, and this one stays."""

from functools import lru_cache

from agents import zoo
from agents.search import MinimaxAgent
from agents.search.evaluation import Evaluation
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called

# Plies of alpha-beta on the margin in seeds (in games that are not about seeds on the heuristic ``margin`` in
# ``mancala_env.kernels.scores``), an extra turn being a ply, with uniform choice among all actions of the highest
# value. None: uniform choice among all legal actions.
REFERENCE: dict[str, int | None] = {
    "v1-random": None,
    "v1-depth1": 1,
    "v1-depth2": 2,
    "v1-depth4": 4,
    "v1-depth6": 6,
    "v1-depth8": 8,
}

# Plies of alpha-beta on the learned evaluation of the game, with the same choice among equals. Six, where a search
# leaves no move out, so that the value of a position is a matter of the evaluation alone, not of how the search finds
# it. A game without an evaluation has no such opponent.
LEARNED: dict[str, int] = {"v1-search": 6}

# The evaluations of these opponents: the digest of the numbers of each (``Evaluation.digest``), by the text of its
# game. The files are copies of their own, in agents/zoo/v1-search, which those of the zoo may move away from.
EVALUATIONS: dict[str, dict[str, str]] = {
    "v1-search": {
        "awari": "9e583f566087b524d6c56ca7204d871881851ef1a79d093f22fdae7273cafd80",
        "bao_kujifunza": "9d53ead3988e57912a895e81fcfdd9e3cea32096601076257b964e417b32ea7b",
        "hus": "0d4a7489dc9ca3cff89a502dc877c41d5067d9c22031db3014655304d007d49c",
        "kalah:empty_capture=true": "8e7b2287ae5011e79b0500a0d39820c00d2ce683c14eb95f379d66512d8077d1",
        "kalah": "fed76a7e56d1b7e95cc81e40cd56dfdef185624a3feb90bdb3d81bad7ba87ced",
        "layli_goobalay": "a4c74dfaaf6c131b57ad213e12ca340169474a962a686e19a537b0257e1399b7",
        "oware": "d5ee0b2e169aea3158c63caf40638cc5ba96ef3727133c2e2d53f17f97290317",
        "oware_liberta": "066c99aa3a5ebd52bb200afa5fe63901139555039e31cf76c66074265cbd2411",
        "oware_tutti_a_casa": "687741b05bcc5e5b558f58f0dd6e8323c12420d17160a02dbb154d131407eb79",
        "sungka": "f8878e3378926d6c4421a366528dcf5c28cd924a29619c85357c9d43aacfb423",
        "toguz": "dccaa286d73be3224f945fd52eae9869f23a36d137306f16fbe139a0e6177998",
    }
}

NAMES = (*REFERENCE, *LEARNED)  # from the weakest on

DIGITS = 16  # of its digest, in the name of a file


@lru_cache(maxsize=32)
def frozen_evaluation(name: str, rules: Ruleset) -> Evaluation:
    """The evaluation that reference ``name`` had for a game when named. ValueError if missing or damaged."""
    digest = next((digest for text, digest in EVALUATIONS[name].items() if ruleset(text) == rules), None)
    if digest is None:
        raise ValueError(
            f"{name} has no evaluation of {called(rules)} and does not play it; it plays "
            f"{', '.join(EVALUATIONS[name])}, and v1-depth8 plays every game"
        )
    path = zoo.FOLDER / name / f"{digest[:DIGITS]}.safetensors"
    if not path.is_file():
        raise ValueError(
            f"{name} needs {path}, which is not there: reference opponents with evaluations ship with the repository, "
            "not with the package mancala-env"
        )
    found = Evaluation.load(path)
    if found.digest != digest:
        raise ValueError(f"{path} is not the evaluation that {name} was defined with: bring back the file")
    return found


class FrozenReference(MinimaxAgent):
    """An opponent of ``LEARNED``: alpha-beta to a fixed depth on the frozen evaluation of a game."""

    def __init__(self, name: str, seed: int = 0) -> None:
        super().__init__(LEARNED[name], seed, name)

    def evaluator(self, rules: Ruleset) -> Evaluation:
        """Its evaluation of a game. Raises ValueError if it has none."""
        return frozen_evaluation(self.name, rules)

    def refusal(self, rules: Ruleset) -> str:
        """Why it does not play a game; "" if it does."""
        try:
            self.evaluator(rules)
        except (ValueError, OSError) as error:
            return str(error)
        return ""
