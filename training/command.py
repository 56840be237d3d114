"""The command of a trainer: its options, how a run begins or goes on by it, and with which status it ends."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from agents.executors import WorkerDied
from agents.policy.layers import NETWORKS
from agents.zoo import FILE_NAME
from mancala_env.cli import Parser, fail
from mancala_env.games import ruleset
from mancala_env.progress import at_work
from mancala_env.rules.plain import text_of
from training.checkpoint import CheckpointError
from training.cli import as_option, make_parser, options, parse
from training.run import CONFIG, Diverged, read_settings, settings_of, warner
from training.settings import RunSettings

INTERRUPTED = 130  # the exit status of a command that Ctrl-C ended, as shells have it


@dataclass
class Command:
    """The command of a trainer. Its exit status is 0, also where a callback has stopped the training; 2 if the
    arguments or the run folder are wrong, 3 if training diverged, 130 if Ctrl-C ended it. A run that goes on takes the
    settings ``longer`` and ``free`` from the command line; ``defaults`` are better for a game; ``device``: the help of
    ``--device``."""

    name: str
    config: type[Any]
    train: Callable[..., Any]
    longer: Sequence[str]
    free: Sequence[str] = ()
    defaults: Callable[[Any], Mapping[str, Any]] = lambda rules: {}
    device: str = "where to compute: auto, cpu, cuda or mps"

    def parser(self) -> Parser:
        """With an option for each setting, ``--device``, ``--overwrite`` and ``--resume``."""
        parser = make_parser(self.config, self.name)
        parser.add_argument("--device", default="auto", help=self.device)
        parser.add_argument("--overwrite", action="store_true", help="replace the run that the folder holds")
        longer = " and ".join(map(as_option, self.longer))
        parser.add_argument(
            "--resume",
            action="store_true",
            help=f"go on with the run that the folder holds, with its own settings; only {longer} may make it longer",
        )
        return parser

    def __call__(self, arguments: Sequence[str] | None = None) -> None:
        """Train as a command line says, that of the shell if none is given."""
        parser, config = self.parser(), None
        try:
            asked = options(parser, arguments)
            if asked["overwrite"] and asked["resume"]:
                fail(self.name, "--overwrite begins a run anew and --resume goes on with it; choose one")
            if asked["resume"]:
                folder = self.config.folder_of(asked["out"], asked.get("rules"))
                config = config_of_run(self.config, folder, parser, arguments, (*self.longer, *self.free))
            else:
                parser.set_defaults(dict(self.defaults(asked.get("rules"))))
                config, _ = parse(parser, self.config, arguments)
            with at_work(self.name):
                done = self.train(config, device=asked["device"], overwrite=asked["overwrite"], resume=asked["resume"])
        except (OSError, ValueError, ImportError, WorkerDied) as error:
            fail(self.name, error)
        except MemoryError as error:
            fail(self.name, f"these settings take more memory than there is ({error}): choose smaller ones")
        except Diverged as error:
            fail(self.name, error, status=3)
        except KeyboardInterrupt:
            self._stopped(config, "at once")
        if not done.interrupted:
            for line in what_next(config):
                print(line, flush=True)
        else:
            until = getattr(config, self.longer[0])
            self._stopped(config, f"after {done.steps:,} of {until:,} {self.longer[0]}")

    def _stopped(self, config: RunSettings | None, when: str) -> NoReturn:
        """Say how to go on, and exit."""
        if config is None or not (config.folder / CONFIG).exists():
            fail(self.name, "stopped before there was a run", status=INTERRUPTED)
        fail(self.name, f"stopped {when}; go on with: {self.going_on(config)}", status=INTERRUPTED)

    def going_on(self, config: Any) -> str:
        """The command line that goes on with a run."""
        return shlex.join([*self.name.split(), "--resume", "--out", str(config.folder), *own_network(config)])


def own_network(config: Any) -> list[str]:
    """The words that ask for a run's network if it is one of one's own; [] if not."""
    own = getattr(config, "network", "mlp")
    return [] if own in NETWORKS else ["--network", own]


def what_next(config: Any) -> list[str]:
    """The command lines that open the page to play against what a run has learnt, and that make its report."""
    folder, own = str(config.folder), own_network(config)
    if config.ruleset is None:
        return []
    learnt = f"ppo:{folder}" if config.WEIGHTS == FILE_NAME else f"minimax:depth=6,evaluation={folder}"
    learnt += "".join(f",network={name}" for name in own[1:])
    words = ["--web", "--rules", text_of(config.ruleset), "--against", learnt]
    return [
        f"play against it: mancala play {shlex.join(words)}",
        f"its report:      mancala train report {shlex.join([folder, *own])}",
    ]


def config_of_run(
    kind: type[Any], folder: Path, parser: Parser, arguments: Sequence[str] | None, longer: Sequence[str]
) -> Any:
    """The config of the run that a command line resumes: as ``config.yaml`` has it, but for ``out`` and ``longer``.
    Raises CheckpointError if there is no such run, or it has a network of one's own that the command line does not ask
    for, since what a file names is not imported."""
    own: Any = read_settings(folder, kind)
    saved = settings_of(own)
    foreign = getattr(own, "network", "mlp") not in NETWORKS  # and has to be asked for
    rules = {"rules": text_of(own.ruleset)} if own.ruleset is not None else {}
    parser.set_defaults(saved | rules | ({"network": "mlp"} if foreign else {}))
    asked = options(parser, arguments)
    if foreign and asked["network"] != own.network:
        how = f"ask for it with --network {own.network}"
        if own.network.startswith("__main__:"):
            how = "it stands in the script that trained it: go on from there, with train(..., resume=True)"
        raise CheckpointError(f"the run's network is {own.network}, and a file never makes anything be imported: {how}")
    before = {name: asked[name] for name in saved}
    if rules and ruleset(asked["rules"]) == own.ruleset:
        before["rules"] = saved["rules"]
    ignored = [name for name in saved if name not in ("out", *longer) and before[name] != saved[name]]
    if ignored:
        warner(Console(stderr=True))(f"the run keeps its own settings; ignored: {', '.join(ignored)}")
    try:
        return replace(own, **{name: asked[name] for name in longer})
    except ValueError as error:
        raise CheckpointError(str(error)) from None
