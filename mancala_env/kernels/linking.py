"""How a kernel and all that it calls become one piece of machine code: Numba optimises each function with all that it
calls before its caller does the same again, which takes most of the time. Here a *part*, which only kernels call, is
typed and lowered; the *entry*, which Python calls, links each part once, and all is optimised together. Rests on
private classes of the ``SUPPORTED`` versions of Numba; another is refused."""

from typing import Any

from mancala_env.kernels.compilers import AHEAD, DISABLE_JIT, numba

SUPPORTED = ((0, 61), (0, 69))  # versions of Numba: from the first on, before the second; as in pyproject.toml


def _options() -> tuple[dict[str, Any], ...]:
    if not SUPPORTED[0] <= tuple(map(int, numba.__version__.split(".")[:2])) < SUPPORTED[1]:
        raise ImportError(
            f"numba {numba.__version__} is not supported, as kernels are linked by private parts of it; pip install "
            "'numba>={}.{},<{}.{}', or set NUMBA_DISABLE_JIT=1 to play without a compiler, some hundred times "
            "slower".format(*SUPPORTED[0], *SUPPORTED[1])
        )
    from llvmlite import binding
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler, DefaultPassBuilder
    from numba.core.compiler_machinery import register_pass
    from numba.core.typed_passes import NativeLowering

    class PartLibrary(JITCodeLibrary):
        """The code of one part. It is finished when it is written down."""

        def finalize(self) -> None:
            self._raise_if_finalized()
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == binding.Linkage.external:
                    function.linkage = "linkonce_odr"  # so that several entries may define it
            self._finalized = True

        def _get_module_for_linking(self) -> Any:
            return self._final_module

    class EntryLibrary(JITCodeLibrary):
        """The code of a function that Python calls, with all parts that it needs."""

        def finalize(self) -> None:
            self._linking_libraries = _callers_first(self._linking_libraries)
            super().finalize()

        def _optimize_final_module(self) -> None:
            # Nobody else calls the parts: so LLVM inlines what is called once, and drops arguments that it knows.
            for function in self._final_module.functions:
                if function.linkage == binding.Linkage.linkonce_odr and not function.is_declaration:
                    function.linkage = "internal"
            super()._optimize_final_module()

    def _callers_first(libraries: list[Any]) -> list[Any]:
        """``libraries`` and all that their parts link, after what calls it: LLVM leaves out what nothing calls yet."""
        finished: dict[Any, None] = {}

        def visit(library: Any) -> None:
            if library not in finished:
                if isinstance(library, PartLibrary):
                    for called in library._linking_libraries:
                        visit(called)
                finished[library] = None

        for library in libraries:
            visit(library)
        return list(finished)[::-1]

    @register_pass(mutates_CFG=True, analysis_only=False)
    class PartLowering(NativeLowering):
        _name = "mancala_env_part_lowering"

        def run_pass(self, state: Any) -> bool:
            flags = state.flags
            flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
            state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            super().run_pass(state)
            state.library._ensure_finalized()
            name = [state.library].index  # a builtin function, for Numba to know it by; called from Python it raises
            state.targetctx.insert_user_function(name, state.cr.fndesc, [state.library])
            state["cr"] = state.cr._replace(cfunc=name)
            return True

    @register_pass(mutates_CFG=True, analysis_only=False)
    class EntryLowering(NativeLowering):
        _name = "mancala_env_entry_lowering"

        def run_pass(self, state: Any) -> bool:
            state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            return bool(super().run_pass(state))

    def pipeline(lowering: type) -> type:
        class Pipeline(Compiler):
            def define_pipelines(self) -> list[Any]:
                passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
                passes.passes = [(lowering if each is NativeLowering else each, why) for each, why in passes.passes]
                passes._finalized = False
                passes.finalize()
                return [passes]

        return Pipeline

    # References to arrays are not counted, which would cost several atomic operations for each view.
    return tuple({"_nrt": False, "pipeline_class": pipeline(each)} for each in (PartLowering, EntryLowering))


PART, ENTRY = ({}, {}) if DISABLE_JIT or AHEAD is not None else _options()  # for ``numba.njit``
