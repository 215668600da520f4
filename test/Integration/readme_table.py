#!/usr/bin/env python3
"""Trains every row of the README's first table and compares the page with the reports, number by number.

usage: readme_table.py --bin DIR --work DIR README
"""
import argparse
import json
import pathlib
import re

import compare_torch as tools


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("readme", type=pathlib.Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    model, none, report_path = (args.work / name for name in ("model.mlir", "none.rgp", "report.json"))
    tools.run(args.bin / "ringi-model", "gpt2", "--preset", "nano", "--dropout", "0.1", "-o", model)

    wrong = rows = 0
    for row in re.findall(r"^\| (\S+(?: \S+=\S+)?) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d.]+) % \| yes \|$",
                          args.readme.read_text(), re.MULTILINE):
        program = args.work / "planned.rgp" if rows else none
        tools.run(args.bin / "ringi-opt", model, f"--ringi-train=strategy={row[0]} optimizer=adamw",
                  f"--ringi-export-program=file={program}", "-o", "/dev/null")
        tools.run(args.bin / "ringi-run", program, "--compare", none, "--report", report_path)
        report = json.loads(report_path.read_text())
        numbers = [report[key] for key in ("saved_activation_bytes", "live_peak_bytes", "planned_peak_bytes", "measured_peak_bytes")]
        actual = (row[0], *(f"{number:,}" for number in numbers), f"{report['recompute_flops_percent']:.2f}")
        good = actual == row and report["bit_equal"]
        rows += 1
        wrong += not good
        print(f"{actual}, the page says {row}: {'good' if good else 'BAD'}")
    print(f"{rows} rows, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
