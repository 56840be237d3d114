"""The box for programs of people one does not know: bubblewrap, or none where its user says so. In it are the system's
programs and libraries, the program's own folder (both read-only) and an empty ``/tmp``; no network, no other process or
file, no rights. All in it ends with its first process, and with the host. See ``docs/protocol.md``."""

import errno
import functools
import os
import platform
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MODES = ("bwrap", "none")
PROCESSES = 256  # processes and threads of a program
_FILE = 256 << 20  # bytes of a file that it may write
_SCRATCH = 256 << 20  # bytes in /tmp, and in /dev/shm
_EMPTY = 64 << 10  # the same in place of a folder that is hidden
_ROOT = Path(__file__).resolve().parents[2]
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store")
_SETTINGS = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "ssl/certs", "ssl/openssl.cnf", "java*",
    "mono", "fonts", "nsswitch.conf",
)  # fmt: skip
_KERNELS = "/tmp/kernels"
_ISOLATION = (
    "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
    "--die-with-parent", "--new-session", "--disable-userns", "--cap-drop", "ALL", "--uid", "1000", "--gid", "1000",
    "--hostname", "bot",
)  # fmt: skip


@dataclass(frozen=True)
class Sandbox:
    """How programs are contained: path and version of bubblewrap ("": no box), and what no program may see."""

    program: str = ""
    version: str = ""
    hidden: tuple[str, ...] = ()

    def __str__(self) -> str:
        """In a word, for tables and provenance."""
        return self.version or "none"

    def start(
        self, command: Sequence[str], cwd: str, environment: Mapping[str, str], memory: int
    ) -> "subprocess.Popen[bytes]":
        """Start a program, with pipes, in a session of its own; no shell reads its words. ``environment`` is all its
        variables but ``HOME`` and ``TMPDIR`` in the box; ``memory`` bytes for each process, of address space in the
        box, else of data. OSError if no process can be made; a command that cannot be run shows later, by exit code 126
        or 127."""
        with tempfile.TemporaryFile() as file:
            file.write(_filter())
            file.seek(0)
            return subprocess.Popen(
                self.wrap(command, cwd, file.fileno(), _limits(memory, bool(self.program))),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=cwd,
                env=dict(environment),
                start_new_session=True,
                pass_fds=(file.fileno(),) if self.program and platform.machine() in _CALLS else (),
            )

    def wrap(self, command: Sequence[str], cwd: str, seccomp: int, limits: Sequence[str] = ()) -> list[str]:
        """The command that runs another one in the box, at ``cwd``; that one itself without a box. ``seccomp``: a
        descriptor of a filter of system calls; ``limits``: words that set the limits of a process and run the words
        that follow."""
        if not self.program:
            return [*limits, *command]
        needed, command = _needed(command, Path(cwd)), [*limits, *command]
        made = [self.program, *_ISOLATION, *_system(), "--proc", "/proc", "--dev", "/dev"]
        for folder in ("/dev/shm", "/tmp"):
            made += ["--size", str(_SCRATCH), "--tmpfs", folder]
        # Without a limit of /proc a box of root's could write what root may, /proc/sys/kernel/core_pattern among it.
        made += ["--remount-ro", "/dev", "--remount-ro", "/proc"]
        made += ["--seccomp", str(seccomp)] if platform.machine() in _CALLS else []
        for path in _outermost(needed):
            made += self._bind(path)
        made += ["--dir", cwd] if not any(Path(cwd).is_relative_to(path) for path in needed) else []
        made += ["--setenv", "HOME", "/tmp", "--setenv", "TMPDIR", "/tmp"]
        if any(path == _ROOT / "mancala_env" for path in needed) and (kernels := _kernels()):
            made += ["--setenv", "NUMBA_CACHE_DIR", _KERNELS]
            made += [word for folder in kernels for word in ("--ro-bind", str(folder), str(folder))]
            linked = " ".join(shlex.quote(str(folder)) for folder in kernels)
            command = ["/bin/sh", "-c", f'mkdir {_KERNELS} && cp -rs {linked} {_KERNELS}/; exec "$@"', "sh", *command]
        return [*made, "--remount-ro", "/", "--chdir", cwd, "--", *command]

    def _bind(self, path: Path) -> list[str]:
        """Show a file or folder, read-only, without what is hidden."""
        hidden = [Path(each) for each in self.hidden if Path(each).is_relative_to(path)]
        if any(each.parent == path for each in hidden):  # an event's file has others beside it that begin like it
            names = tuple(each.name for each in hidden if each.parent == path)
            shown = sorted(each.path for each in os.scandir(path) if not each.name.startswith(names))
            return [word for each in shown for word in (_link(each) or self._bind(Path(each)))]
        bound = ["--ro-bind-try", str(path), str(path)]
        for each in hidden:
            bound += ["--size", str(_EMPTY), "--tmpfs", str(each.parent)]
        return bound


