"""In a sandbox, which has no network: a program connects to a port of the box, and speaks with the host over pipes.

``relay.py PORT COMMAND...`` listens on loopback, runs the command, and copies stdin to its connection and its
connection to stdout. The first line is ``connected``. What the command writes to stdout goes to stderr.
"""

import os
import select
import socket
import subprocess
import sys
import threading


def main() -> None:
    """The command."""
    listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
    reader, _writer = os.pipe()  # a stdin that stays open and empty
    try:
        program = subprocess.Popen(sys.argv[2:], stdin=reader, stdout=2, pass_fds=())
    except OSError as error:
        sys.exit(f"cannot run {sys.argv[2]}: {error.strerror}")
    while not select.select([listener], [], [], 0.1)[0]:
        if program.poll() is not None:
            _leave(program)
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    os.write(1, b"connected\n")
    threading.Thread(target=_forward, args=(connection,), daemon=True).start()
    try:
        while data := _received(connection):
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
    except OSError:
        pass
    os.close(1)
    _leave(program)


def _received(connection: socket.socket) -> bytes:
    """What comes next. A program that writes in two parts would wait for the usual 40 ms before it is acknowledged."""
    if hasattr(socket, "TCP_QUICKACK"):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
    return connection.recv(1 << 16)


def _forward(connection: socket.socket) -> None:
    """Stdin to the connection, up to its end."""
    try:
        while data := os.read(0, 1 << 16):
            connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def _leave(program: "subprocess.Popen[bytes]") -> None:
    """End as the program does."""
    code = program.wait()
    os._exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
