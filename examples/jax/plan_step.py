#!/usr/bin/env python3
"""Plans a JAX training step with Ringi and runs it in JAX's own XLA: the same numbers, less temporary memory.

usage: plan_step.py --ringi-opt build/bin/ringi-opt [--model mlp|gpt|scan] [--file step.mlir] [--budgets 80% 60%] [--strategy NAME]
                    [--peers] [--no-run] [--save step.mlir]

Lowers a training step (models.py), or takes one from a file, and for each budget of the memory model: plans it, puts the recompute
into flat StableHLO behind optimization barriers, compiles both with XLA for CPU, prints the temporary bytes that XLA assigns to
each, runs both on the same random arguments and compares every output bit for bit. --peers compiles what jax.checkpoint makes of
the same model beside it. Needs jax 0.10 from PyPI; exit code 1 when an output differs.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import xla_step  # sets XLA_FLAGS before jax is imported
import models


def plan(ringi_opt, text, options, folder):
    """The planned step in flat StableHLO and the report of the plan."""
    source, planned, report = folder / "step.mlir", folder / "planned.mlir", folder / "plan.json"
    source.write_text(text)
    command = [ringi_opt, str(source), "--allow-unregistered-dialect",
               f"--ringi-checkpoint=op-table=stablehlo function=main report={report} {options}",
               "--ringi-inline-recompute=op-table=stablehlo strip", "--mlir-print-op-generic",
               "--mlir-print-debuginfo", "-o", str(planned)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"ringi-opt: {run.stderr[:2000]}")
    return planned.read_text(), json.loads(report.read_text())["plan"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ringi-opt", required=True)
    parser.add_argument("--model", choices=["mlp", "gpt", "scan"], default="mlp")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--file", help="a step that is lowered already")
    parser.add_argument("--strategy", default="memory-budget")
    parser.add_argument("--budgets", nargs="+", default=["80%", "60%"])
    parser.add_argument("--options", default="", help="further options of --ringi-checkpoint")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--no-run", action="store_true", help="compile only")
    parser.add_argument("--save", help="write the lowered step here")
    args = parser.parse_args()

    shapes, function = getattr(models, args.model)(layers=args.layers)
    text = pathlib.Path(args.file).read_text() if args.file else xla_step.lower(function, *shapes)
    if args.save:
        pathlib.Path(args.save).write_text(text)
    unplanned = xla_step.Step(text)
    whole = unplanned.temporary_bytes()
    print(f"unplanned                 XLA temp {whole:>14,} bytes")
    arguments = None if args.no_run else unplanned.random_arguments()
    expected = None if args.no_run else unplanned.run(arguments)
    differs = False
    with tempfile.TemporaryDirectory() as folder:
        for budget in args.budgets if args.strategy == "memory-budget" else [""]:
            options = f"strategy={args.strategy} {args.options}" + (f" budget={budget}" if budget else "")
            planned, summary = plan(args.ringi_opt, text, options, pathlib.Path(folder))
            ours = xla_step.Step(planned)
            again = summary["loop_recompute_flops"]
            extra = 100 * (summary["recompute_flops"] + again) / max(summary["step_flops"] - again, 1)
            print(f"{args.strategy} {budget:<10}  XLA temp {ours.temporary_bytes():>14,} bytes ({100 * ours.temporary_bytes() / whole:.0f}%), "
                  f"model peak {summary['live_peak_bytes']:,} of {summary['keep_all_peak_bytes']:,}, {summary['recomputes']} "
                  f"recomputes, {extra:.2f}% extra FLOPs", end="")
            if not args.no_run:
                difference = xla_step.first_difference(ours.run(arguments), expected)
                differs |= difference is not None
                print(", outputs bit-equal" if difference is None else f", output {difference} DIFFERS", end="")
            print(flush=True)
    if args.peers and not args.file:
        for policy in models.POLICIES:
            if policy != "none":
                shapes, function = getattr(models, args.model)(layers=args.layers, policy=policy)
                peer = xla_step.Step(xla_step.lower(function, *shapes)).temporary_bytes()
                print(f"jax.checkpoint {policy:<13} XLA temp {peer:>12,} bytes ({100 * peer / whole:.0f}%)", flush=True)
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
