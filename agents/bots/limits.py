"""The limits of a bot's process that its users do not choose."""

LINE = 64 << 10  # bytes of a line
OUTPUT = 1 << 20  # bytes of output for each question
ERRORS = 16 << 20  # the same of stderr, of which only the end is kept
FILE = 256 << 20  # bytes of a file that it may write
SCRATCH = 256 << 20  # bytes in /tmp, and in /dev/shm, of a sandbox
PROCESSES = 256  # processes and threads in a sandbox
