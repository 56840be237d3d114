"""Write a trained policy as an ONNX file: ``mancala train export runs/oware --onnx``.

The file holds the network alone: whoever runs it makes the observations (``mancala_env.observation``; the metadata of
the file name the encoder) and bars illegal actions. Before it is written, onnxruntime plays it against the policy that
it was made from.
"""

import contextlib
import io
import json
import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from agents.policy import card
from agents.policy.card import policy_file
from agents.policy.network import Module, PolicyNetwork
from agents.provenance import rules_digest, write_bytes
from mancala_env import __version__
from mancala_env.batch import Batch
from mancala_env.cli import Parser, fail

INPUT, OUTPUTS = "observation", ("logits", "value")
TOLERANCE = 1e-3  # of an output, as a difference or as a share of it: both run in float32, summed in another order
GAMES, PLIES = 64, 20  # of the positions that both are asked about


class Agreement(NamedTuple):
    """How an ONNX file compares with its policy in ``positions`` of random games: the largest differences of ``logits``
    and ``value``, and in how many the legal action with the largest logit is the same (``same_action``)."""

    positions: int
    logits: float
    value: float
    same_action: int


def export_onnx(
    run: str | os.PathLike[str], file: str | os.PathLike[str] | None = None, network: Module | None = None
) -> tuple[Path, Agreement]:
    """Write a policy (a run folder, a policy file, or ``zoo:NAME``) as an ONNX file, in one step, after a check of it;
    returns the file and how it compares with the policy.

    Its input is ``observation``, ``float32[n, *encoder.shape]``, n free; its outputs are ``logits``, float32[n, A], for
    each action whether legal or not, and ``value``, float32[n]. The file's metadata are those of ``metadata``. ``file``
    is ``policy.onnx`` beside the policy if not given, ``NAME.onnx`` here for ``zoo:NAME``; ``network`` is what
    ``PolicyNetwork.load`` takes.

    Raises ImportError if onnx, onnxscript or onnxruntime is missing; FileNotFoundError and ValueError as
    ``PolicyNetwork.load`` does; ValueError also if the network cannot be written as ONNX, or plays differently
    there."""
    weights, name = policy_file(run), str(run)
    in_zoo = name.startswith("zoo:")
    target = Path(file or (f"{name.removeprefix('zoo:')}.onnx" if in_zoo else weights.with_suffix(".onnx")))
    policy = PolicyNetwork.load(run, network)
    content = to_onnx(policy, {**metadata(policy), "policy_sha256": card.digest(weights)}, name)
    agreement = compare(policy, content)
    if agreement.same_action < agreement.positions:
        raise ValueError(
            f"{name} as ONNX plays another action in {agreement.positions - agreement.same_action} of "
            f"{agreement.positions} positions (logits differ by up to {agreement.logits:.2g}), so nothing was written: "
            "its network computes what this exporter does not write faithfully; replace that part of it"
        )
    write_bytes(target, content)
    return target, agreement


def metadata(network: PolicyNetwork) -> dict[str, str]:
    """What the metadata of an ONNX file say about a network. ``changes`` is JSON, and so is the whole ``ruleset``,
    there where the game has no name. The value is the expected reward for the player to move, -1..1, less ``shaping``
    times the lead in captured seeds as a share of all; ``margin`` is the share of the reward that is the lead at the
    end."""
    rules, encoder, header = network.rules, network.encoder, network.header()
    told = {
        "rules": rules.id,
        "changes": json.dumps(header["changes"]),
        **({"ruleset": json.dumps(header["ruleset"])} if "ruleset" in header else {}),
        "rules_text": repr(rules),
        "rules_sha256": rules_digest(rules),
        "encoder": encoder.name,
        "encoder_version": encoder.version,
        "plies_ahead": encoder.lookahead,
        "shaping": network.shaping,
        "margin": network.margin,
        "network": network.network,
        "package": f"mancala_env {__version__}",
    }
    return {name: str(value) for name, value in told.items()}


