#!/usr/bin/env python3
"""Compares the keys of a JSON report with the table of a documentation page.

A row names keys in its first column. Where the second one begins with "object" or "array", the names in it are the keys inside.
Prints what is on one side only.

usage: report_keys.py PAGE HEADING REPORT.json
"""
import json
import pathlib
import re
import sys

NAMES = re.compile(r"`([a-z_0-9]+)`")


def documented(page, heading):
    """Key -> set of inner keys, or None where the table says nothing of them."""
    keys, inside = {}, False
    for line in page.read_text().splitlines():
        if line.startswith("#"):
            inside = line.lstrip("# ").startswith(heading)
        elif inside and line.startswith("| `"):
            _, first, second, *_ = line.split("|")
            inner = set(NAMES.findall(second)) if second.strip().startswith(("object", "array")) else None
            keys.update({name: inner for name in NAMES.findall(first)})
    return keys


def main():
    page, heading, report = pathlib.Path(sys.argv[1]), sys.argv[2], json.loads(pathlib.Path(sys.argv[3]).read_text())
    table = documented(page, heading)
    wrong = [f"{name} is not in the report" for name in table.keys() - report.keys()]
    wrong += [f"{name} is not in the table" for name in report.keys() - table.keys()]
    inner = 0
    for name, expected in table.items():
        value = report.get(name)
        if expected is None or value is None:
            continue
        if isinstance(value, list) and not value:
            wrong.append(f"{name} is empty, so that its keys are not seen")
            continue
        actual = set(value[0] if isinstance(value, list) else value)
        inner += len(actual)
        wrong += [f"{name}: {key} is on one side only" for key in actual ^ expected]
    print("\n".join(sorted(wrong) + [f"{len(report)} keys and {inner} inside: {'WRONG' if wrong or not table else 'as documented'}"]))
    return 1 if wrong or not table else 0


if __name__ == "__main__":
    sys.exit(main())
