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

    worst = {}
    for optimizer, steps, prefix in (("optimizer=none", 1, "grad."),
                                     ("optimizer=adamw lr=0.01 beta1=0.9 beta2=0.95 weight-decay=0.1", 3, "adamw.")):
        program = args.work / f"{prefix}rgp"
        run(args.bin / "ringi-opt", args.work / "model.mlir", f"--ringi-train={args.strategy} {optimizer}",
            f"--ringi-export-program=file={program}", "-o", "/dev/null")
        saved, report = args.work / f"{prefix}safetensors", args.work / f"{prefix}json"
        run(args.bin / "ringi-run", program, "--steps", steps, *inputs, "--load", args.work / "init.safetensors",
            "--save" if prefix == "adamw." else "--save-outputs", saved, "--report", report)
        tensors = read_safetensors(saved)
        for name, expected in pick(prefix).items():
            error = relative_error(floats(tensors[name]), floats(expected))
            worst[prefix + name] = error
        if prefix == "grad.":
            loss = json.loads(report.read_text())["loss"][0]
            worst["loss"] = relative_error([loss], floats(fixture["loss"]))
    name = max(worst, key=worst.get)
    good = worst[name] <= args.tolerance
    print(f"{len(worst)} tensors, worst relative error {worst[name]:.2e} at '{name}': "
          f"{'within' if good else 'ABOVE'} {args.tolerance}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
