"""Matches that were written down once, move by move, come out the same from State, Batch and the PettingZoo env.

``python -m tests.test_transcripts`` writes them anew, with the slow reference alone (``tests.reference``).
"""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mancala_env import TERMINATIONS, Batch, Ruleset, State, aec, ruleset
from tests.reference import Position

FILE = Path(__file__).parent / "data" / "match_transcripts.json"
TRANSCRIPTS = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else []
MATCHES: list[tuple[str, dict[str, Any]]] = [  # game, options
    ("oware_territory", {"max_games": 3}),
    ("oware_series_wins", {}),
    ("oware_series_difference", {"target": 20}),
    ("layli_goobalay_match", {}),
]
KEPT = {  # what a match carries over into its later games
    "oware_territory": " owner=",
    "oware_series_wins": " tally=",
    "oware_series_difference": " tally=",
    "layli_goobalay_match": " reserve=",
}


def games_of(state):
    return [[list(game[0]), game[1], game[2]] for game in state.games]


def rules_of(transcript):
    return ruleset(transcript["game"], **transcript["options"])


def check_end(state, transcript):
    assert (state.is_over, state.termination) == (True, transcript["termination"])
    assert list(state.scores) == transcript["scores"]
    assert state.winner == transcript["winner"]
    assert games_of(state) == transcript["games"]


each_transcript = pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda transcript: transcript["game"])


def test_every_match_has_a_transcript_of_three_games_or_more():
    assert [(each["game"], each["options"]) for each in TRANSCRIPTS] == MATCHES
    for transcript in TRANSCRIPTS:
        assert len(transcript["games"]) >= 3
        assert len(transcript["positions"]) == len(transcript["actions"]) + 1
        assert {winner for _, winner, _ in transcript["games"]} >= {0, 1}
        assert any(" first=N" in line for line in transcript["positions"])
        assert any(KEPT[transcript["game"]] in line for line in transcript["positions"])


@each_transcript
def test_a_state_replays_the_transcript(transcript):
    rules = rules_of(transcript)
    state = rules.start()
    ended = 0
    for action, line in zip(transcript["actions"], transcript["positions"], strict=False):
        assert str(state) == line
        assert games_of(state) == transcript["games"][:ended]
        state = state.play(action)
        ended = len(state.games)
    assert str(state) == transcript["positions"][-1]
    check_end(state, transcript)


@each_transcript
def test_every_position_of_the_transcript_can_be_read(transcript):
    rules = rules_of(transcript)
    for line in transcript["positions"]:
        assert str(State.parse(rules, line)) == line


@each_transcript
def test_a_batch_replays_the_transcript(transcript):
    batch = Batch(rules_of(transcript), 3)
    ended = []
    for ply, action in enumerate(transcript["actions"]):
        assert str(batch.state(1)) == transcript["positions"][ply]
        assert games_of(batch.state(1)) == transcript["games"][: len(ended)]
        rewards, done = batch.play(np.full(3, action))
        assert bool(done[1]) == (ply + 1 == len(transcript["actions"]))
        games = batch.ended_games
        assert games.slots.tolist() in ([], [0, 1, 2])
        if len(games.slots):
            lead = int(games.leads[1])
            winner = None if lead == 0 else int(lead < 0)
            ended.append([games.scores[1].tolist(), winner, str(games.terminations[1])])
    assert ended == transcript["games"]
    assert str(batch.final[1]) == transcript["positions"][-1]
    check_end(batch.final[1], transcript)
    assert rewards[1].tolist() == list(batch.final[1].returns)
    assert str(batch.state(1)) == transcript["positions"][0]


