#!/usr/bin/env python3
"""Plans and runs every row of the tables in examples/README.md and compares the page with what comes out.

Rows of memory-budget are bounds: the search may become better. Every other row must be exact. Every program must pass the audit
and equal `none` bit for bit.

usage: example_tables.py --bin DIR --work DIR --examples DIR
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
    parser.add_argument("--examples", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)

    def program(model, options):
        path = args.work / "planned.rgp"
        tools.run(args.bin / "ringi-opt", args.examples / model, f"--ringi-train={options} optimizer=sgd",
                  f"--ringi-export-program=file={path}", "-o", "/dev/null")
        return path

    failures, model, rows = 0, None, 0
    for line in (args.examples / "README.md").read_text().splitlines():
        if heading := re.fullmatch(r"## (\S+\.mlir)", line):
            model = heading[1]
            none = program(model, "strategy=none").rename(args.work / "none.rgp")
        row = re.fullmatch(r"\| `(strategy=.*)` \| (\d+) \| (\d+) \| ([\d.]+) \|", line)
        if not row:
            continue
        rows += 1
        report_path = args.work / "report.json"
        tools.run(args.bin / "ringi-run", program(model, row[1]), "--audit", "--compare", none, "--report", report_path)
        report = json.loads(report_path.read_text())
        actual = (report["saved_activation_bytes"], report["measured_peak_bytes"],
                  round(report["recompute_flops_percent"], 2))
        page = (int(row[2]), int(row[3]), float(row[4]))
        good = report["bit_equal"] and report["audit_equal"] is not False
        if "memory-budget" in row[1]:
            good &= actual[1] <= page[1] and actual[2] <= page[2]
        else:
            good &= actual == page
        failures += not good
        print(f"{model} {row[1]}: saved, peak and recompute are {actual}, the page says {page}: {'good' if good else 'BAD'}")
    print(f"{rows} rows, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
