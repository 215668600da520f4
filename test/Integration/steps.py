#!/usr/bin/env python3
"""1, 2, 3 and 100 steps of one program: the same measured peak, the step number in the state, falling loss.

usage: steps.py --bin DIR --work DIR [--strategy TEXT]
"""
import argparse
import json
import pathlib
import struct

import compare_torch as tools


def metadata(path):
    data = path.read_bytes()
    return json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])["__metadata__"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--strategy", default="strategy=none")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    model, program = args.work / "model.mlir", args.work / "step.rgp"
    tools.run(args.bin / "ringi-model", "gpt2", "--preset", "nano", "--layers", 1, "--dropout", 0.1, "-o", model)
    tools.run(args.bin / "ringi-opt", model, f"--ringi-train={args.strategy} optimizer=adamw lr=0.003",
              f"--ringi-export-program=file={program}", "-o", "/dev/null")
    text = args.work / "text"
    text.write_text("the quick brown fox jumps over the lazy dog. " * 40)

    def run(steps, *extra):
        report, state = args.work / f"{steps}.json", args.work / f"{steps}.safetensors"
        tools.run(args.bin / "ringi-run", program, "--steps", steps, "--input", f"tokens=bytes:{text}", "--report", report,
                  "--save", state, *extra)
        return json.loads(report.read_text()), metadata(state)["ringi.step"]

    reports = {}
    for steps in (1, 2, 3, 100):
        reports[steps], counted = run(steps)
        assert counted == str(steps), f"{steps} steps, but the state counts {counted}"
    more, counted = run(50, "--load", args.work / "100.safetensors")
    assert counted == "150" and more["first_step"] == 101, (counted, more["first_step"])
    peaks = {report["measured_peak_bytes"] for report in [*reports.values(), more]}
    planned = reports[100]["planned_peak_bytes"]
    # The fewer steps are a prefix of the more: the state of a step does not depend on how many follow.
    prefix = all(reports[100]["loss"][:steps] == reports[steps]["loss"] for steps in (1, 2, 3))
    loss = reports[100]["loss"]
    good = peaks == {planned} and prefix and loss[-1] < 0.5 * loss[0]
    print(f"measured peaks {sorted(peaks)}, planned {planned}, loss {loss[0]:.3f} to {loss[-1]:.3f}: "
          f"{'good' if good else 'BAD'}")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