@each_transcript
def test_the_pettingzoo_env_replays_the_transcript(transcript):
    env = aec.env(transcript["game"], **transcript["options"])
    env.reset()
    for ply, action in enumerate(transcript["actions"]):
        assert str(env.position) == transcript["positions"][ply]
        seat = "SN".index(transcript["positions"][ply].split()[1][-1])
        assert env.agent_selection == f"player_{seat}"
        assert env.infos["player_1"]["games_ended"] == len(env.position.games)
        assert not any(env.terminations.values())
        env.step(action)
    assert str(env.position) == transcript["positions"][-1]
    check_end(env.position, transcript)
    assert all(env.terminations.values())
    winner = transcript["winner"]
    returns = [0.0, 0.0] if winner is None else [1.0, -1.0] if winner == 0 else [-1.0, 1.0]
    assert [env.rewards["player_0"], env.rewards["player_1"]] == returns
    assert TERMINATIONS[env.infos["player_0"]["termination"]] == transcript["termination"]


# -- Writing them ------------------------------------------------------------------------------------------------------


def played(rules: Ruleset, seed: str) -> tuple[list[int], list[Position]]:
    """Actions and positions of a random match, played by the reference."""
    rng = random.Random(seed)
    position = Position(rules, rules.setup or [rules.seeds] * rules.board.pits)
    actions, positions = [], [position]
    while not position.is_over:
        actions.append(rng.choice(position.legal_actions))
        position = position.play(actions[-1])
        positions.append(position)
    return actions, positions


def written(position: Position) -> str:
    """A position as one line, in the form that ``str(state)`` has."""
    rules = position.rules
    parts = [rules.name, "-".join(map(str, (*position.pits, *position.stores, "SN"[position.player])))]
    if position.ply:
        parts.append(f"ply={position.ply}")
    if position.owner != rules.board.owner:
        parts.append("owner=" + "".join("SN"[player] for player in position.owner))
    if any(mark >= 0 for mark in position.marks):
        parts.append("marks=" + "".join("." if mark < 0 else "SN"[mark] for mark in position.marks))
    if any(position.reserve):
        parts.append("reserve=" + joined(position.reserve))
    tally = position.tally if position.standing is None or rules.match == "refill" else position.standing
    if any(tally):
        parts.append("tally=" + joined(tally))
    if position.game > 1:
        parts.append(f"game={position.game}")
    if position.first:
        parts.append("first=" + "SN"[position.first])
    if position.games:
        scores, _, termination = position.games[-1]
        parts += [f"last={joined(scores)}", f"last_over={termination}"]
    if position.is_over:
        parts.append(f"over={position.termination}")
    return " ".join(parts)


def joined(numbers: Any) -> str:
    return "-".join(map(str, numbers))


def transcript_of(game: str, options: dict[str, Any]) -> dict[str, Any]:
    """A random match of three or four games, of which each player wins one, and North begins one."""
    rules = ruleset(game, **options)
    for seed in range(100):
        actions, positions = played(rules, f"{game} {seed}")
        end = positions[-1]
        both_win = {winner for _, winner, _ in end.games} >= {0, 1}
        if len(end.games) in (3, 4) and both_win and any(position.first for position in positions):
            return {
                "game": game,
                "options": options,
                "actions": actions,
                "games": [[list(scores), winner, termination] for scores, winner, termination in end.games],
                "termination": end.termination,
                "scores": list(end.scores),
                "winner": end.winner,
                "positions": [written(position) for position in positions],
            }
    raise ValueError(f"no random match of {game} is as it should be")


def line_by_line(transcript: dict[str, Any]) -> str:
    """JSON with each game and each position on a line of its own."""
    parts = []
    for key, value in transcript.items():
        text = json.dumps(value)
        if key in ("games", "positions"):
            text = "[\n" + ",\n".join(f"  {json.dumps(each)}" for each in value) + "\n ]"
        parts.append(f' "{key}": {text}')
    return "{\n" + ",\n".join(parts) + "\n}"


def main() -> None:
    transcripts = [transcript_of(game, options) for game, options in MATCHES]
    FILE.write_text("[\n" + ",\n".join(map(line_by_line, transcripts)) + "\n]\n", encoding="utf-8")
    for transcript in transcripts:
        print(f"{transcript['game']}: {len(transcript['actions'])} plies, {len(transcript['games'])} games")


if __name__ == "__main__":
    main()
