"""Show the model card of a policy or an evaluation: ``mancala train card zoo:oware``.

What it sees, how strong it is, how long a move takes, how it was made, and what it is not for. Each policy
of the zoo has the same card as a page of the documentation.
"""

from collections.abc import Sequence

from rich.markdown import Markdown

from agents import zoo
from agents.policy import card
from agents.policy.card import policy_file
from agents.policy.card_page import to_markdown
from agents.search.evaluation import evaluation_file
from agents.zoo import EVALUATION
from mancala_env.cli import Parser, fail
from training.cli import make_console


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = Parser("mancala train card", __doc__, allow_abbrev=False)
    parser.add_argument("run", metavar="RUN", help="a run folder, a policy file, or zoo:NAME")
    asked = parser.parse_args(arguments)
    try:
        found = evaluation_file(asked.run)
        weights = found if found is not None and found.name == EVALUATION else policy_file(asked.run)
        said = card.read(weights)
        if said is None:
            raise ValueError(
                f"{asked.run} has no model card: there is no {zoo.beside(weights).name} beside {weights.name}; a run "
                "writes it as it finishes, so --resume it"
            )
        make_console().print(Markdown(to_markdown(said, asked.run)))
    except (OSError, ValueError) as error:
        fail(parser.prog, error)
