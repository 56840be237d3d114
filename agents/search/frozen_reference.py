"""Reference opponents that search with a learned evaluation that never changes (``agents.reference.LEARNED``)."""

from functools import lru_cache

from agents import zoo
from agents.reference import EVALUATIONS, LEARNED
from agents.search.evaluation import Evaluation
from agents.search.minimax import MinimaxAgent
from mancala_env.games import ruleset
from mancala_env.rules import Ruleset
from mancala_env.rules.plain import called

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
    """An opponent of ``agents.reference.LEARNED``: alpha-beta to a fixed depth on the frozen evaluation of a game."""

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
