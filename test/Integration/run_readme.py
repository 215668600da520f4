#!/usr/bin/env python3
"""Runs the README's tool commands and checks that what it prints comes out, in order.

A fenced `sh` block whose lines start with "ringi-" is run; the `text` block after it lists pieces of the output, each of which
must occur in a later line than the one before.

usage: run_readme.py README WORK_DIRECTORY
"""
import pathlib
import re
import subprocess
import sys


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    work = pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    output, checked = None, 0
    for kind, block in re.findall(r"^```(\w+)\n(.*?)^```", text, re.M | re.S):
        if kind == "sh" and block.startswith("ringi-"):
            done = subprocess.run(block, shell=True, cwd=work, capture_output=True, text=True)
            output = (done.stdout + done.stderr).splitlines()
        elif kind == "text" and output is not None:
            lines = iter(output)
            for expected in block.splitlines():
                if not any(expected in line for line in lines):
                    print(f"'{expected}' does not come out of the commands before it; output:")
                    print("\n".join(line[:200] for line in output[-40:]))
                    return 1
                checked += 1
            output = None
    print(f"{checked} lines of the README came out")
    return 0 if checked else 1


if __name__ == "__main__":
    sys.exit(main())
