"""The kernels as WebAssembly, for Python in a browser (``ahead.py``): from the same source, with no
second account of any rule.

Numba compiles what the page uses, which is found by using it (``rehearse``). Its LLVM code of each kernel is compiled
for WebAssembly, and all are linked to one library, by the linker of the package ziglang.
"""

import gc
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

from agents import batched, mcts, search, tablebase
from docs.browser import ahead
from mancala_env.kernels import jit

TARGET = "wasm32-unknown-emscripten"
# What every browser of the last years has.
FEATURES = "+bulk-memory,+sign-ext,+nontrapping-fptoint,+mutable-globals,+simd128"
LINK = ("wasm-ld", "-shared", "--experimental-pic", "--no-entry", "--allow-undefined", "--strip-all")
# So that Numba writes code for any machine, without its vectors, and nothing is loaded that was compiled before.
PLAIN = {
    "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0",
    "NUMBA_DISABLE_JIT": "0",
}  # fmt: skip
SOURCES = (jit.KERNELS, *(Path(each.__file__ or "").parent for each in (batched, mcts, search, tablebase)))
# Games that ask for each kind of kernel: a match, decisions in mid-turn, no seeds to win; and those with policies.
GAMES = ("kalah", "oware", "layli_goobalay_match", "bao_kiswahili", "hus", "diffusion")
# Games that get builds of their own beside the general one.
OWN = ("oware", "kalah", "awari", "sungka", "hus", "toguz", "layli_goobalay", "oware_liberta", "oware_tutti_a_casa")
AGENTS = ("random", "greedy", "minimax:depth=3", "mcts:simulations=20")


def made(folder: Path, tell: Callable[[str], object] = print) -> Path:
    """The folder, in ``folder``, with the library of these sources; made there, in a minute, if need be. OSError, which
    says what would do, if it cannot be."""
    place = folder / f"kernels-{jit.digest((*SOURCES, Path(__file__).parent))}"
    if not all((place / name).is_file() for name in (ahead.LIBRARY, ahead.CONTENT)):
        if importlib.util.find_spec("ziglang") is None:
            raise OSError("the kernels cannot be linked for browsers without the package ziglang: pip install ziglang")
        tell("The kernels are compiled for browsers, which takes a minute")
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory(dir=folder) as making:
            environment = os.environ | PLAIN | {"NUMBA_CACHE_DIR": cache, jit.QUIET: "1"}
            command = [sys.executable, "-c", f"from docs.browser import engine; engine.write({making!r})"]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                raise OSError(f"the kernels cannot be compiled for browsers: {done.stderr.strip()[-2000:]}")
            shutil.copytree(making, place.with_suffix(".part"), dirs_exist_ok=True)
        shutil.rmtree(place, ignore_errors=True)
        place.with_suffix(".part").replace(place)  # whole, or not at all
    return place


def rehearse() -> None:
    """Use all that the page uses, so that it is compiled."""
    import mancala_env as mancala
    from agents import zoo
    from agents.agent import plays
    from docs.browser.game import answer, begin_any
    from mancala_env.kernels import engine

    def ask(command: str, **more: Any) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(answer(json.dumps({"command": command, **more}), begin_any))
        if "error" in told:
            raise RuntimeError(told["error"])
        return told.get("game", told)

    own, build_of = {mancala.ruleset(game).encoded.axes.tobytes() for game in OWN}, engine.Builds.of

    def of(builds: Any, axes: Any, much: bool = False) -> Any:
        """The general build, beside that of a ruleset which is to have one."""
        if builds is engine._builds and axes.tobytes() in own:
            build_of(builds, axes, much=True)
        return builds.general()

    engine.Builds.of = of  # type: ignore[assignment, method-assign]
    for game in OWN:
        mancala.ruleset(game).start()
    for game in GAMES:
        for against in (*AGENTS, *(f"zoo:{name}" for name in (*zoo.names(), *zoo.evaluations()))):
            if plays(against, game):
                ply = ask("begin", rules=game, against=against, seat=1, seed=0)["ply"]
                told = ask("reply", ply=ply)
                ask("hint", ply=told["ply"])
                ask("analyse", ply=told["ply"], at=0)
        state, moves = mancala.ruleset(game).start(), []
        while not state.is_over:
            moves.append(state.legal_actions[0])
            state = state.play(moves[-1])
        ask("new", rules=game, against="random", seat=0, seed=0, moves=moves)
        for each in ask("example")["found"]:
            ask("example", of=each["of"])
    batch = mancala.Batch("kalah", 2)
    batch.play(batch.random_actions())


