"""``python -m training.ppo``"""

from training.ppo.trainer import main

if __name__ == "__main__":
    main()
