"""What all commands, and they alone, import: their parser, how a game is named, and how errors are reported."""

import errno
import os
import re
import sys
import textwrap
from argparse import SUPPRESS
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from jsonargparse import ArgumentParser, DefaultHelpFormatter, Namespace

from mancala_env.games import ALIASES, LIST_GAMES, RULESETS, ruleset, without_id
from mancala_env.rules.plain import text_of
from mancala_env.rules.spec import EXAMPLE
from mancala_env.words import did_you_mean, near_names, printable

GAME = (
    f"such as oware or mancala/oware-v0; `{LIST_GAMES}` lists all {len(RULESETS)}; with other rules: {EXAMPLE}; or the "
    "folder of a run, or a file .json or .yaml, that holds a ruleset"
)
SETTINGS = "config.yaml"  # of a run; its entry ``rules`` is the game
_FILES = (".json", ".yaml", ".yml")
_MAX_BYTES = 1 << 20  # of a file that holds a ruleset


class _Help(DefaultHelpFormatter):
    def _fill_text(self, text: str, width: int, indent: str) -> str:
        paragraphs = re.split(r"\n\s*\n", textwrap.dedent(text).replace("``", "`").strip())
        return "\n\n".join(textwrap.fill(" ".join(each.split()), width) for each in paragraphs)

    def _get_help_string(self, action: Any) -> str:
        text, default = action.help or "", action.default
        if not action.option_strings or "default" in text or default is None or default is False:
            return text
        if isinstance(default, list | tuple):
            default = " ".join(map(str, default))
        return text if default in ("", SUPPRESS) else f"{text} (default: {default})"


class _Unread(BaseException):
    """Ends a command that has made its parser, where nothing else was wanted of it."""

    def __init__(self, parser: "Parser") -> None:
        self.parser = parser


class Parser(ArgumentParser):
    """The parser of a command. Errors are one line and exit code 2; ``-`` and ``_`` in an option are the same. Errors
    begin with the command as it is called, ``prog``, and what is misspelt is told what it is near."""

    is_wanted = False  # by ``parser_of``, which stops a command where it would read its words

    def __init__(self, command: str | None = None, description: str | None = None, **settings: Any) -> None:
        settings = {"allow_abbrev": True, "formatter_class": _Help, "print_config": "--print-%s", **settings}
        super().__init__(prog=command, description=description, **settings)
        self._commands: dict[str, Parser] = {}
        self._choice: Any = None

    def add_command(self, name: str, help: str) -> "Parser":
        """A parser for what the first word, then in ``command``, asks for; it reads the attribute of that name."""
        if self._choice is None:
            self._choice = self.add_subcommands(
                required=True, dest="command", metavar="COMMAND", title="commands", description=None
            )
        self._commands[name] = made = Parser(description=help)
        self._choice.add_subcommand(name, made, help=help)
        made.prog = f"{self.prog} {name}"
        return made

    def parse_args(self, args: Sequence[str] | None = None, *more: Any, **settings: Any) -> Namespace:  # type: ignore[override]
        """What the words of a command line say; those of the shell if left out. Without any, the help says what
        commands there are."""
        if Parser.is_wanted:
            raise _Unread(self)
        given = sys.argv[1:] if args is None else args
        if self._commands and not given:
            self.print_help()
            self.exit()
        declared = self._declared()
        self.prog = next((self._commands[word].prog for word in given if word in self._commands), self.prog)
        try:
            return super().parse_args([_respelt(word, declared) for word in given], *more, **settings)
        except (OverflowError, RecursionError) as error:  # a value such as 1 with four hundred noughts, or [[[[...
            fail(self.prog, f"a value is beyond what can be read: {error}")

    def completions(self, words: Sequence[str], start: str) -> dict[str, str]:
        """What may stand in place of ``start`` after ``words``, and what each is: options, commands, games or other
        values that can be listed; {} if there are none."""
        for place, word in enumerate(words):
            if word in self._commands:
                return self._commands[word].completions(words[place + 1 :], start)
        options = {word: action for action in self._actions for word in action.option_strings}
        if start.startswith("-"):
            return {word: action.help or "" for word, action in options.items() if word.startswith(start)}
        before = [word for word in words if word != "="]  # bash has --option=value as three words
        action = next((options[word] for word in reversed(before) if word in options), None)
        if action is None or action.nargs == 0 or (action.nargs not in ("*", "+") and before[-1] not in options):
            action = next((action for action in self._actions if not action.option_strings), None)
        is_game = action is not None and (action.metavar == "GAME" or action.dest == "rules")
        values = [*RULESETS] if is_game else [*map(str, getattr(action, "choices", None) or ())]
        says = {name: each.description or "" for name, each in self._commands.items()}
        return {value: says.get(value, "") for value in values if value.startswith(start)}

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        """Print one line, and exit with status 2."""
        shown = {action.dest: str(action.metavar or action.dest) for action in self._all_actions()} | self._declared()

        def option(found: re.Match[str]) -> str:
            name = found[1].rpartition(".")[2] if found[1].partition(".")[0] in self._commands else found[1]
            return shown.get(name, name)

        text = re.sub(r'Parser key "([\w.]+)"', option, message)
        if "required: " in text:
            text = re.sub(r"\b([\w.]+)(?=,|$)", option, text)
        text = re.sub(r"Expected an? <class '(?:\w+\.)*(\w+)'>\. Got value: ", r"must be \1, not ", text)
        words = text.partition("unrecognized arguments: ")[2]
        options = [word for action in self._all_actions() for word in action.option_strings]
        asked = [word.partition("=")[0] for word in words.split() if word.startswith("--")]
        if near := [option for word in asked for option in near_names(word, options)]:
            text += f"; did you mean {' and '.join(near)}?"
        if (choice := _CHOICE.search(text)) is not None:
            near_choice = did_you_mean(choice[1], re.findall(r"[^\s',]+", choice[2]))
            text += near_choice and f"; {near_choice}"
        fail(self.prog, text)

    def _declared(self) -> dict[str, str]:
        words = [word for action in self._all_actions() for word in action.option_strings if word.startswith("--")]
        return {word[2:].replace("-", "_"): word for word in words}

    def _all_actions(self) -> list[Any]:
        return [*self._actions, *(action for each in self._commands.values() for action in each._actions)]


