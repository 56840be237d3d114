"""``python -m training.evaluation``."""

from training.evaluation.trainer import main

if __name__ == "__main__":
    main()
