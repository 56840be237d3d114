"""Files that are damaged, cut or written by somebody else end in what they say, or in a sentence: never otherwise."""

import contextlib
import copy
import json
import resource
import sqlite3

import numpy as np
import pytest
import torch
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import save, save_file

import mancala_env as mancala
from agents import reading, zoo
from agents.executors import LocalExecutor
from agents.policy import card
from agents.policy.network import PolicyNetwork, _header_digest
from agents.provenance import write_text
from agents.search.evaluation import Evaluation
from agents.tablebase import build, files
from agents.tournament import export
from agents.tournament.event import Event, Player
from agents.tournament.run import run_event
from agents.tournament.store import Store
from agents.zoo import FILE_NAME
from mancala_env.games import ruleset
from tests.test_learned import random_evaluation
from training import checkpoint
from training.alphazero import AlphaZeroConfig
from training.cli import read_yaml
from training.ppo import PPOConfig, main
from training.run import CONFIG, read_settings

anything = settings(suppress_health_check=list(HealthCheck))
KALAH = mancala.ruleset("kalah")
DEEP = "[" * 30_000 + "]" * 30_000
NASTY = [
    None, True, False, -1, 0, 1, 7, 1 << 40, 10**400, 0.5, 1e300, float("inf"), float("nan"), "", "x", "1e999",
    "\ud7ff", [], [[]], [1, 2], {}, {"a": 1}, [None] * 3, [10**30], "kalah", "cmd:x", [{}],
]  # fmt: skip


@st.composite
def damaged(draw, data: bytes):
    """Bytes of a file after a few bits fell over, it was cut, or something was written into it."""
    made = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        kind, at = (
            draw(st.sampled_from(["bit", "cut", "insert", "remove", "head"])),
            draw(st.integers(0, len(data) - 1)),
        )
        at = min(at, max(0, len(made) - 1))
        if kind in ("bit", "head") and made:
            made[at if kind == "bit" else at % 400 % len(made)] ^= 1 << draw(st.integers(0, 7))
        elif kind == "cut":
            del made[at:]
        elif kind == "remove":
            del made[at : at + draw(st.integers(1, 30))]
        else:
            made[at:at] = draw(
                st.sampled_from([b"\0", b"]", b"[" * 2000, b"1e999", b"9" * 5000, b"NaN", b'":{', b"\xff"])
            )
    return bytes(made)


