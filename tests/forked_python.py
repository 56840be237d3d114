"""A ``python`` whose processes begin with the large packages in place: for tests that run many commands.

Most of a short command's time is the import of torch and its like. A server imports them once, and forks for every
command; nothing of this project is imported before the fork, so that a command meets its own order of imports. The
``python`` that is first on the path asks the server, and is the interpreter itself for all but ``-m``, and where a
variable is another one that packages read when they are imported. ``mancala`` stands beside it."""

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import socket
import subprocess
import sys

PACKAGES = ("numpy", "numba", "gymnasium", "pettingzoo", "pandas", "torch", "stable_baselines3", "sb3_contrib")
READ_AT_IMPORT = ("CUDA", "KMP_", "MKL_", "NUMBA_", "OMP_", "OPENBLAS_", "PYTHON", "TORCH")  # how their names begin
READ_LATER = "NUMBA_CACHE_DIR"  # by this project, when it is imported
_PROGRAM = """#!{python} -IS
import json, os, socket, sys
read = {{name: value for name, value in os.environ.items() if name.startswith({names}) and name != {later!r}}}
if sys.argv[1:2] != ["-m"] or read != {read}:
    os.execv("{python}", ["{python}", *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as server:
    server.connect("{address}")
    socket.send_fds(server, [b"."], [0, 1, 2])
    server.sendall(json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)]).encode())
    server.shutdown(socket.SHUT_WR)
    sys.exit(int(server.recv(8) or 1))
"""


@contextlib.contextmanager
def forked_python(folder, variables):
    """Such a ``python`` for one environment, which comes back with the path to it; ``folder`` has room for it."""
    programs, address = folder / "programs", str(folder / "python")
    programs.mkdir()
    variables = variables | {"PATH": os.pathsep.join([str(programs), variables["PATH"]])}
    read = {name: value for name, value in variables.items() if name.startswith(READ_AT_IMPORT) and name != READ_LATER}
    program = programs / "python"
    names = {"names": READ_AT_IMPORT, "later": READ_LATER}
    program.write_text(_PROGRAM.format(python=sys.executable, address=address, read=read, **names), encoding="utf-8")
    command = programs / "mancala"
    command.write_text(f'#!/bin/sh\nexec {program} -m mancala_env "$@"\n', encoding="utf-8")
    for each in (program, command):
        each.chmod(0o755)
    (programs / "python3").symlink_to(program)
    serve = [sys.executable, __file__, address]
    with subprocess.Popen(serve, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout.read(1) == b".", "the server did not start"
        try:
            yield variables
        finally:
            server.stdin.close()  # as it is when the tests are killed: the server ends


def _serve(address):
    """Start what is asked for, until nobody holds our input; true in a process that is to run something."""
    for package in PACKAGES:
        importlib.import_module(package)
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print(".", end="", flush=True)
        while listener in select.select([listener, sys.stdin], [], [])[0]:
            client = listener.accept()[0]
            if os.fork() == 0:
                listener.close()
                return _run_for(client)
            client.close()
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG) != (0, 0):
                    pass
    return False


def _run_for(client):
    """Become the process that a client asked for, and leave another one behind that tells its end."""
    streams = socket.recv_fds(client, 1, 3)[1]
    arguments, folder, variables = json.loads(client.makefile().read())
    if program := os.fork():
        code = os.waitstatus_to_exitcode(os.waitpid(program, 0)[1])
        client.sendall(str(code if code >= 0 else 128 - code).encode())
        os._exit(0)
    client.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = arguments
    if not sys.flags.safe_path:
        sys.path[0] = folder
    return True


if __name__ == "__main__" and _serve(sys.argv[1]):
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
