"""Add and list the trained agents of the repository: ``mancala train zoo add runs/oware --name oware``, ``list``.

``zoo:oware`` then names the agent for ``make_agent`` (``agents.zoo``); ``mancala train card zoo:oware`` shows the whole
model card of one.
"""

import os
import re
import shlex
import shutil
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents import zoo
from agents.policy import card, card_page
from agents.provenance import write_json
from agents.reading import read_json
from agents.zoo import FILE_NAME
from mancala_env.cli import Parser, fail

if TYPE_CHECKING:
    from agents.policy.network import PolicyNetwork

MOST_BYTES = 2_000_000
WIDTH = 80  # letters of a line of the list
LEAST_AGREEMENT = 0.99  # of float16 with float32; they differ only where two actions are almost equally good


def add(run: Path, name: str, *, half: bool = False, overwrite: bool = False) -> Path:
    """Copy the policy or the evaluation of a finished run, and its model card, into the zoo; returns the new folder.
    ``half`` stores the weights as float16; refused if this changes the action in more than 1 % of positions. Raises
    FileNotFoundError or ValueError if there is no finished run with an evaluation, the name is invalid, or the file is
    too large; FileExistsError if the name is taken."""
    from agents.policy.network import PolicyNetwork  # imports torch, as what else is imported here does
    from agents.search.evaluation import Evaluation
    from training.run import EVALUATION, PROVENANCE, read_or_nothing
    from training.timing import time_of

    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]*", name):
        raise ValueError(
            f"{name!r} is no name for an agent of the zoo: use small letters, digits, - and _, as in oware-2"
        )
    if name in (*zoo.names(), *zoo.evaluations()) and not overwrite:
        raise FileExistsError(f"the zoo has an agent {name!r} already; choose another --name, or --overwrite it")
    searches = (run / zoo.EVALUATION).is_file()
    if searches != name.endswith(zoo.SEARCH):
        raise ValueError(
            f"names of agents that search with a learned evaluation end in {zoo.SEARCH}, those of policies do not: "
            f"{name!r} does not fit {run}"
        )
    network: Any = Evaluation.load(run / zoo.EVALUATION) if searches else PolicyNetwork.load(run)
    said = card.read(run / (zoo.EVALUATION if searches else FILE_NAME))
    evaluation = read_or_nothing(run / EVALUATION)
    if said is None or "training" not in read_or_nothing(run / PROVENANCE):
        raise ValueError(f"{run} has not finished: {PROVENANCE} does not say how long it trained; --resume it first")
    if not evaluation.get("results"):
        raise ValueError(
            f"{run} has no evaluation, and an agent of the zoo says how good it is: train with --pairs 100 or so, or "
            f"write it with mancala evaluate {run} --json {run / EVALUATION}"
        )
    said["evaluation"] = {key: evaluation[key] for key in ("seed", "opening_plies", "results") if key in evaluation}
    for result in evaluation["results"]:
        alone = re.sub("policy:path=[^,]*", f"zoo:{name}", result["agent"])
        result["agent"] = re.sub("(network|evaluation)=[^,]*", rf"\1=zoo:{name}", alone)
    said["made"]["command"] = _without_out(said["made"]["command"])
    said["training"]["config"]["out"] = ""  # the folder on the training machine
    if not searches:
        said |= {"time": time_of(network), **({"float16": _agreement(network, run)} if half else {})}
    folder, unfinished = zoo.FOLDER / name, zoo.FOLDER / f".{name}.{os.getpid()}"
    try:
        unfinished.mkdir()
        weights = unfinished / said["file"]
        network.save(weights, **({"half": True} if half else {}))
        if (size := weights.stat().st_size) > MOST_BYTES:
            raise ValueError(
                f"the policy of {run} takes {size:,} bytes, and the zoo holds files of at most {MOST_BYTES:,}: "
                + ("train one with fewer layers" if half else "store it in half of that with --float16")
            )
        write_json(zoo.beside(weights), {**said, "sha256": card.digest(weights)})
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder


