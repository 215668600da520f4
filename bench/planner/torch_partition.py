#!/usr/bin/env python3
"""What PyTorch's partitions cost on the joint graph as it was dumped.

PyTorch merges equal ops of the joint graph before it partitions. A dump made
before that keeps them, so that the FLOPs reported for a partition can lie below
what the same saved values cost on the dumped graph, and below any proven bound
of it. For each budget of a dump (xz or plain JSON) this prints

  peak     live peak of PyTorch's plan in bytes
  reported extra FLOPs % as PyTorch counts them
  dumped   extra FLOPs % of the same saved values on the dumped graph
  merged   the same, after merging backward ops with forward ops of equal kind,
           operands and sizes
  all      the same, after merging all such ops

`dumped` is what a plan of the dumped graph is to be compared with. The dump has
no constants: ops that differ in a constant alone look equal, so that the truth
lies between `merged` and `all`.
"""

import json
import lzma
import sys
from collections import Counter, defaultdict


def merge(nodes, which):
    """The nodes without merged ones, and what each id became."""
    became, seen, kept, merged = {}, defaultdict(list), [], Counter()
    for node in nodes:
        inputs = [became[i] for i in node["inputs"]]
        base = node.get("view_of")
        base = base if base is None else became[base]
        key = (node["op"], tuple(inputs), tuple(node["bytes"]), base)
        twin = None
        if node["op"] != "input" and which == "all" and seen[key]:
            twin = seen[key][0]
        if which == "cross" and node["phase"] != "forward" and seen[key]:
            if seen[key][0]["phase"] == "forward":
                twin = seen[key].pop(0)
        if twin:
            became[node["id"]] = twin["id"]
            merged[node["op"]] += 1
            continue
        copy = dict(node, inputs=inputs)
        seen[key].append(copy)
        kept.append(copy)
        became[node["id"]] = node["id"]
    return {node["id"]: node for node in kept}, became, merged


def needed(nodes, roots, stop):
    """The ids behind `roots`, not going past those of `stop`."""
    found, stack = set(), list(roots)
    while stack:
        at = stack.pop()
        if at in found:
            continue
        found.add(at)
        if at not in stop:
            stack += nodes[at]["inputs"]
    return found


def partition_flops(dump, nodes, became, saved_names):
    """FLOPs of the forward graph that saves the names, then the backward one."""
    ids = {node["name"]: node["id"] for node in dump["nodes"]}
    saved = {became[ids[name]] for name in saved_names}
    outputs = {
        part: [became[i] for i in dump["outputs"][part] if i is not None]
        for part in ("forward", "backward")
    }
    forward = needed(nodes, outputs["forward"] + list(saved), set())
    backward = needed(nodes, outputs["backward"], saved) - saved
    return sum(nodes[i]["flops"] for part in (forward, backward) for i in part)


def main():
    for path in sys.argv[1:]:
        opener = lzma.open if path.endswith(".xz") else open
        with opener(path, "rt") as file:
            dump = json.load(file)
        total = sum(node["flops"] for node in dump["nodes"])
        variants = [merge(dump["nodes"], which) for which in ("", "cross", "all")]
        print(f"{dump['name']}: {len(dump['nodes'])} nodes")
        for (nodes, _, merged), label in zip(variants[1:], ("merged", "all")):
            flops = total - sum(node["flops"] for node in nodes.values())
            print(f"  {label}: {sum(merged.values())} ops, {100 * flops / total:.4f} %"
                  f" of the FLOPs: {dict(merged.most_common())}")
        print("  budget       peak  reported   dumped   merged      all")
        for budget, result in dump["partitioner"].items():
            extra = [
                100 * (partition_flops(dump, nodes, became, result["saved"]) / total - 1)
                for nodes, became, _ in variants
            ]
            print(f"  {budget:>7} {result['live_peak_bytes']:>10} "
                  f"{100 * (result['flops'] / total - 1):>9.4f} "
                  + " ".join(f"{value:>8.4f}" for value in extra))


if __name__ == "__main__":
    main()