def kind(numba_type: Any) -> Any:
    """What ``ahead`` calls a type of Numba. RuntimeError if it knows none such."""
    import numba

    types: Any = numba.types
    if isinstance(numba_type, types.Array):
        return f"{numba_type.dtype} {numba_type.ndim} {numba_type.layout}"
    if isinstance(numba_type, types.BaseTuple):
        return [kind(each) for each in numba_type]
    if isinstance(numba_type, types.Integer) and numba_type.bitwidth == 64:
        return "int" if numba_type.signed else "uint"
    for name, family in (("bool", types.Boolean), ("float", types.Float), ("none", types.NoneType)):
        if isinstance(numba_type, family):
            return name
    raise RuntimeError(f"a kernel takes {numba_type}, which cannot be passed")


def compiled() -> Iterator[tuple[str, Any]]:
    """The kernels that this process has compiled, each with its name, for each kind of arguments."""
    from numba.core.dispatcher import Dispatcher

    found = [each for each in gc.get_objects() if issubclass(type(each), Dispatcher) and hasattr(each, "folder")]
    for kernel in found:
        for made in cast(Any, kernel).overloads.values():
            if type(made.library).__name__ == "EntryLibrary":
                yield f"{kernel.py_func.__module__}.{kernel.py_func.__name__}", made


def translate(code: str, name: str, symbol: str, machine: Any) -> bytes:
    """The object file of a kernel: of its LLVM code all that ``name`` needs, as ``symbol``."""
    from llvmlite import binding

    code = re.sub('(?m)^target triple = ".*"', f'target triple = "{TARGET}"', code)
    code = re.sub('(?m)^target datalayout = ".*"', f'target datalayout = "{machine.target_data}"', code)
    module = binding.parse_assembly(code)
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration:
            each.linkage = "external" if each.name == name else "internal"
    module.get_function(name).name = symbol
    options = binding.create_pipeline_tuning_options(3)
    options.loop_vectorization = options.slp_vectorization = True
    passes = binding.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)  # which drops what is for Python alone, and uses its vectors
    return bytes(machine.emit_object(module))


def write(folder: str) -> None:
    """Compile and link the kernels, in a process in which nothing else has been compiled."""
    from llvmlite import binding

    rehearse()
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    machine = binding.Target.from_triple(TARGET).create_target_machine(opt=3, reloc="pic", features=FEATURES)
    content: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as place:
        objects: list[Path] = []
        for name, made in compiled():
            symbol = f"kernel_{len(objects)}"
            objects.append(Path(place) / f"{symbol}.o")
            objects[-1].write_bytes(translate(made.library.get_llvm_str(), made.fndesc.llvm_func_name, symbol, machine))
            takes = [kind(each) for each in made.signature.args]
            content.setdefault(name, {})[symbol] = [takes, kind(made.signature.return_type)]
        exports = [f"--export={each.stem}" for each in objects]
        linker = [sys.executable, "-m", "ziglang", *LINK, *exports, "-o", str(Path(folder) / ahead.LIBRARY)]
        subprocess.run([*linker, *map(str, objects)], check=True)
    (Path(folder) / ahead.CONTENT).write_text(json.dumps(content, sort_keys=True), encoding="utf-8")
