"""LLVM through `llvmlite.binding`, for versions of llvmlite whose C functions are unknown.

The same methods as `llvm_binding.DirectBinding`.  Python modules of llvmlite make the first
compilation in a process slower by 50 to 90 ms; nothing else differs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from llvmlite import binding
from llvmlite.binding.newpassmanagers import NewPassManager

from cutaway.errors import InternalError
from cutaway.targets.cpu.optimization import HOST, LIGHT_PASSES, OPTIONS, Cpu, Plan


class LlvmliteBinding:
    """The LLVM operations of the engine; handles are llvmlite's objects."""

    def __init__(self) -> None:
        for option in OPTIONS:
            self.set_option(option)
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        binding.initialize_native_asmparser()
        self.triple = binding.get_default_triple()
        features = binding.get_host_cpu_features().flatten()
        self.host = Cpu(binding.get_host_cpu_name(), features)
        self._machines: dict[tuple[int, Cpu], binding.TargetMachine] = {}

    def data_layout(self, cpu: Cpu) -> str:
        """Return the data layout of a kind of machine, as LLVM writes it."""
        return str(self._machine(2, cpu).target_data)

    def set_option(self, option: str) -> None:
        """Set one of LLVM's own options; an unknown one ends the process."""
        binding.set_option("cutaway", option)

    def _machine(self, codegen: int, cpu: Cpu = HOST) -> binding.TargetMachine:
        """Return the code generator for a processor at a level of effort, made once."""
        if (codegen, cpu) not in self._machines:
            tuned = cpu.tuned(self.host)
            if cpu.triple:
                binding.initialize_all_targets()
                binding.initialize_all_asmprinters()
            target = binding.Target.from_triple(cpu.triple or self.triple)
            self._machines[codegen, cpu] = target.create_target_machine(
                cpu=tuned.name,
                features=tuned.features,
                opt=codegen,
                reloc="pic",
                codemodel="default",
            )
        return self._machines[codegen, cpu]

    # --- modules --------------------------------------------------------------------------------

    def parse(self, text: str) -> binding.ModuleRef:
        """Parse a module; raises InternalError with LLVM's message."""
        try:
            return binding.parse_assembly(text, binding.create_context())
        except RuntimeError as error:
            raise InternalError(str(error)) from None

    def read_bitcode(self, data: bytes) -> binding.ModuleRef:
        """Parse a module's bitcode; raises InternalError with LLVM's message."""
        try:
            return binding.parse_bitcode(data, binding.create_context())
        except RuntimeError as error:
            raise InternalError(str(error)) from None

    def complaint(self, handle: binding.ModuleRef) -> str:
        """Return the message of LLVM's verifier about the module; empty for a valid one."""
        try:
            handle.verify()
        except RuntimeError as error:
            return str(error) or "no reason given"
        return ""

    def text(self, handle: binding.ModuleRef) -> str:
        """Return the module as text."""
        return str(handle)

    def free(self, handle: binding.ModuleRef) -> None:
        """Free the module."""
        handle.close()

    # --- optimization ---------------------------------------------------------------------------

    def optimize(self, handle: binding.ModuleRef, plan: Plan, timing: bool) -> str:
        """Run the plan's passes; with `timing`, returns LLVM's report of the time of each."""
        options = binding.create_pipeline_tuning_options(plan.speed)
        options.loop_vectorization = plan.vectorize
        options.slp_vectorization = plan.slp
        options.loop_unrolling = plan.unroll
        builder = binding.create_pass_builder(self._machine(2, plan.cpu), options)
        if timing:
            builder.start_pass_timing()
        full = plan.level == "full"
        passes = builder.getModulePassManager() if full else _light_passes()
        passes.run(handle, builder)
        _dispose(passes)
        return builder.finish_pass_timing() if timing else ""

    # --- machine code ---------------------------------------------------------------------------

    def set_verbosity(self, plan: Plan, verbose: bool) -> None:
        """Turn LLVM's comments in assembly on or off."""
        self._machine(plan.codegen, plan.cpu).set_asm_verbosity(verbose)

    def emit(self, handle: binding.ModuleRef, plan: Plan, as_object: bool) -> bytes:
        """Emit an object file or assembly, from a copy of the module, since it is modified."""
        machine, copy = self._machine(plan.codegen, plan.cpu), handle.clone()
        try:
            return machine.emit_object(copy) if as_object else machine.emit_assembly(copy).encode()
        except RuntimeError as error:
            raise InternalError(str(error)) from None

    def new_jit(self) -> binding.LLJIT:
        """Make a linker and loader of objects."""
        return binding.create_lljit_compiler(
            self._machine(2), use_jit_link=True, suppress_errors=True
        )

    def free_jit(self, jit: binding.LLJIT) -> None:
        """Free a loader, all of whose objects must have been unloaded."""
        jit.close()

    def link(
        self,
        jit: binding.LLJIT,
        name: str,
        object_code: bytes,
        exports: Sequence[str],
        symbols: Mapping[str, int],
    ) -> tuple[binding.ResourceTracker, dict[str, int]]:
        """Load an object under a name never used before; returns a handle and addresses."""
        library = binding.JITLibraryBuilder().add_object_img(object_code)
        for symbol, address in symbols.items():
            library.import_symbol(symbol, address)
        for symbol in exports:
            library.export_symbol(symbol)
        try:
            tracker = library.link(jit, name)
        except RuntimeError as error:
            raise InternalError(str(error)) from None
        return tracker, {symbol: tracker[symbol] for symbol in exports}

    def unload(self, tracker: binding.ResourceTracker) -> None:
        """Unload an object."""
        tracker.close()


def _dispose(passes: binding.ModulePassManager) -> None:
    # ModulePassManager inherits a `_dispose` that does nothing before the intended one, so that 10
    # to 80 kB would leak with each.
    NewPassManager._dispose(passes)
    passes.detach()


def _light_passes() -> binding.ModulePassManager:
    passes = binding.create_new_module_pass_manager()
    add = {
        "always_inline": passes.add_always_inliner_pass,
        "sroa": passes.add_sroa_pass,
        "simplify_cfg": passes.add_simplify_cfg_pass,
        "instcombine": passes.add_instruction_combine_pass,
        "global_dce": passes.add_global_dead_code_eliminate_pass,
    }
    for name in LIGHT_PASSES:
        add[name]()
    return passes
