#!/usr/bin/env python3
"""Compiles kernel files for one architecture and reads what ptxas says of each kernel: none may spill a register or keep an
array in local memory.

Prints one line per file for FileCheck. Only the compiler runs; no GPU is needed.

usage: no_spills.py --nvcc NVCC [--arch sm_90] [--include DIR]... FILE.cu...
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

LOCAL = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
KERNEL = re.compile(r"Function properties for (\S+)")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nvcc", required=True)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in args.files:
            command = [args.nvcc, "-std=c++20", "-O3", f"-arch={args.arch}", "-cubin", "-Xptxas=-v",
                       "-Xcudafe=--diag_suppress=550", *(f"-I{directory}" for directory in args.include),
                       path, "-o", pathlib.Path(folder) / "kernels.cubin"]
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
            if done.returncode != 0:
                print(f"{path.name}: nvcc gave {done.returncode}")
                print(done.stderr[-4000:])
                return 1
            kernel, kernels, spilling = "", 0, []
            for line in done.stderr.splitlines():
                if found := KERNEL.search(line):
                    kernel = found.group(1)
                elif found := LOCAL.search(line):
                    kernels += 1
                    if found.groups() != ("0", "0", "0"):
                        spilling.append(f"{kernel}: {found.group(0)}")
            failures += bool(spilling) or kernels == 0
            print(f"{path.name}: {kernels} kernels, {len(spilling)} spill", *spilling, sep="\n  " if spilling else "")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
