#!/usr/bin/env python3
"""Taylor test: the error of the directional derivative falls with slope 2 (Farrell et al., 2013).

Runs a smooth f64 model at p and at p + h v for halving h, and fits the slope of log |f(p + h v) - f(p) - h g.v| over log h,
where g are the gradients that the step returns under the given strategy.

usage: taylor.py --bin DIR --work DIR --model "gpt2 ... --dtype f64" [--strategy TEXT]
`--model` is what ringi-model takes, or an .mlir file.
"""
import argparse
import math
import pathlib
import random
import shlex
import struct

import compare_torch as tools


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--strategy", default="strategy=none")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    model, program = pathlib.Path(args.model), args.work / "step.rgp"
    if model.suffix != ".mlir":
        model = args.work / "model.mlir"
        tools.run(args.bin / "ringi-model", *shlex.split(args.model), "-o", model)
    tools.run(args.bin / "ringi-opt", model, f"--ringi-train={args.strategy} optimizer=none",
              f"--ringi-export-program=file={program}", "-o", "/dev/null")

    def evaluate(state):
        """Outputs of one step; `state` None starts from the initialisers."""
        outputs = args.work / "outputs.safetensors"
        extra = []
        if state is not None:
            tools.write_safetensors(args.work / "state.safetensors", state)
            extra = ["--load", args.work / "state.safetensors"]
        tools.run(args.bin / "ringi-run", program, "--save-outputs", outputs, "--save",
                  args.work / "parameters.safetensors", *extra)
        return tools.read_safetensors(outputs)

    evaluate(None)
    start = tools.read_safetensors(args.work / "parameters.safetensors")
    draw = random.Random(0)
    values = {name: tools.floats(tensor) for name, tensor in start.items()}
    direction = {name: [draw.gauss(0, 1) for _ in value] for name, value in values.items()}

    def moved(h):
        return {name: ("F64", start[name][1],
                       struct.pack(f"<{len(value)}d", *(p + h * v for p, v in zip(value, direction[name]))))
                for name, value in values.items()}

    outputs = evaluate(moved(0.0))
    base = tools.floats(outputs["loss"])[0]
    slope = sum(g * v for name in values for g, v in zip(tools.floats(outputs[name + ".grad"]), direction[name]))
    sizes = [2e-5 / 2 ** k for k in range(5)]
    errors = [abs(tools.floats(evaluate(moved(h))["loss"])[0] - base - h * slope) for h in sizes]
    rate = math.log(errors[0] / errors[-1]) / math.log(sizes[0] / sizes[-1])
    good = abs(rate - 2) <= 0.05
    print(f"errors {' '.join(f'{e:.2e}' for e in errors)}, slope {rate:.3f}: {'good' if good else 'BAD'}")
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
