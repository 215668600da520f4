#!/usr/bin/env python3
"""Plans one model under several strategies, runs nothing, and checks what they save and cost against `none`.

usage: saved_cut.py --bin DIR --work DIR --model "gpt2 --preset 124m" STRATEGY MIN_CUT_PERCENT MAX_FLOPS_PERCENT ...
"""
import argparse
import pathlib
import re
import shlex
import subprocess

import compare_torch as tools


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("wanted", nargs="+")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    model, program = args.work / "model.mlir", args.work / "step.rgp"
    tools.run(args.bin / "ringi-model", *shlex.split(args.model), "-o", model)

    def plan(strategy):
        """Saved bytes and FLOPs of the program, as its loader recounts them."""
        tools.run(args.bin / "ringi-opt", model, f"--ringi-train={strategy} optimizer=adamw",
                  f"--ringi-export-program=file={program}", "-o", "/dev/null")
        info = subprocess.run([args.bin / "ringi-run", program, "--info"], capture_output=True, text=True, check=True).stdout
        return (int(re.search(r"saved activations (\d+) bytes", info)[1]),
                *map(float, re.search(r"(\S+) FLOPs, of which recompute (\S+)", info).groups()))

    keep, once, _ = plan("strategy=none")
    failures = 0
    for strategy, least, most in zip(*(args.wanted[i::3] for i in range(3))):
        saved, _, again = plan(strategy)
        cut, cost = 100 * (1 - saved / keep), 100 * again / once
        good = cut >= float(least) and cost <= float(most)
        failures += not good
        print(f"{strategy}: saved {saved} of {keep} bytes, cut {cut:.1f} % (at least {least}), "
              f"{cost:.2f} % more FLOPs (at most {most}): {'good' if good else 'BAD'}")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
