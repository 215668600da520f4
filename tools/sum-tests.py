#!/usr/bin/env python3
"""Sums the results that check.sh collected: GoogleTest and lit JSON files, one exit code per suite.

A suite that crashed (an exit code without a result, or a failure its own report does not show) counts as one failure.
The last line reads "N passed, N failed"; what was skipped stands before it. The exit code is 1 when anything failed or nothing ran.
"""
import json
import pathlib
import sys


def gtest_counts(report):
    passed = failed = skipped = 0
    for suite in report.get("testsuites", []):
        for case in suite.get("testsuite", []):
            if case.get("failures"):
                failed += 1
            elif case.get("result") == "SKIPPED" or case.get("status") == "NOTRUN":
                skipped += 1
            else:
                passed += 1
    return passed, failed, skipped


def lit_counts(report):
    passed = failed = skipped = 0
    for test in report.get("tests", []):
        code = test["code"]
        if code in ("PASS", "XFAIL", "FLAKYPASS"):
            passed += 1
        elif code in ("UNSUPPORTED", "SKIPPED", "EXCLUDED"):
            skipped += 1
        else:
            failed += 1
    return passed, failed, skipped


def main():
    results = pathlib.Path(sys.argv[1])
    total = [0, 0, 0]
    for code_file in sorted(results.glob("*.rc")):
        name = code_file.stem
        code = int(code_file.read_text())
        try:
            report = json.loads((results / f"{name}.json").read_text())
            counts = lit_counts(report) if name == "lit" else gtest_counts(report)
        except (OSError, ValueError):
            counts = (0, 0, 0)
        passed, failed, skipped = counts
        if code != 0 and failed == 0:
            failed = 1
            print(f"{name}: exit code {code} without a reported failure counts as one failure")
        print(f"{name}: {passed} passed, {failed} failed, {skipped} skipped")
        total = [a + b for a, b in zip(total, (passed, failed, skipped))]
    passed, failed, skipped = total
    if skipped:
        print(f"{skipped} skipped: no device or no tool for them here")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
