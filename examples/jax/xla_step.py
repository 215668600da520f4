"""A training step as text: out of JAX, and back into XLA.

`lower` gives the StableHLO of a jitted function in generic form with its locations, as mlir-opt and ringi-opt read it;
`Step` compiles such text with XLA's CPU compiler, says how much temporary memory XLA assigned, and runs it.

Written for jax 0.10. XLA's CPU scheduler ignores memory unless its concurrency-optimized mode is off: import this module before jax.
"""
import os

os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                           " --xla_cpu_enable_concurrency_optimized_scheduler=false").strip()

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir

ELEMENT_TYPES = {"f64": jnp.float64, "f32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16, "i64": jnp.int64,
                 "i32": jnp.int32, "ui32": jnp.uint32, "i8": jnp.int8, "i1": jnp.bool_}


def lower(function, *arguments):
    """The module of `function` on arguments of these shapes, as text in generic form; locations hold name scopes, no paths."""
    jax.config.update("jax_traceback_in_locations_limit", 0)
    module = jax.jit(function).lower(*arguments).compiler_ir("stablehlo")
    return module.operation.get_asm(enable_debug_info=True, print_generic_op_form=True)


class Step:
    """A module whose public function `main` is the step."""

    def __init__(self, text):
        from jaxlib import _jax
        context = jax_mlir.make_ir_context()
        with context:
            module = ir.Module.parse(text)
            bytecode = jax_mlir.module_to_bytecode(module)
            self.shapes = [self._shape(ir.RankedTensorType(t)) for t in self._main(module).type.inputs]
        self.device = jax.devices("cpu")[0]
        devices = _jax.DeviceList((self.device,))
        self.executable = self.device.client.compile_and_load(bytecode, devices, _jax.CompileOptions())

    @staticmethod
    def _main(module):
        for op in module.body.operations:
            if op.operation.name == "func.func" and "main" in ir.StringAttr(op.attributes["sym_name"]).value:
                return op
        raise ValueError("the module has no function 'main'")

    @staticmethod
    def _shape(type_):
        return tuple(type_.shape), ELEMENT_TYPES[str(type_.element_type)]

    def temporary_bytes(self):
        """What XLA's buffer assignment reserves beside arguments and results."""
        return self.executable.get_compiled_memory_stats().temp_size_in_bytes

    def random_arguments(self, seed=0, largest_index=64):
        """Small normal numbers; indices below `largest_index`."""
        generator = np.random.default_rng(seed)
        arguments = []
        for shape, dtype in self.shapes:
            if jnp.issubdtype(dtype, jnp.floating):
                arguments.append(jnp.asarray(0.02 * generator.standard_normal(shape), dtype))
            else:
                arguments.append(jnp.asarray(generator.integers(0, largest_index, shape), dtype))
        return arguments

    def run(self, arguments):
        placed = [jax.device_put(argument, self.device) for argument in jax.tree_util.tree_leaves(arguments)]
        result = self.executable.execute_sharded(placed)
        return [np.asarray(array[0]) for array in result.disassemble_into_single_device_arrays()]


def first_difference(ours, theirs):
    """The number of the first output that is not equal bit for bit, or None."""
    for index, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype or a.tobytes() != b.tobytes():
            return index
    return None
