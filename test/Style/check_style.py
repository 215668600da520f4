#!/usr/bin/env python3
"""Checks what no compiler checks: banners, layering, file length and the absence of machine paths.

usage: check_style.py SOURCE_ROOT CHECK
  CHECK is one of: banners, layers, paths, mirrors
Every finding is one line; the exit code is 1 when there is any.
"""
import pathlib
import re
import sys

SOURCE_DIRECTORIES = ("include", "lib", "runtime", "tools", "test", "bench")
CODE = (".h", ".c", ".cpp", ".cc", ".td", ".cu", ".cuh")


def sources(root, suffixes=CODE, directories=SOURCE_DIRECTORIES):
    for directory in directories:
        for path in sorted((root / directory).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def banners(root):
    """Every file starts with a banner line and a purpose sentence."""
    for path in sources(root):
        lines = path.read_text().splitlines()
        if not lines or not re.match(r"//===-+ .*===//$", lines[0]):
            yield f"{path}:1: no banner; start the file like include/ringi/Support/Expected.h"
        elif not any("Part of Ringi." in line for line in lines[:6]):
            yield f"{path}:3: no purpose sentence; add '// Part of Ringi. <what this file is for>'"


def layers(root):
    """Planner and runtime know no LLVM; the runtime knows no planner."""
    rules = (
        (("include/ringi/Planner", "lib/Planner", "include/ringi-c", "lib/CAPI", "include/ringi/Support", "runtime", "tools/ringi-plan",
          "tools/ringi-run"), r'#include [<"](mlir|llvm|llvm-c|mlir-c)/', "an LLVM header"),
        (("runtime", "tools/ringi-run"), r'#include "ringi/Planner/', "a planner header"),
    )
    for directories, pattern, what in rules:
        for path in sources(root, directories=directories):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(pattern, line):
                    yield f"{path}:{number}: {what} where none may be; move the code to the layer that owns it"


def paths(root):
    """No path of the tree itself or of a home directory, and no leftover markers."""
    here = pathlib.Path(__file__).resolve()
    pattern = re.compile(re.escape(str(root)) + r"\b|(?<!\w)/(root|home)/|FIXME|\bXXX\b")
    suffixes = CODE + (".md", ".py", ".sh", ".mlir", ".test", ".txt", ".cmake", ".json")
    for path in sources(root, suffixes, SOURCE_DIRECTORIES + ("docs", "examples")):
        if path.resolve() == here:
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if pattern.search(line):
                yield f"{path}:{number}: a machine path or a leftover marker"


def mirrors(root):
    """Each planner header has its source; each planner source has its header or is part of one."""
    header_only = {"ProblemBuilder"}
    headers = {p.stem for p in (root / "include/ringi/Planner").glob("*.h")} - header_only
    stems = {p.stem for p in (root / "lib/Planner").glob("*.cpp")}
    for header in sorted(headers):
        if not any(stem == header or stem.startswith(header) for stem in stems):
            yield f"include/ringi/Planner/{header}.h: no lib/Planner/{header}.cpp"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    findings = list({"banners": banners, "layers": layers, "paths": paths, "mirrors": mirrors}[sys.argv[2]](root))
    for finding in findings:
        print(finding.replace(f"{root}/", ""))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