def _agreement(network: "PolicyNetwork", run: Path) -> dict[str, Any]:
    """The share of positions of random games in which float16 picks the same action. Raises ValueError if too small."""
    from agents.policy.agent import PolicyAgent
    from mancala_env.batch import Batch

    rounded = network.copy()
    rounded.load_state_dict({key: weights.half().float() for key, weights in network.state_dict().items()})
    batch = Batch(network.rules, 64, seed=0, encoder=network.encoder.name)
    players, same = [PolicyAgent.of(each, "it") for each in (network, rounded)], []
    for _ in range(40):
        ours, theirs = (each.act_batch(batch.observe(), batch.legal_mask) for each in players)
        same.append((ours == theirs).mean())
        batch.play(batch.random_actions())
    share = sum(same) / len(same)
    if share < LEAST_AGREEMENT:
        raise ValueError(
            f"as float16 the policy of {run} plays another action in {1 - share:.1%} of positions: leave --float16 out"
        )
    return {"positions": 64 * len(same), "same_action": round(float(share), 4)}


def _without_out(command: str) -> str:
    """A command without ``--out`` and its folder; what is said in place of a command, as it is."""
    if not command.startswith(("mancala ", "python ")):
        return command
    words = shlex.split(command)
    if "--out" in words:
        at = words.index("--out")
        del words[at : at + 2]
    return shlex.join(words)


def listing() -> str:
    """The agents of the zoo, in the words of their model cards' pages (``agents.policy.card_page``), in lines of at
    most ``WIDTH`` letters, none of which cuts a name; scores in percent."""
    lines = []
    for name in sorted({*zoo.names(), *zoo.evaluations()}):
        searches = name in zoo.evaluations()
        weights = zoo.find_evaluation(name) if searches else zoo.find(name)
        said: Any = card.read(weights)
        rules = said["rules"]
        sees = ["searches with a learned evaluation"] if searches else [said["encoder"]["name"], card_page.sees(said)]
        about = [rules["id"], *([card_page.game_of(said)] if rules["changes"] else []), *sees]
        about += [f"{weights.stat().st_size / 1000:.0f} kB", *filter(None, [card_page.takes(said)])]
        scores = [
            f"playing as {result.search}: {100 * result.score:.1f} against {result.opponent}"
            if result.search
            else f"{result.opponent} {100 * result.score:.1f}"
            for result in card_page.results(said)
        ]
        lines.append(name)
        for items in (about, scores):
            whole = ", ".join(item.replace(" ", "\0") for item in items)  # an item is not broken
            lines += textwrap.wrap(
                whole, WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False,
                break_on_hyphens=False,
            )  # fmt: skip
    for path in zoo.FOLDER.glob(f"{zoo.FAMILY}/{zoo.FAMILY}.json"):
        lines += [zoo.FAMILY, *textwrap.wrap(f"    {read_json(path)['plays']}", WIDTH, subsequent_indent="    ")]
    return "\n".join(lines).replace("\0", " ")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = Parser("mancala train zoo", __doc__, allow_abbrev=False)
    adding = parser.add_command("add", "copy the policy of a finished run, with its model card, into the zoo")
    adding.add_argument("run", type=Path, metavar="RUN", help="a run folder")
    adding.add_argument("--name", required=True, help="what the agent will be called: zoo:NAME")
    adding.add_argument("--float16", action="store_true", help="store the weights in half the bytes")
    adding.add_argument("--overwrite", action="store_true", help="replace the agent of that name")
    parser.add_command("list", "list the agents: game, input, plies ahead, size, time a move, scores")
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "add":
            new = asked.add
            folder = add(new.run, new.name, half=new.float16, overwrite=new.overwrite)
            size = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
            print(f"zoo:{new.name} is in {folder}, {size:,} bytes")
        else:
            print(listing() or f"the zoo is empty: {zoo.FOLDER} holds no agent; mancala train zoo add RUN --name NAME")
    except (OSError, ValueError) as error:
        fail(parser.prog, error)