def to_onnx(network: PolicyNetwork, about: dict[str, str], name: str = "the policy") -> bytes:
    """The content of the ONNX file of a network, with ``about`` as metadata; errors call it ``name`` and are those of
    ``export_onnx``."""
    try:
        import onnx
        import onnxruntime  # noqa: F401, for the check
        import onnxscript  # noqa: F401, torch asks for it
    except ImportError as error:
        raise ImportError(f'ONNX files need {error.name}: pip install -e ".[export]"') from error
    module = network.copy().to("cpu").eval()
    example = torch.zeros(2, *network.encoder.shape)
    try:
        with _quiet():
            made = torch.onnx.export(
                module, (example,), dynamo=True, verbose=False, input_names=[INPUT], output_names=list(OUTPUTS),
                dynamic_shapes=({0: torch.export.Dim("n")},),
            )  # fmt: skip
    except torch.onnx.OnnxExporterError as error:
        cause = error.__cause__ or error
        raise _refusal(name, f"{type(cause).__name__}: {' '.join(str(cause).split())[:300]}") from None
    assert made is not None
    model = made.model_proto
    if not model.graph.input[0].type.tensor_type.shape.dim[0].dim_param:  # found by what the network does with it
        raise _refusal(name, "its network takes no other number of observations than the two it was shown")
    model.producer_name, model.producer_version = "mancala_env", __version__
    model.doc_string = (
        f"A policy for {network.rules.id}. observation: what encoder {network.encoder.name!r} of mancala_env shows the "
        "player to move. logits: one for each action, legal or not. value: the expected reward for the player to move "
        "(-1..1), less the metadata's shaping times the lead in captured seeds as a share of all seeds."
    )
    onnx.helper.set_model_props(model, about)
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


def _refusal(name: str, why: str) -> ValueError:
    return ValueError(
        f"{name} cannot be written as ONNX: {why}; write its network with operations that ONNX has, for any number of "
        "observations"
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without what torch logs, warns of and prints: packages that it lacks, names that grow old, graphs it gave up."""
    level = logging.root.manager.disable
    logging.disable()
    try:
        nowhere = io.StringIO()
        with warnings.catch_warnings(), contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(level)


def compare(network: PolicyNetwork, content: bytes) -> Agreement:
    """How an ONNX file compares with its network, on one ply in one batch and on a few of the next one by one. Raises
    ValueError if it differs too much."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def asked(observations: Any) -> list[Any]:
        try:
            return list(session.run(list(OUTPUTS), {INPUT: observations}))
        except Exception as error:  # onnxruntime has no class of its own for what goes wrong in a graph
            why = " ".join(str(error).split())[:300]
            raise _refusal("the policy", f"onnxruntime stops at {len(observations)} observations: {why}") from None

    batch = Batch(network.rules, GAMES, seed=0, encoder=network.encoder.name)
    apart, same, positions = np.zeros(2), 0, 0
    for ply in range(PLIES):
        some = 8 if ply % 2 else GAMES
        observations, masks = batch.observe()[:some], batch.legal_mask[:some]
        parts = [asked(each) for each in np.split(observations, some if ply % 2 else 1)]
        theirs = [np.concatenate(outputs) for outputs in zip(*parts, strict=True)]
        with torch.inference_mode():
            ours = [output.cpu().numpy() for output in network(torch.from_numpy(observations).to(network.device))]
        for name, mine, its in zip(OUTPUTS, ours, theirs, strict=True):
            if mine.shape != its.shape or not np.allclose(mine, its, rtol=TOLERANCE, atol=TOLERANCE):
                raise ValueError(
                    f"the {name} of the policy as ONNX differ from its own by more than {TOLERANCE}: its network "
                    "computes what this exporter does not write faithfully; replace that part of it"
                )
        apart = np.maximum(apart, [np.abs(mine - its).max() for mine, its in zip(ours, theirs, strict=True)])
        best = [np.where(masks, logits, -np.inf).argmax(axis=1) for logits in (ours[0], theirs[0])]
        same += int((best[0] == best[1]).sum())
        positions += some
        batch.play(batch.random_actions())
    return Agreement(positions, float(apart[0]), float(apart[1]), same)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command."""
    parser = Parser("mancala train export", __doc__, allow_abbrev=False)
    parser.add_argument("run", metavar="RUN", help="a run folder, a policy file, or zoo:NAME")
    parser.add_argument(
        "--onnx", metavar="FILE", nargs="?", const="", required=True,
        help="the file to write; without FILE policy.onnx beside the policy, and NAME.onnx here for zoo:NAME",
    )  # fmt: skip
    parser.add_argument(
        "--network", metavar="PACKAGE.MODULE:CLASS", default="",
        help="the class of the network, for a policy with one of your own; it is imported",
    )  # fmt: skip
    asked = parser.parse_args(arguments)
    try:
        file, agreement = export_onnx(asked.run, asked.onnx or None, asked.network or None)
    except (OSError, ValueError, ImportError) as error:
        fail(parser.prog, error)
    print(f"{asked.run} is in {file}, {file.stat().st_size:,} bytes")
    print(
        f"onnxruntime plays the same action in {agreement.same_action} of {agreement.positions} positions of random "
        f"games; logits differ by {agreement.logits:.1e} at most, values by {agreement.value:.1e}"
    )
