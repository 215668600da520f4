#!/usr/bin/env python3
"""Four micro-batches of one sample against one batch of four: loss and gradients to rounding, equal peaks of micro-batches.

usage: accumulate.py --bin DIR --work DIR [--strategy TEXT]
"""
import argparse
import json
import pathlib

import compare_torch as tools

MICRO = 4
# Sums of four terms in another order, through three layers of f32.
TOLERANCE = 2e-6
ALIGNMENT = 256


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--strategy", default="strategy=none")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)

    def train(batch, accumulate):
        model, program, memory, report, outputs = (
            args.work / f"{accumulate}.{name}" for name in ("mlir", "rgp", "memory.json", "report.json", "safetensors"))
        tools.run(args.bin / "ringi-model", "mlp", "--batch", batch, "-o", model)
        tools.run(args.bin / "ringi-opt", model, f"--ringi-train={args.strategy} optimizer=none accumulate={accumulate}",
                  f"--ringi-print-memory=format=json file={memory}", f"--ringi-export-program=file={program}",
                  "-o", "/dev/null")
        # The same initialiser fills [4, 64] and [4, 1, 64] with the same numbers.
        tools.run(args.bin / "ringi-run", program, "--report", report, "--save-outputs", outputs)
        return json.loads(memory.read_text()), json.loads(report.read_text()), tools.read_safetensors(outputs)

    _, whole_report, whole = train(MICRO, 1)
    memory, report, parts = train(1, MICRO)
    worst = {"loss": tools.relative_error(report["loss"], whole_report["loss"])}
    assert parts.keys() == whole.keys() and len(whole) == 7
    for name in whole:
        worst[name] = tools.relative_error(tools.floats(parts[name]), tools.floats(whole[name]))

    # The last micro-batch frees the constants that all share.
    # A micro-batch begins where the forward phase follows the backward phase; the mean of the losses comes last.
    peaks, phase = [], "backward"
    for op in memory["timeline"]:
        if op["phase"] == "forward" and phase != "forward" and op["kind"] != "ringi.scale":
            peaks.append(0)
        phase = op["phase"]
        peaks[-1] = max(peaks[-1], op["live_bytes"])
    name = max(worst, key=worst.get)
    good = worst[name] <= TOLERANCE and len(peaks) == MICRO and max(peaks[1:]) - min(peaks[1:]) <= ALIGNMENT
    print(f"worst '{name}' {worst[name]:.1e}, peaks of micro-batches {peaks}: {'good' if good else 'BAD'}")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
