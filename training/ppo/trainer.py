"""The training of a PPO run, and its command."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from stable_baselines3.common.logger import Logger

from agents import make_agent
from agents.evaluation import Result, evaluate
from agents.policy.agent import PolicyAgent
from agents.policy.card import FILE_NAME
from agents.policy.network import Module, PolicyNetwork
from mancala_env.rewards import Rewards
from mancala_env.rules import Ruleset
from training import checkpoint
from training.callbacks import Callback, Run
from training.checkpoint import Checkpoint
from training.cli import make_console
from training.command import Command
from training.evaluate import report, table
from training.ppo.config import COMMAND, FREE_TO_CHANGE, PPOConfig, game_defaults
from training.ppo.learner import ZIP, Learner, Line, MakeModule, NetworkPolicy, export
from training.ppo.progress import SelfPlayProgress
from training.ppo.selfplay import OpponentPool, SelfPlayVecEnv, begin_with, copy_weights
from training.ppo.state import restore
from training.run import (
    Diverged,
    Given,
    Task,
    Trained,
    arrange,
    begin,
    find_start,
    finish,
    first_network,
    go_on,
    holding,
    make_logger,
    reward_name,
    say_rounding,
    settings_of,
    warner,
    weights_of,
    write_scores,
)


def train(
    config: PPOConfig,
    *,
    rules: Ruleset | str | None = None,
    network: Module | None = None,
    opponents: Sequence[Any] | None = None,
    reward: Any = None,
    callbacks: Sequence[Callback] = (),
    logger: Logger | None = None,
    device: str | torch.device = "auto",
    overwrite: bool = False,
    resume: bool = False,
    console: Console | None = None,
) -> Trained:
    """Train, write the run folder, and score the policy. Ctrl-C ends the training early; the rest still happens.

    Parameters
    ----------
    config : PPOConfig
    rules : Ruleset or name of one, optional
        The game, in place of ``config.rules``. It needs no name: the run and its policy file hold the whole ruleset.
    network : Module, optional
        A torch module of your own, or its class, in place of ``config.network`` (``agents.policy.network.Module``).
    opponents : list of players, optional
        Players to be met in training besides the learner itself, and to be scored against: names of agents, objects
        with ``act(state)``, functions State -> action. They take ``config.fixed_share`` of the games; if that is 0,
        half of them, and the shares of the others are halved.
    reward : str or callable, optional
        In place of ``config.reward``: "result", "margin", or a function of the games that ended
        (``mancala_env.opponent_env.Ended``) that returns floats[m].
    callbacks : list of Callback
        Called after each rollout (``training.callbacks``).
    logger : stable_baselines3.common.logger.Logger, optional
        Where the curves go, in place of TensorBoard's files in the run folder.
    device : str or torch.device
        "auto", "cpu", "cuda" or "mps".
    overwrite : bool
        Replace the run that the folder holds.
    resume : bool
        Go on with the run that the folder holds, from its checkpoint. The weights at the end are those of a run that
        was never stopped, unless ``steps`` is another: the learning rate falls along a line to the last step. What was
        given as an object must be given again; of opponents and rewards the names are compared.

    Raises
    ------
    FileExistsError
        If the folder holds a run and neither ``overwrite`` nor ``resume`` is True.
    CheckpointError
        If there is nothing to resume.
    Locked
        If another process trains in this folder.
    Diverged
        If an update leaves a loss or weights that are not finite. The last checkpoint and policy file stay as they are.
    ValueError
        If what is given does not fit together.
    """
    console = console or make_console()
    task = arrange(
        PPOConfig, config, rules=rules, network=network, opponents=opponents, reward=reward, callbacks=callbacks,
        logger=logger, device=device, any_reward=True,
    )  # fmt: skip
    with holding(task.config.folder, resume):
        return _train(task, overwrite, resume, console)


def _train(task: Task, overwrite: bool, resume: bool, console: Console) -> Trained:
    """``train``, by the only process that works in the folder of the run."""
    config, given = task.config, task.given
    torch.set_num_threads(config.threads)
    network = PolicyNetwork(
        config.ruleset, config.encoder, config.layers, config.activation, config.action_head, config.shaping,
        network=_kind(config, given), reward=reward_name(given.reward),
        margin=1.0 if config.reward == "margin" and given.reward is None else 0.0,
    ).to(task.device)  # fmt: skip
    about = checkpoint.describe(config.ruleset, config.encoder, settings_of(config), config.seed, "steps")
    start = find_start(config, given, about, FREE_TO_CHANGE, config.steps, "steps", console) if resume else None
    first = first_network(config, network, given) if config.init_from and start is None else None
    fixed = [*map(make_agent, config.fixed_opponents), *given.opponents]
    run = Run(config.folder, settings_of(config), network, "steps", start.steps if start else 0)
    model, progress = _learner(config, network, console, run, about, start, first, fixed, given, task.device)
    if resume:  # from here on the folder changes
        made = go_on(config, start.steps if start else 0, config.steps, **weights_of(fixed))
    else:
        made = begin(config, COMMAND, given, overwrite, **weights_of(fixed), device=str(task.device))
    model.set_logger(make_logger(run, task.logger, task.callbacks, progress.warn))
    if start:
        restore(start, model, progress.pool)
    try:
        for callback in task.callbacks:
            callback.on_start(run)
        say_rounding(config, run.steps, console)
        interrupted = False
        try:
            with progress.bar:
                if model.num_timesteps < config.steps:
                    model.learn(config.steps - model.num_timesteps, progress, reset_num_timesteps=start is None)
        except KeyboardInterrupt:
            interrupted = not run.stopping
            if progress.boundary is not None:  # an update may be half done
                restore(progress.boundary, model, progress.pool)
            console.print(f"stopped after {model.num_timesteps:,} of {config.steps:,} steps; --resume goes on")
        except Diverged as error:
            raise Diverged(
                f"training diverged: {error}, most likely because learning_rate {config.learning_rate} is too high: "
                f"train anew with a lower one; {progress.last_checkpoint}"
            ) from None
        finally:
            model.logger.close()
        progress.keep()
        copy_weights(model, network)
        seconds = progress.clock.seconds
        finish(config, network, made, {"steps": model.num_timesteps, "seconds": round(seconds, 1)})
        if config.export_sb3:
            _export(model, config.folder, console)
        run.steps, run.seconds = model.num_timesteps, seconds
        console.print(f"{model.num_timesteps:,} steps in {seconds:.0f} s; the policy is {config.folder / FILE_NAME}")
        results: list[Result] = []
        if config.pairs:
            results, scores = score(config, network, given, console)
            write_scores(config, network, made, scores)
    finally:
        for callback in task.callbacks:
            callback.on_end(run)
    return Trained(model.num_timesteps, results, progress.curve, config.folder, network, interrupted)


def _kind(config: PPOConfig, given: Given) -> Module:
    """The kind of network of a run."""
    return config.network if given.network is None else given.network


def score(
    config: PPOConfig, network: PolicyNetwork, given: Given, console: Console
) -> tuple[list[Result], dict[str, Any]]:
    """Play the policy against ``config.opponents`` and print the table; the results, and as data for the run folder."""
    evaluation_seed = int(np.random.SeedSequence(config.seed).spawn(3)[2].generate_state(1)[0])
    results = evaluate(
        PolicyAgent.of(network, f"policy:path={config.folder}"),
        given.scored(config.opponents),
        config.ruleset,
        pairs=config.pairs,
        opening_plies=config.opening_plies,
        seed=evaluation_seed,
    )
    console.print(table(results, f"{config.folder}: {config.ruleset.name}, {config.pairs} pairs"))
    return results, report(results, config.ruleset, evaluation_seed, opening_plies=config.opening_plies)


def _export(model: Learner, folder: Path, console: Console) -> None:
    try:
        export(model, folder)
    except OSError as error:
        warner(console)(f"{folder / ZIP} could not be written ({error.strerror or error})")
    except Exception as error:  # what a network of one's own holds may not be picklable, and nothing else needs it
        warner(console)(f"{ZIP} was not written: this network cannot be pickled ({error})")


def _shares(config: PPOConfig, given: Given) -> dict[str, float]:
    """The shares of the games for each kind of opponent."""
    shares = {name: getattr(config, name) for name in ("latest_share", "random_share", "fixed_share")}
    if given.opponents and not config.fixed_share:
        shares = {name: share / 2 for name, share in shares.items()} | {"fixed_share": 0.5}
    return shares


def _learner(
    config: PPOConfig,
    network: PolicyNetwork,
    console: Console,
    run: Run | None = None,
    about: dict[str, Any] | None = None,
    start: Checkpoint | None = None,
    first: PolicyNetwork | None = None,
    fixed: Sequence[Any] = (),
    given: Given | None = None,
    device: torch.device | str = "cpu",
) -> tuple[Learner, SelfPlayProgress]:
    """The learner with its games and its callback, with the weights of ``first`` if that is given."""
    given = given or Given()
    learner_seed, games_seed, _ = (
        int(sequence.generate_state(1)[0]) for sequence in np.random.SeedSequence(config.seed).spawn(3)
    )
    pool = OpponentPool(
        network,
        config.pool_size,
        prioritised=config.prioritised,
        fixed_opponents=fixed,
        **_shares(config, given),
    )
    env = SelfPlayVecEnv(
        config.ruleset,
        pool,
        config.envs,
        encoder=config.encoder,
        rewards=Rewards(config.reward if given.reward is None else given.reward, config.shaping, config.gamma),
        opening_plies=config.game_opening_plies,
    )
    make = MakeModule(
        config.ruleset, config.encoder, config.layers, config.activation, config.action_head, _kind(config, given)
    )
    model = Learner(
        NetworkPolicy,
        env,
        learning_rate=Line(config.learning_rate, config.final_learning_rate),
        n_steps=config.rollout_steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip,
        ent_coef=config.entropy,
        vf_coef=config.value_weight,
        policy_kwargs={"make": make},
        seed=learner_seed,
        device=device,
    )
    env.seed(games_seed)
    if first is not None:
        begin_with(model, first)
    copy_weights(model, pool.latest)  # it moves first in some games during the reset, before the first rollout
    run = run or Run(config.folder, {}, network, "steps")
    return model, SelfPlayProgress(config, pool, console, about or {}, run, start)


main = Command(COMMAND, PPOConfig, train, ("steps",), defaults=game_defaults)
