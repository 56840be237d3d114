"""How a bot is spelled: the command that runs it."""

import ast
import os
import shlex
import shutil
import sys
from pathlib import Path

from agents.agent import AGENTS, is_built_in
from agents.reference import NAMES
from mancala_env.words import did_you_mean

SERVE = ("-m", "mancala_env", "bot", "serve")  # words for Python by which an agent is a bot
_ROOT = Path(__file__).resolve().parents[2]
_EXAMPLES = _ROOT / "agents" / "bots" / "examples"


def resolve_command(text: str) -> list[str]:
    """The command that a word for a bot stands for.

    It is the path of an executable file; ``cmd:`` and a command with arguments, quoted as in a shell;
    ``python:FILE.py:FUNCTION``, a function from a ``State`` to an action, played by a process of its own; or an agent
    as ``make_agent`` reads it, which is then served. FileNotFoundError if there is no such file or program, ValueError
    if the text cannot be read or the file executed, or is rather a misspelt agent.

    >>> resolve_command("cmd:env python3 'my bot.py' --fast")[1:]
    ['python3', 'my bot.py', '--fast']
    """
    if is_built_in(text):
        return [sys.executable, *SERVE, text]
    if text.startswith("cmd:"):
        return _command(text.removeprefix("cmd:"), text)
    if text.startswith("python:"):
        return _python(*function_of(text.removeprefix("python:")))
    path = os.path.expanduser(text)
    if not text or not os.path.exists(path):
        if meant := did_you_mean(text.partition(":")[0], (*AGENTS, *NAMES)):
            raise ValueError(f"there is no agent and no program {text!r}; {meant}")
        hint = f"; for a command with arguments write 'cmd:{text}'" if shutil.which((text.split() or [""])[0]) else ""
        raise FileNotFoundError(f"there is no bot at {text!r}{hint}")
    if os.path.isdir(path):
        raise ValueError(f"{text!r} is a folder; name the file in it that plays")
    if not os.access(path, os.X_OK):
        hint = f" (or write 'cmd:python3 {shlex.quote(text)}')" if text.endswith(".py") else ""
        raise ValueError(f"{text!r} is not executable: chmod +x {shlex.quote(text)}{hint}")
    return [os.path.abspath(path)]


def function_of(text: str) -> tuple[Path, str]:
    """The file and the name of ``FILE.py:FUNCTION``. ValueError if it is no such text, FileNotFoundError without it."""
    path, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise ValueError(f"cannot read {text!r}; write FILE.py:FUNCTION")
    file = Path(path).expanduser().resolve()
    if not file.is_file():
        raise FileNotFoundError(f"there is no file {path!r}, as {text!r} says")
    return file, name


def _python(file: Path, name: str) -> list[str]:
    """A process that loads a Python file and plays by what it calls ``name``."""
    try:  # nothing of it is run here
        tree = ast.parse(file.read_bytes(), filename=str(file))
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:  # the last two: it is nested too deep
        raise ValueError(f"{file} is no Python that can be read: {str(error) or type(error).__name__}") from None
    said = {getattr(node, field, None) for node in ast.walk(tree) for field in ("name", "asname", "id")}
    if name not in said and "*" not in said:  # of import *, which may bring it
        functions = ", ".join(node.name for node in tree.body if isinstance(node, ast.FunctionDef)) or "none"
        raise ValueError(f"{file} defines no function {name!r}; it has {functions}")
    # -P: what lies where the host runs must not stand in for a module of this package
    runner = ["/usr/bin/env", f"PYTHONPATH={_ROOT}", sys.executable, "-P", *SERVE, "--callable"]
    return [*runner, f"{file}:{name}"]


def _command(text: str, whole: str) -> list[str]:
    """A command with arguments; ``whole`` is what messages quote."""
    try:
        command = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"cannot read {whole!r}: {error}") from None
    if not command:
        raise ValueError(f"the command in {whole!r} is empty; write for example 'cmd:python3 mybot.py'")
    for word in (command[0], *_behind_an_example(command)):
        if shutil.which(os.path.expanduser(word)) is None:
            raise FileNotFoundError(f"there is no program {word!r} on the PATH that can be executed, as {whole!r} says")
    program = str(shutil.which(os.path.expanduser(command[0])))
    return [os.path.abspath(program) if os.sep in command[0] else program, *command[1:]]


def _behind_an_example(command: list[str]) -> list[str]:
    """The program that an example of another protocol starts, in a list; [] if the command is none of these."""
    places = [k for k, word in enumerate(command) if Path(word).resolve().parent == _EXAMPLES]
    words = [word for word in command[places[0] + 1 :] if not word.startswith("--")] if places else []
    return words[:1]
