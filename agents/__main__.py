"""``python -m agents`` is ``mancala``, and without more words says what there is."""

from mancala_env.commands import main

if __name__ == "__main__":
    main()