NO_SANDBOX = Sandbox()

# By machine: its number in linux/audit.h, and those of shmget, memfd_create and memfd_secret: memory that belongs to no
# process, and that limits of a process do not count.
_CALLS = {"x86_64": (0xC000003E, (29, 319, 447)), "aarch64": (0xC00000B7, (194, 279, 447))}


def _filter() -> bytes:
    """A program for the kernel (linux/filter.h) by which ``_CALLS`` fail as unknown ones, and those of other machines.
    Empty for a machine whose numbers are not known."""
    machine, calls = _CALLS.get(platform.machine(), (0, ()))
    if not calls:
        return b""
    load, equal, above, end = 0x20, 0x15, 0x35, 0x06
    unknown, allowed = 0x00050000 | errno.ENOSYS, 0x7FFF0000
    number, kind = 0, 4  # offsets in struct seccomp_data
    count = len(calls)
    steps = [(load, 0, 0, kind), (equal, 0, count + 2, machine), (load, 0, 0, number)]
    steps.append((above, count, 0, 0x40000000))  # the calls of x32
    steps += [(equal, count - 1 - k, 0, call) for k, call in enumerate(calls)]
    steps[-1] = (equal, 0, 1, calls[-1])
    steps += [(end, 0, 0, unknown), (end, 0, 0, allowed)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _link(path: str) -> list[str]:
    """A link as it is, which shows nothing that the box does not; [] for what is none."""
    return ["--symlink", os.readlink(path), path] if os.path.islink(path) else []


def _limits(memory: int, boxed: bool) -> list[str]:
    """What sets limits of each process: a shell that the command after it then replaces."""
    limits = [f"ulimit -{'v' if boxed else 'd'} {memory >> 10}", f"ulimit -f {_FILE >> 9}", "ulimit -c 0"]
    if boxed:  # inside, where only its own processes count; bash calls it -u, dash -p
        limits.append(f"ulimit -u {PROCESSES} 2>/dev/null || ulimit -p {PROCESSES}")
    return ["/bin/sh", "-c", "; ".join([*limits, 'exec "$@"']), "sh"]


def choose(mode: str, hidden: Iterable[str | os.PathLike[str]] = ()) -> Sandbox:
    """The sandbox that a mode stands for, ``bwrap`` or ``none``. Raises ValueError if it does not work here."""
    if mode not in MODES:
        raise ValueError(f"a sandbox is one of {', '.join(MODES)}, not {mode!r}")
    if mode == "none":
        return NO_SANDBOX
    program, version, why_not = _probe()
    if why_not:
        raise ValueError(
            f"programs run in the sandbox of bubblewrap, which does not work here: {why_not}; install it (apt-get "
            "install bubblewrap), or let programs read your files, write where you may and use the network by "
            "--sandbox none"
        )
    return Sandbox(program, version, tuple(str(Path(each).resolve()) for each in hidden))


@functools.cache
def _probe() -> tuple[str, str, str]:
    """Path and version of bubblewrap, and "" or why it does not work: it may be there, and not be allowed to."""
    program = shutil.which("bwrap")
    if sys.platform != "linux" or program is None:
        return "", "", "it is not installed" if sys.platform == "linux" else "it needs Linux"
    try:
        told = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=20, check=False)
        version = told.stdout.strip() or program
        with Sandbox(program).start(["/bin/sh", "-c", "exit 7"], "/", {}, 256 << 20) as tried:
            try:
                _, error = tried.communicate(timeout=20)
            finally:
                tried.kill()
    except (OSError, subprocess.SubprocessError) as problem:
        return "", "", " ".join(str(problem).split())
    if tried.returncode != 7:
        said = " ".join(error.decode("utf-8", "replace").split())[:200] or f"exit code {tried.returncode}"
        return "", "", f"{version}, of which 0.8 or later is needed: {said}"
    return program, version, ""


