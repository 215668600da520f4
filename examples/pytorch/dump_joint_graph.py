#!/usr/bin/env python3
"""Dump the joint forward-backward graph of a PyTorch model as Ringi graph JSON.

    python dump_joint_graph.py mymodel.py:make -o graph.json
    ringi-plan graph.json --budget 60%

`make` returns (module, example_inputs); the module's output must be a scalar loss.
Part of Ringi. See docs/graph-json.md for the format. Works with torch 2.4 or later.

What is recorded, per node of AOTAutograd's joint graph:
  * bytes of each result from its fake tensor; views share the storage of their base, as the operator's schema says;
  * cost = FLOPs of PyTorch's own counter where it knows the op, else the number of result elements;
  * random ops (they carry the tag nondeterministic_seeded) and ops with effects are not recomputable and keep their place;
  * parameters, buffers and step inputs are persistent inputs; gradients are outputs.
"""

import argparse
import importlib.util
import json
import math
import operator
import os
import sys

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import make_boxed_func
from torch._functorch.partitioners import default_partition
from torch.utils.flop_counter import flop_registry

ALIGNMENT = 256

GEMMS = {"mm", "addmm", "bmm", "baddbmm", "linear", "matmul"}
CONVOLUTIONS = {"convolution", "convolution_backward"}
REDUCTIONS = {"sum", "mean", "amax", "amin", "var_mean", "prod", "any", "all"}
NORMALIZATIONS = {"_softmax", "_log_softmax", "native_layer_norm", "native_group_norm", "native_batch_norm",
                  "_native_batch_norm_legit", "_softmax_backward_data", "native_layer_norm_backward"}


def align(size):
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def tensor_bytes(value):
    return align(int(value.numel()) * value.element_size())


def results_of(node):
    """The fake tensors a node makes, as a list; scalars and None are left out as None."""
    value = node.meta.get("val")
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    return [v if isinstance(v, torch.Tensor) else None for v in values]


def base_name(target):
    """'aten.mm.default' -> 'mm'."""
    return target._schema.name.split("::")[-1] if hasattr(target, "_schema") else getattr(target, "__name__", str(target))


def is_view(target):
    """Every result aliases an input that the op does not write. _unsafe_view does not say so, but never copies."""
    if base_name(target) == "_unsafe_view":
        return True
    returns = target._schema.returns if hasattr(target, "_schema") else []
    return bool(returns) and all(r.alias_info is not None and not r.alias_info.is_write for r in returns)


def class_of(name, target):
    if is_view(target):
        return "view"
    if name in GEMMS:
        return "gemm"
    if name in CONVOLUTIONS:
        return "convolution"
    if "attention" in name:
        return "attention"
    if torch.Tag.nondeterministic_seeded in getattr(target, "tags", ()):
        return "random"
    if name in REDUCTIONS:
        return "reduction"
    if name in NORMALIZATIONS:
        return "normalization"
    if torch.Tag.pointwise in getattr(target, "tags", ()) or name in {"where", "clone", "_to_copy", "convert_element_type"}:
        return "elementwise"
    return "other"


def fake_arguments(node):
    """The node's arguments with fake tensors in place of nodes, as the FLOP formulas want them."""
    def replace(value):
        return torch.fx.node.map_arg(value, lambda n: n.meta.get("val"))
    return replace(node.args), replace(node.kwargs)


def flops_of(node):
    formula = flop_registry.get(getattr(node.target, "overloadpacket", None))
    if formula is not None:
        args, kwargs = fake_arguments(node)
        return float(formula(*args, **kwargs, out_val=node.meta["val"]))
    return float(sum(v.numel() for v in results_of(node) if v is not None))


def block_of(node):
    """The outermost numbered module (layers.3, h.11) the node comes from, if any."""
    stack = node.meta.get("nn_module_stack") or node.meta.get("fwd_nn_module_stack") or {}
    for entry in stack.values():
        path = entry[0] if isinstance(entry, (tuple, list)) else str(entry)
        parts = path.replace("L['self'].", "").replace("[", ".").replace("]", "").replace("'", "").split(".")
        for i, part in enumerate(parts):
            if part.isdigit():
                return ".".join(parts[: i + 1])
    return None


