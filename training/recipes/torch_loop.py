"""Plain torch: REINFORCE with a batch of games, in one loop that reads from top to bottom."""

import gymnasium
import numpy as np
import torch

import mancala_env  # noqa: F401 - makes the ids known


def train(updates: int = 30, games: int = 256, decisions: int = 64, seed: int = 0) -> tuple[torch.nn.Module, float]:
    """Learn to beat random moves; returns the policy and the mean result of the games of the last update."""
    torch.manual_seed(seed)
    envs = gymnasium.make_vec("mancala/oware-v0", num_envs=games, opponent="random")
    size = int(np.prod(envs.single_observation_space.shape or ()))
    policy = torch.nn.Sequential(torch.nn.Linear(size, 64), torch.nn.ReLU(), torch.nn.Linear(64, 6))
    optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)
    observations, infos = envs.reset(seed=seed)
    score = 0.0
    for _ in range(updates):
        chosen, rewards, ends, results = [], [], [], []
        for _ in range(decisions):
            logits = policy(torch.as_tensor(observations))  # (games, 6)
            legal = torch.as_tensor(infos["action_mask"], dtype=torch.bool)
            odds = torch.distributions.Categorical(logits=logits.masked_fill(~legal, -torch.inf))
            actions = odds.sample()
            chosen.append(odds.log_prob(actions))
            observations, reward, terminated, _, infos = envs.step(actions.numpy())
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
            ends.append(torch.as_tensor(terminated))
            results.extend(reward[terminated].tolist())
        returns, later = [], torch.zeros(games)
        for reward, end in zip(reversed(rewards), reversed(ends), strict=True):
            later = reward + torch.where(end, 0.0, 0.99 * later)  # autoreset in the same step: an end cuts the return
            returns.append(later)
        gain = torch.stack(returns[::-1])  # (decisions, games)
        loss = -(torch.stack(chosen) * (gain - gain.mean())).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        score = float(np.mean(results)) if results else 0.0
    return policy, score


if __name__ == "__main__":
    print(f"mean result against random moves: {train()[1]:+.2f}")
