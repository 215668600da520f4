#!/usr/bin/env python3
"""Checks that stock passes leave a planned step as it is: the same text before and after, and --ringi-verify-plan accepts it.

Prints one line per strategy for FileCheck.

usage: survive.py --bin DIR --work DIR --model "gpt2 --preset nano" STRATEGY...
A STRATEGY is the text of --ringi-train's options, for example "strategy=selective keep=weight-gemm".
"""
import argparse
import pathlib
import shlex
import subprocess
import sys

STOCK = ["--cse", "--canonicalize", "--loop-invariant-code-motion", "--symbol-dce", "--cse"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("strategies", nargs="+")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)

    model, planned, after = (args.work / name for name in ("model.mlir", "planned.mlir", "after.mlir"))
    subprocess.run([args.bin / "ringi-model", *shlex.split(args.model), "-o", model], check=True)
    failures = 0
    for strategy in args.strategies:
        subprocess.run([args.bin / "ringi-opt", model, f"--ringi-train={strategy}", "-o", planned], check=True)
        subprocess.run([args.bin / "ringi-opt", planned, *STOCK, "--ringi-verify-plan", "-o", after], check=True)
        text = planned.read_text()
        same = text == after.read_text()
        failures += not same
        print(f"{strategy}: {text.count('ringi.recompute(')} regions, {'unchanged' if same else 'CHANGED'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
