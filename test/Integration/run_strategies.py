#!/usr/bin/env python3
"""Trains one model under several strategies and checks what Ringi promises of each.

For every strategy: the measured peak equals the planned peak (0 bytes apart), every proof that the device has passed, and loss, gradients,
parameters and optimizer state of every step are bit-equal to `none`. Prints one line per strategy for FileCheck.

usage: run_strategies.py --bin DIR --work DIR --model "gpt2 --preset nano" [--steps 5] [--run "--threads 2"] [--tool ringi-run-emulated]
                         [--train "optimizer=adamw"] STRATEGY...
A STRATEGY is the text of --ringi-train's options, for example "strategy=selective keep=weight-gemm".
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        print(shlex.join(str(part) for part in command), "gave", done.returncode)
        print(done.stdout[-4000:], done.stderr[-4000:])
        sys.exit(1)
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--steps", default="5")
    parser.add_argument("--train", default="optimizer=adamw")
    parser.add_argument("--run", default="")
    parser.add_argument("--tool", default="ringi-run")
    parser.add_argument("strategies", nargs="+")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)

    model = args.work / "model.mlir"
    run(args.bin / "ringi-model", *shlex.split(args.model), "-o", model)
    failures = 0
    for index, strategy in enumerate(["strategy=none"] + args.strategies):
        program = args.work / f"{index}.rgp"
        report_path = args.work / f"{index}.json"
        run(args.bin / "ringi-opt", model, f"--ringi-train={strategy} {args.train}",
            f"--ringi-export-program=file={program}", "-o", args.work / f"{index}.mlir")
        run(args.bin / args.tool, program, "--steps", args.steps, "--verify", "--audit", "--compare",
            args.work / "0.rgp", "--report", report_path, *shlex.split(args.run))
        report = json.loads(report_path.read_text())
        apart = report["measured_peak_bytes"] - report["planned_peak_bytes"]
        proofs = [name for name, passed in report["verified"].items() if passed is False]
        passed = [name for name, passed in report["verified"].items() if passed]
        finite = all(abs(value) < 1e9 for value in report["loss"])
        good = apart == 0 and not proofs and report["bit_equal"] and finite and passed
        failures += not good
        print(f"{strategy}: {apart} bytes apart, {len(passed)} proofs, "
              f"failed: {', '.join(proofs) or 'none'}, bit-equal {'yes' if report['bit_equal'] else 'NO'}, "
              f"saved {report['saved_activation_bytes']}, peak {report['planned_peak_bytes']}, "
              f"recompute {report['recompute_flops_percent']:.3f} %, loss {report['loss'][-1]:.5f}"
              f"{'' if good else '  <-- FAILED'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
