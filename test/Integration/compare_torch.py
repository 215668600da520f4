#!/usr/bin/env python3
"""Compares a Ringi run with a PyTorch fixture: loss and gradients of one step, parameters after three AdamW steps.

Builds the fixture's model with ringi-model, loads the fixture's parameters and batch into ringi-run, and compares what it
saves. Relative to the largest value of each tensor; prints the worst and fails above the tolerance.

usage: compare_torch.py --bin DIR --work DIR --fixture FILE --model "gpt2 ..." [--strategy TEXT] [--tolerance 1e-5]
"""
import argparse
import json
import pathlib
import shlex
import struct
import subprocess
import sys


def read_safetensors(path):
    """Name -> (dtype, shape, bytes)."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    body = data[8 + size:]
    return {name: (entry["dtype"], entry["shape"], body[slice(*entry["data_offsets"])])
            for name, entry in header.items() if name != "__metadata__"}


def write_safetensors(path, tensors):
    header, body = {}, b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def floats(tensor):
    dtype, _, data = tensor
    code = {"F32": "f", "F64": "d"}[dtype]
    return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)


def relative_error(actual, expected):
    scale = max(max(abs(x) for x in expected), 1e-30)
    return max(abs(a - b) for a, b in zip(actual, expected)) / scale


def adamw_error(actual, expected, gradient, reach, tolerance):
    """Largest error in units of what is allowed, and the number of elements whose gradient is rounding noise.

    AdamW moves an element by about lr * m / sqrt(v), which depends on a gradient's relative error: where the gradient is
    small against its tensor, the tolerance that gradients have leaves the size, and in the end the sign, of the step open. The
    key's bias of attention is the extreme: softmax ignores it, its gradient is exactly 0, and f32 leaves noise there. So an
    element may differ by the tolerance of its tensor plus `reach` (steps * lr) times the relative error of its gradient,
    at most two full steps in opposite directions.
    """
    scale, largest, undefined = max(abs(x) for x in expected), max(abs(g) for g in gradient), 0
    worst = 0.0
    for a, e, g in zip(actual, expected, gradient):
        # Behind a dead relu the gradient is 0 on both sides, and nothing moves.
        relative = min(2.0, tolerance * largest / abs(g)) if g else 0.0
        undefined += relative == 2.0
        worst = max(worst, abs(a - e) / (tolerance * scale + reach * relative))
    return worst, undefined


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        print(shlex.join(str(part) for part in command), "gave", done.returncode)
        print(done.stdout[-4000:], done.stderr[-4000:])
        sys.exit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--fixture", type=pathlib.Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--strategy", default="strategy=none")
    parser.add_argument("--tolerance", type=float, default=1e-5)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)

    fixture = read_safetensors(args.fixture)
    pick = lambda prefix: {name[len(prefix):]: value for name, value in fixture.items() if name.startswith(prefix)}
    write_safetensors(args.work / "init.safetensors", pick("init."))
    inputs = []
    for name, value in pick("input.").items():
        path = args.work / f"{name}.safetensors"
        write_safetensors(path, {name: value})
        inputs += ["--input", f"{name}={path}"]
    run(args.bin / "ringi-model", *shlex.split(args.model), "-o", args.work / "model.mlir")

    def trained(optimizer, steps, what):
        """Report and saved tensors of `steps` steps; `what` is --save or --save-outputs."""
        program, saved, report = (args.work / name for name in ("step.rgp", "saved.safetensors", "report.json"))
        run(args.bin / "ringi-opt", args.work / "model.mlir", f"--ringi-train={args.strategy} {optimizer}",
            f"--ringi-export-program=file={program}", "-o", "/dev/null")
        run(args.bin / "ringi-run", program, "--steps", steps, *inputs, "--load", args.work / "init.safetensors",
            what, saved, "--report", report)
        return json.loads(report.read_text()), read_safetensors(saved)

    report, outputs = trained("optimizer=none", 1, "--save-outputs")
    worst = {"loss": relative_error(report["loss"], floats(fixture["loss"]))}
    gradients = {name: floats(value) for name, value in pick("grad.").items()}
    for name, expected in gradients.items():
        worst[name] = relative_error(floats(outputs[name + ".grad"]), expected)
    name = max(worst, key=worst.get)
    good = worst[name] <= args.tolerance
    print(f"{len(worst)} tensors, worst gradient or loss '{name}' {worst[name]:.2e}: "
          f"{'within' if good else 'ABOVE'} {args.tolerance}")

    steps, rate = 3, 0.01
    _, state = trained(f"optimizer=adamw lr={rate} beta1=0.9 beta2=0.95 weight-decay=0.1", steps, "--save")
    worst, undefined = {}, 0
    for name, value in pick("adamw.").items():
        worst[name], without_direction = adamw_error(floats(state[name]), floats(value), gradients[name], steps * rate,
                                                     args.tolerance)
        undefined += without_direction
    name = max(worst, key=worst.get)
    kept = worst[name] <= 1
    print(f"{steps} steps, worst parameter '{name}' at {worst[name]:.3f} of what is allowed, {undefined} elements without "
          f"a gradient: {'within' if kept else 'ABOVE'}")
    return 0 if good and kept else 1


if __name__ == "__main__":
    sys.exit(main())
