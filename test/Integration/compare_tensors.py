#!/usr/bin/env python3
"""Says whether two tensors of a safetensors file have the same bits, and whether they hold more than one value.

usage: compare_tensors.py FILE NAME NAME
"""
import pathlib
import sys

import compare_torch as tools


def main():
    path, *names = sys.argv[1:]
    tensors = tools.read_safetensors(pathlib.Path(path))
    a, b = (tensors[name] for name in names)
    print("equal" if a == b else "different", "mixed" if len(set(tools.floats(a))) > 1 else "constant")


if __name__ == "__main__":
    main()
