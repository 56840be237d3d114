"""``python -m training.alphazero``"""

from training.alphazero.trainer import main

if __name__ == "__main__":
    main()