def parser_of(main: Callable[[Sequence[str]], object], words: Sequence[str]) -> Parser:
    """The parser with which a command would read ``words``, whose options may depend on them; it reads nothing."""
    Parser.is_wanted = True
    try:
        main(words)
    except _Unread as ended:
        return ended.parser
    finally:
        Parser.is_wanted = False
    raise TypeError(f"{main} has no parser")


_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from ([^)]*)\)")


def _respelt(word: str, declared: dict[str, str]) -> str:
    """``--opening_plies=4`` as ``--opening-plies=4``, or the other way round, whichever is declared."""
    if not word.startswith("--"):
        return word
    option, equals, value = word.partition("=")
    name, dot, key = option[2:].replace("-", "_").partition(".")
    return declared[name] + dot + key + equals + value if name in declared else word


def rules_text(asked: str) -> str:
    """What a command line names as its game, as ``mancala_env.ruleset`` takes it: the name of a game, with changes
    where it has some; the folder of a run; or a file of JSON or YAML with such settings, or with a ruleset as data.
    Raises OSError if a file cannot be read, ValueError if it holds no ruleset."""
    asked = without_id(asked)
    if not asked or asked in RULESETS or asked in ALIASES or asked.startswith("{"):
        return asked
    path = Path(asked)
    is_folder = path.is_dir()
    if not is_folder and path.suffix not in _FILES:
        return asked
    if is_folder and not (path / SETTINGS).is_file():
        raise ValueError(f"{asked} is no game and no folder of a run: there is no {SETTINGS} in it")
    path = path / SETTINGS if is_folder else path
    try:
        said = _read(path)
        return text_of(ruleset(said.get("rules", said)))
    except ValueError as error:
        raise ValueError(f"{path} holds no ruleset: {error}") from None


def _read(path: Path) -> Mapping[str, Any]:
    import yaml  # type: ignore[import-untyped]  # jsonargparse needs it too

    with path.open("rb") as file:
        text = file.read(_MAX_BYTES + 1)
    if len(text) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_BYTES >> 20} MiB")
    try:
        said = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, TypeError, OverflowError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)  # YAML's own words are about its parser
        why = str(error) if mark is None else f"it is neither JSON nor YAML from line {mark.line + 1} on"
        raise ValueError(f"it cannot be read: {' '.join(why.split())[:200]}") from None
    if not isinstance(said, Mapping) or not all(isinstance(name, str) for name in said):
        raise ValueError("it is no mapping of names to values")
    return said


# What would do, by what the system says about a file or folder.
_REMEDIES = {
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "a part of this path is a file; name another place",
    errno.EEXIST: "there is a file of this name; name another place",
    errno.EISDIR: "name a file, not a folder",
    **dict.fromkeys((errno.EACCES, errno.EPERM), "no right to do so; name another place, or change its permissions"),
    errno.EROFS: "nothing can be written there; name another place",
    errno.ENOSPC: "make room, or name another place",
    errno.ENAMETOOLONG: "name a shorter one",
}


def fail(command: str, why: object, status: int = 2) -> NoReturn:
    """Print one line to stderr and exit with ``status``; say nothing if who read the output has read enough."""
    if isinstance(why, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)
    text = in_words(why) if isinstance(why, BaseException) else printable(" ".join(str(why).split()))
    print(f"{command}: {text}", file=sys.stderr)
    raise SystemExit(status)


def in_words(error: BaseException) -> str:
    """What went wrong, in one line that can be printed; of a file or folder which one it is, and what would do."""
    text = str(error)
    if isinstance(error, OSError) and error.filename and error.strerror:
        remedy = _REMEDIES.get(error.errno or 0)
        text = f"{error.filename}: {error.strerror}" + (f" ({remedy})" if remedy else "")
    return printable(" ".join(text.split()))