class Dump:
    """Walks one joint graph in execution order."""

    def __init__(self, graph, num_forward_outputs, name):
        self.nodes = list(graph.nodes)
        self.value = {}  # node -> list of value names, one per result
        self.inputs, self.ops, self.views = [], [], {}
        flat = list(self.nodes[-1].args[0]) if self.nodes[-1].op == "output" else []
        flat = torch.utils._pytree.tree_leaves(flat)
        self.forward_outputs, self.gradients = flat[:num_forward_outputs], flat[num_forward_outputs:]
        order = {node: i for i, node in enumerate(self.nodes)}
        self.forward_end = max((order[n] for n in self.forward_outputs if isinstance(n, torch.fx.Node)), default=-1)
        self.name = name

    def run(self):
        for index, node in enumerate(self.nodes):
            if node.op == "placeholder":
                self.add_input(node)
            elif node.op == "get_attr":
                self.add_input(node)
            elif node.op == "call_function":
                self.add_op(node, "forward" if index <= self.forward_end else "backward")
        for node in self.forward_outputs + self.gradients:
            if isinstance(node, torch.fx.Node):
                self.mark_output(node)
        return {"format": "ringi.graph", "version": 1, "name": self.name, "inputs": self.inputs, "ops": self.ops}

    def add_input(self, node):
        values = results_of(node)
        size = tensor_bytes(values[0]) if values[0] is not None else 0
        category = "parameter" if node.name.startswith("primals") and values[0] is not None and values[0].is_floating_point() else "input"
        self.inputs.append({"name": node.name, "bytes": size, "category": category})
        self.value[node] = [node.name]

    def read(self, node):
        """Names of the values that the node's arguments read, each once."""
        names = []
        for argument in node.all_input_nodes:
            for value in self.value.get(argument, []):
                if value is not None and value not in names:
                    names.append(value)
        return names

    def add_op(self, node, phase):
        if node.target is operator.getitem:
            source, index = node.args
            self.value[node] = [self.value[source][index]]
            return
        name = base_name(node.target)
        kind = class_of(name, node.target)
        values = results_of(node)
        op = {"name": node.name, "kind": name, "class": kind, "phase": phase, "inputs": self.read(node), "results": []}
        if kind == "view":
            op["cost"] = 0
        else:
            op["flops"] = flops_of(node)
            op["cost"] = op["flops"]
        block = block_of(node)
        if block:
            op["block"] = block
        if kind == "random" or node.is_impure():
            op["recomputable"] = False
            op["ordered"] = True
        names = []
        for i, value in enumerate(values):
            if value is None:
                names.append(None)
                continue
            result = {"name": node.name if len(values) == 1 else f"{node.name}.{i}"}
            base = next((v for v in self.value.get(node.args[0], []) if v), None) if kind == "view" and node.args and isinstance(node.args[0], torch.fx.Node) else None
            if base is not None:
                result["view_of"] = base
            else:
                result["bytes"] = tensor_bytes(value)
            names.append(result["name"])
            op["results"].append(result)
            self.views[result["name"]] = result
        self.value[node] = names
        self.ops.append(op)

    def mark_output(self, node):
        for name in self.value.get(node, []):
            if name in self.views:
                self.views[name]["output"] = True
            for entry in self.inputs:
                if entry["name"] == name:
                    entry["output"] = True


def load(spec):
    """The model and inputs that FILE.py:FUNCTION makes; whatever is wrong with them ends the program with one line."""
    path, _, function = spec.partition(":")
    function = function or "make"
    module_spec = importlib.util.spec_from_file_location("ringi_example_model", path)
    if module_spec is None or not os.path.isfile(path):
        sys.exit(f"dump_joint_graph: cannot load '{path}'; give FILE.py:FUNCTION")
    module = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    if not callable(getattr(module, function, None)):
        sys.exit(f"dump_joint_graph: '{path}' has no function '{function}'; give FILE.py:FUNCTION")
    made = getattr(module, function)()
    if not isinstance(made, tuple) or len(made) != 2 or not isinstance(made[0], torch.nn.Module):
        sys.exit(f"dump_joint_graph: '{function}' must return (module, example_inputs)")
    return made


def joint_graph(module, inputs, name):
    """Compiles the module with a backend that only looks at the joint graph."""
    dumps = []

    def partition(joint, joint_inputs, *, num_fwd_outputs, **options):
        dumps.append(Dump(joint.graph, num_fwd_outputs, name).run())
        return default_partition(joint, joint_inputs, num_fwd_outputs=num_fwd_outputs, **options)

    def run_as_it_is(graph_module, example_inputs):
        return make_boxed_func(graph_module.forward)

    backend = aot_autograd(fw_compiler=run_as_it_is, bw_compiler=run_as_it_is, partition_fn=partition)
    torch._dynamo.reset()
    loss = torch.compile(module, backend=backend, fullgraph=True)(*inputs)
    if not isinstance(loss, torch.Tensor):
        sys.exit(f"dump_joint_graph: the module returns a {type(loss).__name__}; it must return a scalar loss")
    if loss.numel() != 1:
        sys.exit(f"dump_joint_graph: the module's output has {loss.numel()} elements; it must be a scalar loss")
    if not dumps:
        sys.exit("dump_joint_graph: nothing requires a gradient; there is no joint graph")
    return dumps[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="FILE.py:FUNCTION; the function returns (module, example_inputs)")
    parser.add_argument("-o", "--output", default="-", help="file to write; - is standard output")
    parser.add_argument("--name", help="name of the graph; default: the module's class")
    arguments = parser.parse_args()
    module, inputs = load(arguments.model)
    graph = joint_graph(module, inputs, arguments.name or type(module).__name__)
    for op in graph["ops"]:
        if not math.isfinite(op["cost"]):
            sys.exit(f"dump_joint_graph: op '{op['name']}' has no finite cost")
    text = json.dumps(graph)
    if arguments.output == "-":
        print(text)
    else:
        try:
            with open(arguments.output, "w") as file:
                file.write(text)
        except OSError as error:
            sys.exit(f"dump_joint_graph: cannot write '{arguments.output}': {error.strerror}")


if __name__ == "__main__":
    main()