@st.composite
def edited(draw, value):
    """A value of JSON in which something has another value, is gone, or has come."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 2))):
        here = value
        while True:
            keys = list(here) if isinstance(here, dict) else list(range(len(here)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(here[key], dict | list) and here[key] and draw(st.booleans()):
                here = here[key]
                continue
            if draw(st.integers(0, 4)) == 0:
                del here[key]
            else:
                here[key] = copy.deepcopy(draw(st.sampled_from(NASTY)))  # the next change may go into it
            break
    return value


@pytest.mark.parametrize(
    "text", [DEEP, DEEP.replace("[", '{"a":').replace("]", "1}"), "[" * 200 + "]" * 200, "", "{", "\xff"]
)
def test_json_that_cannot_be_read_is_a_value_error(text, tmp_path):
    with pytest.raises(ValueError, match=r"nested more than|Expecting|delimiter|value"):
        reading.json_value(text)
    (tmp_path / "it.json").write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=r"."):
        reading.read_json(tmp_path / "it.json")


def test_a_file_is_written_where_a_link_leads(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_text(tmp_path / "link", "new")
    assert ((tmp_path / "link").is_symlink(), (tmp_path / "file").read_text()) == (True, "new")


def test_json_of_some_depth_is_read():
    assert reading.json_value("[" * 90 + "]" * 90)
    with pytest.raises(ValueError, match="it is no JSON object, but a list"):
        reading.json_object("[]")


@pytest.mark.parametrize(
    "text",
    [
        DEEP, "a: [" * 300, "a: &a [*a]", "- 1", "7", "1: 2", "a: 2000-99-99", "\xff", "a: !!python/object:os.system x",
        "a: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(f"b{k}: &a{k + 1} [{f'*a{k},' * 10}]\n" for k in range(12)),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_read_are_a_value_error(text, tmp_path, capsys):
    path = tmp_path / CONFIG
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=CONFIG) as refused:
        read_yaml(path)
    assert "\n" not in str(refused.value)
    with pytest.raises(checkpoint.CheckpointError, match=CONFIG):
        read_settings(tmp_path, PPOConfig)
    with pytest.raises(SystemExit):
        main(["--config", str(path)])
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("config", [PPOConfig, AlphaZeroConfig])
@pytest.mark.parametrize("number", [10**400, float("inf"), float("nan"), -(10**400)])
def test_a_number_beyond_all_reason_is_refused_in_a_sentence(config, number):
    with pytest.raises(ValueError, match="learning_rate must be"):
        config(learning_rate=number)


@anything
@given(data=st.data())
def test_a_config_is_read_or_refused(data, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "config"
    folder.mkdir(exist_ok=True)
    given = {"rules": "kalah:seeds=3", "steps": 1000, "layers": [64, 64], "shaping": 0.5, "seed": 1}
    text = yaml.safe_dump(given).encode()
    made = data.draw(
        st.one_of(damaged(text), edited(given).map(lambda value: yaml.dump(value).encode("utf-8", "replace")))
    )
    (folder / CONFIG).write_bytes(made)
    with contextlib.suppress(checkpoint.CheckpointError):
        read_settings(folder, PPOConfig)


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    path = tmp_path_factory.mktemp("policy") / FILE_NAME
    network = PolicyNetwork("kalah", "counts", (8,), shaping=0.25)
    network.save(path)
    return path, path.read_bytes(), network


def header_of(data):
    with_length = int.from_bytes(data[:8], "little")
    return json.loads(json.loads(data[8 : 8 + with_length])["__metadata__"]["mancala_policy"])


@anything
@given(data=st.data())
def test_a_damaged_policy_is_what_it_was_or_refused(data, policy):
    path, whole, network = policy
    path.write_bytes(data.draw(damaged(whole)))
    with contextlib.suppress(ValueError):
        found = PolicyNetwork.load(path)
        assert (found.digest, found.header()) == (network.digest, network.header())


@anything
@given(data=st.data())
def test_a_damaged_evaluation_is_what_it_was_or_refused(data, tmp_path_factory):
    evaluation, path = random_evaluation("oware"), tmp_path_factory.getbasetemp() / "search.safetensors"
    evaluation.save(path)
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    with contextlib.suppress(ValueError):
        found = Evaluation.load(path)
        assert found.digest == evaluation.digest


@anything
@given(data=st.data())
def test_an_edited_header_of_a_policy_is_refused(data, policy):
    path, whole, network = policy
    header = header_of(whole)
    made = data.draw(edited(header))
    forged = data.draw(st.booleans())  # with a digest that fits
    if forged and isinstance(made, dict):
        made["header_sha256"] = _header_digest(made)
    path.write_bytes(save(network.weights(), {"mancala_policy": json.dumps(made)}))
    with contextlib.suppress(ValueError):
        found = PolicyNetwork.load(path)
        assert found.digest == network.digest
        assert forged or found.header() == network.header()


@pytest.mark.parametrize("missing", ["rules", "changes", "layers", "shaping", "encoder", "rules_version"])
def test_a_policy_that_lacks_a_part_says_which(missing, tmp_path):
    network = PolicyNetwork("kalah", "counts", (8,))
    header = network.header()
    del header[missing]
    save_file(network.weights(), tmp_path / FILE_NAME, {"mancala_policy": json.dumps(header)})
    with pytest.raises(ValueError, match=f"it lacks '{missing}'"):
        PolicyNetwork.load(tmp_path)


@pytest.mark.parametrize("shaping", [10**400, 1e999, "1", None, [0.5], True])
def test_shaping_is_a_number(shaping, tmp_path):
    network = PolicyNetwork("kalah", "counts", (8,))
    header = network.header() | {"shaping": shaping}
    save_file(network.weights(), tmp_path / FILE_NAME, {"mancala_policy": json.dumps(header)})
    with pytest.raises(ValueError, match="shaping must be a finite number"):
        PolicyNetwork.load(tmp_path)


@pytest.mark.parametrize(
    "claim", [{"layers": [20_000, 20_000]}, {"layers": [1] * 100_000}, {"layers": [10**30]}, {"towers": 10**9}]
)
def test_a_small_file_that_claims_much_takes_no_memory(claim, tmp_path):
    header = PolicyNetwork("kalah", "lookahead1", (8,)).header() | claim
    save_file({"value.bias": torch.zeros(1)}, tmp_path / FILE_NAME, {"mancala_policy": json.dumps(header)})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match=r"do not fit layers|cannot be read as a policy"):
        PolicyNetwork.load(tmp_path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kB


def test_a_tensor_file_that_claims_much_is_refused_before_it_is_read(tmp_path):
    for about in (
        {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 1 << 42]},
        {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]},
        {"dtype": "F32", "shape": [-1], "data_offsets": [0, 8]},
        {"dtype": ["F32"], "shape": [2], "data_offsets": [0, 8]},
        {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]},
    ):
        text = json.dumps({"a": about}).encode()
        path = tmp_path / "a.safetensors"
        path.write_bytes(len(text).to_bytes(8, "little") + text + b"12345678")
        with path.open("rb") as file, pytest.raises(ValueError, match=r"should have|overlap|does not say|another size"):
            reading.tensor_header(file)


@anything
@given(data=st.data())
def test_a_sidecar_is_read_or_refused(data, policy):
    path, whole, _ = policy
    path.write_bytes(whole)
    said = {"format": 1, "sha256": card.digest(path), "made": {"seed": 1}, "encoder": {"name": "counts"}}
    text = json.dumps(said).encode()
    made = data.draw(st.one_of(damaged(text), edited(said).map(lambda value: json.dumps(value).encode())))
    zoo.beside(path).write_bytes(made)
    try:
        assert card.read(path)["sha256"] == said["sha256"]
    except ValueError:
        return
    finally:
        zoo.beside(path).unlink()


@anything
@given(data=st.data())
def test_a_damaged_checkpoint_is_what_it_was_or_refused(data, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "checkpoint"
    folder.mkdir(exist_ok=True)
    arrays = {"policy.a": np.arange(6, dtype=np.float32).reshape(2, 3), "episodes": np.zeros((0, 3))}
    made = checkpoint.Checkpoint({"format": 1, "steps": 7, "config": {"layers": [8]}}, arrays)
    checkpoint.remove(folder)
    made.write(folder)
    path = folder / checkpoint.CHECKPOINT
    path.write_bytes(data.draw(damaged(path.read_bytes())))
    with contextlib.suppress(checkpoint.CheckpointError):
        found = checkpoint.read(folder, lambda text: None)
        assert found.header == made.header
        assert all((found.arrays[name] == array).all() for name, array in arrays.items())
        assert found.arrays["policy.a"].flags.writeable


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    build(KALAH, 2, folder, threads=1)
    return folder


@anything
@given(data=st.data())
def test_a_damaged_table_is_what_it_was_or_refused(data, tables, tmp_path_factory):
    known = files.read_table(files.table_path(tables, KALAH, 2))
    whole = files.table_path(tables, KALAH, 2).read_bytes()
    path = tmp_path_factory.getbasetemp() / "damaged.table"
    path.write_bytes(data.draw(damaged(whole)))
    with contextlib.suppress(files.DamagedTable):
        assert (files.read_table(path) == known).all()


@anything
@given(data=st.data())
def test_an_edited_header_of_a_table_is_refused(data, tables, tmp_path_factory):
    whole = files.table_path(tables, KALAH, 2).read_bytes()
    length = 8 + int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8:length])
    said = data.draw(edited(json.loads(header["__metadata__"]["mancala_endgame_table"])))
    path = tmp_path_factory.getbasetemp() / "edited.table"
    header["__metadata__"]["mancala_endgame_table"] = json.dumps(said)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + whole[length:])
    with contextlib.suppress(files.DamagedTable):
        assert files.read_table(path, KALAH, 2).shape == (1, files.layer_size(12, 2))


# -- Events and games --------------------------------------------------------------------------------------------------

EVENT = Event(players=(Player.parse("random"), Player.parse("greedy")), rules=("kalah:seeds=3",), pairs=3)


@pytest.fixture(scope="module")
def event_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("event") / "event.db"
    run_event(EVENT, path, executor=LocalExecutor(0))
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA journal_mode = DELETE")
    base.close()
    return path


@anything
@given(data=st.data())
def test_an_event_is_read_or_refused(data):
    made = data.draw(edited(json.loads(json.dumps(EVENT.as_dict()))))
    with contextlib.suppress(ValueError):
        Event.from_dict(made)


@anything
@given(data=st.data())
def test_a_text_of_games_is_read_or_refused(data, event_file):
    with Store(event_file) as store:
        text = export.game_text(next(store.records()), ruleset(EVENT.rules[0]))
    name = data.draw(
        st.sampled_from(["Game", "Seeds", "Times", "Scores", "Fault", "Rules", "Opening", "Result", "Reason"])
    )
    value = data.draw(
        st.sampled_from(
            ["", "x", "1e999 0", "nan nan", "1 2 3", "9" * 5000, "-1", f"kalah:seeds={DEEP}", "kalah:seeds=1e999"]
        )
    )
    lines = [f'[{name} "{value}"]' if line.startswith(f"[{name} ") else line for line in text.split("\n")]
    made = data.draw(
        st.one_of(st.just("\n".join(lines)), damaged(text.encode()).map(lambda each: each.decode("latin-1")))
    )
    with contextlib.suppress(ValueError):
        export.read_games(made)


def test_an_event_with_numbers_beyond_all_reason_is_refused():
    for name in ("move_time", "balanced", "patience", "cpu"):
        with pytest.raises(ValueError, match=f"{name} must be"):
            Event(players=EVENT.players, **{name: 10**400})