def _system() -> list[str]:
    made: list[str] = []
    for name in _SYSTEM:
        made += _link(name) or (["--ro-bind", name, name] if os.path.isdir(name) else [])
    for pattern in _SETTINGS:
        for path in sorted(Path("/etc").glob(pattern)):
            made += ["--ro-bind-try", str(path), str(path)]
    return made


def _needed(command: Sequence[str], cwd: Path) -> list[Path]:
    """What a command needs to see: folders of the files that it names, and installations of what it runs."""
    found: list[Path] = []
    for word in command:
        for part in re.split("[:=]", word):
            path = Path(os.path.normpath(cwd / os.path.expanduser(part))) if part else None
            if path is None or not path.exists():
                continue
            if path == _ROOT:  # of this project only what plays
                found += [_ROOT / "agents", _ROOT / "mancala_env"]
            if os.access(path, os.X_OK) and path.is_file():
                found += [*_installation(path), *_interpreter(path)]
            if not _is_wide(path):  # of a file its folder, unless that holds much else
                found.append(path if path.is_dir() or _is_wide(path.parent) else path.parent)
    return [path for path in dict.fromkeys(found) if not _is_system(path)]


def _is_wide(path: Path) -> bool:
    """Does a folder hold much that is nobody's business: home folders, temporary files, this checkout?"""
    wide = {_ROOT, Path.home(), Path("/tmp"), Path("/var/tmp"), Path("/etc")}
    return any(each.is_relative_to(path) for each in wide)


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(folder) for folder in _SYSTEM)


def _interpreter(file: Path) -> list[Path]:
    """The installation of the program that a script names in its first line."""
    try:
        with open(file, "rb") as opened:
            first = opened.readline(256)
    except OSError:
        return []
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    if words[:1] and Path(words[0]).name == "env":
        words = [found for word in words[1:] if not word.startswith("-") and (found := shutil.which(word))]
    program = Path(*words[:1])
    if not (program.is_file() and os.access(program, os.X_OK)):  # a stranger's script may name whatever it likes
        return []
    return _installation(program)


def _installation(program: Path) -> list[Path]:
    """Where a program lies, along its links: all of a Python or Java, or of pyenv; of others the file."""
    found: list[Path] = []
    while True:
        prefix = program.parent.parent
        python = (prefix / "pyvenv.cfg").exists() or any(prefix.glob("lib/python3*/os.py"))
        if (python or (prefix / "lib/modules").exists() or (prefix / "shims").exists()) and not _is_wide(prefix):
            found.append(prefix)
            made_of = prefix / "pyvenv.cfg"
            text = made_of.read_text(encoding="utf-8", errors="replace") if made_of.exists() else ""
            if with_home := re.search(r"(?m)^home *= *(.+)$", text):
                found += _installation(Path(with_home[1].strip(), "python3"))
        else:
            found.append(program)
        if not program.is_symlink():
            return [path for path in found if not _is_system(path)]
        program = Path(os.path.normpath(program.parent / os.readlink(program)))


def _outermost(paths: Iterable[Path]) -> list[Path]:
    """Paths that lie in no other of them."""
    ordered = sorted(set(paths), key=lambda path: len(path.parts))
    return [path for k, path in enumerate(ordered) if not any(path.is_relative_to(other) for other in ordered[:k])]


def _kernels() -> list[Path]:
    """Folders of compiled kernels, which a Python bot would have to compile anew without them."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return sorted(Path(chosen).glob("kernels-*"))
    return sorted(
        folder for part in ("mancala_env", "agents") for folder in (_ROOT / part).rglob("__pycache__/kernels-*")
    )
