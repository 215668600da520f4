#!/usr/bin/env python3
"""Prints `ringi-run --report` files of one model as a table, and fails unless every peak and every bit agrees.

usage: compare-reports.py REPORT.json...
"""
import json
import pathlib
import sys

COLUMNS = (
    ("strategy", 14), ("saved act.", 12), ("live peak", 12), ("planned peak", 13), ("measured peak", 14),
    ("recompute", 10), ("step", 10), ("loss", 8), ("bit-equal", 9),
)


def row(path):
    report = json.loads(pathlib.Path(path).read_text())
    agree = report["planned_peak_bytes"] == report["measured_peak_bytes"]
    proved = all(report["verified"].values())
    equal = report.get("bit_equal", False)
    cells = (
        pathlib.Path(path).stem,
        f'{report["saved_activation_bytes"]:,}',
        f'{report["live_peak_bytes"]:,}',
        f'{report["planned_peak_bytes"]:,}',
        f'{report["measured_peak_bytes"]:,}',
        f'{report["recompute_flops_percent"]:.2f} %',
        f'{report["step_seconds_median"] * 1e3:.1f} ms',
        f'{report["loss"][-1]:.4f}',
        "yes" if equal else "NO",
    )
    return cells, agree and proved and equal


def main():
    good = True
    print("  ".join(title.rjust(width) for title, width in COLUMNS))
    for path in sys.argv[1:]:
        cells, ok = row(path)
        good &= ok
        print("  ".join(cell.rjust(width) for cell, (_, width) in zip(cells, COLUMNS)))
    print()
    if good:
        print("All measured peaks equal the planned ones (0 bytes apart); loss, gradients, parameters and optimizer "
              "state are bit-equal to keeping everything.")
    else:
        print("error: a peak, a proof or a bit differs; see the rows above and the reports", file=sys.stderr)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
