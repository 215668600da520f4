#!/usr/bin/env python3
"""Fails when clang-format would change a C++ or CUDA file, and names the file and the fix.

usage: check_format.py SOURCE_ROOT CLANG_FORMAT
"""
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
files = [
    str(path)
    for directory in ("include", "lib", "runtime", "tools", "test", "bench")
    for path in sorted((root / directory).rglob("*"))
    if path.suffix in (".h", ".cpp", ".cu") and path.is_file()
]
bad = []
for start in range(0, len(files), 64):
    done = subprocess.run([sys.argv[2], "--dry-run", "-Werror", *files[start:start + 64]], capture_output=True, text=True)
    bad += sorted({line.split(":")[0] for line in done.stderr.splitlines() if "-Wclang-format-violations" in line})
for path in bad:
    print(f"{path}: not formatted; run {sys.argv[2]} -i {path}")
sys.exit(1 if bad or not files else 0)
