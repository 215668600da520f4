#!/usr/bin/env python3
"""Runs one training step through bufferization and LLVM, unplanned and planned, and compares.

Prints the hash of every output (over all bits, order matters), whether planned and unplanned agree, and for both the arena that
--ringi-pack-allocs made beside its measured high-water mark: the arena is filled with a pattern before the call, twice with different
ones, and the last byte that changed is looked for. Exit code 1 when outputs or marks differ.

--before names passes that the planned step goes through first, with their remarks printed; --only-before plans nothing else.

usage: run_step.py --bin build/bin --llvm LLVM/bin STEP.mlir[.xz] [--budget 60%] [--before PASSES] [--only-before] [--folder DIR]
"""
import argparse
import json
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

CLEAN = ["--cse", "--canonicalize", "--cse", "--canonicalize"]
BUFFERIZE = ("ringi-place-temporaries,"
             "one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops function-boundary-type-conversion=identity-layout-map},"
             "ringi-pack-allocs{arena=argument}")
LOWER = ("canonicalize,convert-linalg-to-loops,expand-strided-metadata,lower-affine,convert-scf-to-cf,convert-vector-to-llvm,"
         "convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,finalize-memref-to-llvm,convert-func-to-llvm,"
         "convert-cf-to-llvm,reconcile-unrealized-casts")
PATTERNS = (0xA5, 0x5A)


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))[:300]}\nfailed with {done.returncode}: {done.stderr[:2000]}")
    return done


def signature(text):
    """Name, argument types and result types of the only function with a body."""
    name, arguments, rest = re.search(r"func\.func @(\w+)\((.*?)\)(.*?)\{\n", text, re.S).groups()
    results = rest.split("attributes")[0]
    return name, re.findall(r"memref<[^>]*>", arguments), re.findall(r"memref<[^>]*>", results)


def elements(memref):
    shape = memref[len("memref<"):-1].split("x")
    count = 1
    for size in shape[:-1]:
        count *= int(size)
    return count, len(shape) - 1, shape[-1]


class Driver:
    """A main function in memrefs that fills the arguments, calls the step and prints what came out."""

    def __init__(self):
        self.lines, self.next = [], 0

    def emit(self, text):
        self.lines.append("    " + text)

    def value(self):
        self.next += 1
        return f"%v{self.next}"

    def dynamic(self, name, memref):
        """All elements in a row, their number unknown."""
        count, rank, element = elements(memref)
        flat, to, dynamic = name, f"memref<{count}x{element}>", self.value()
        if rank != 1:
            flat = self.value()
            group = ", ".join(map(str, range(rank)))
            self.emit(f"{flat} = memref.expand_shape {name} [] output_shape [1] : {memref} into {to}" if rank == 0 else
                      f"{flat} = memref.collapse_shape {name} [[{group}]] : {memref} into {to}")
        self.emit(f"{dynamic} = memref.cast {flat} : {to} to memref<?x{element}>")
        return dynamic

    def fill(self, name, memref, number):
        element = elements(memref)[2]
        self.emit(f"func.call @fill_{element}({self.dynamic(name, memref)}, %seed{number}) : (memref<?x{element}>, i64) -> ()")

    def hash(self, name, memref):
        element = elements(memref)[2]
        self.emit(f"func.call @hash_{element}({self.dynamic(name, memref)}) : (memref<?x{element}>) -> ()")


def fill_function(element):
    value = {"f32": "%q = arith.sitofp %m : i64 to f32\n      %s = arith.constant 4.0e-04 : f32\n      %v = arith.mulf %q, %s : f32",
             "f64": "%q = arith.sitofp %m : i64 to f64\n      %s = arith.constant 4.0e-04 : f64\n      %v = arith.mulf %q, %s : f64",
             "i64": "%t = arith.constant 3 : i64\n      %v = arith.remui %u, %t : i64",
             "i32": "%t = arith.constant 3 : i64\n      %w = arith.remui %u, %t : i64\n      %v = arith.trunci %w : i64 to i32"}[element]
    return f"""
  func.func private @fill_{element}(%b: memref<?x{element}>, %seed: i64) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %b, %c0 : memref<?x{element}>
    %a = arith.constant 7919 : i64
    %range = arith.constant 1021 : i64
    %middle = arith.constant 510 : i64
    scf.for %i = %c0 to %n step %c1 {{
      %j = arith.index_cast %i : index to i64
      %k = arith.addi %j, %seed : i64
      %x = arith.muli %k, %a : i64
      %u = arith.remui %x, %range : i64
      %m = arith.subi %u, %middle : i64
      {value}
      memref.store %v, %b[%i] : memref<?x{element}>
    }}
    return
  }}"""


def hash_function(element):
    bits = {"f32": "%w = arith.bitcast %v : f32 to i32\n      %x = arith.extui %w : i32 to i64",
            "f64": "%x = arith.bitcast %v : f64 to i64",
            "i32": "%x = arith.extui %v : i32 to i64",
            "i64": "%z = arith.constant 0 : i64\n      %x = arith.addi %v, %z : i64"}[element]
    return f"""
  func.func private @hash_{element}(%b: memref<?x{element}>) {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %b, %c0 : memref<?x{element}>
    %factor = arith.constant 6364136223846793005 : i64
    %start = arith.constant 1442695040888963407 : i64
    %h = scf.for %i = %c0 to %n step %c1 iter_args(%g = %start) -> i64 {{
      %v = memref.load %b[%i] : memref<?x{element}>
      {bits}
      %p = arith.muli %g, %factor : i64
      %q = arith.xori %p, %x : i64
      %s = arith.constant 29 : i64
      %r = arith.shrui %q, %s : i64
      %t = arith.xori %q, %r : i64
      scf.yield %t : i64
    }}
    vector.print %h : i64
    return
  }}"""


ARENA = """
  func.func private @poison(%b: memref<?xi8>, %pattern: i8) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %b, %c0 : memref<?xi8>
    scf.for %i = %c0 to %n step %c1 {
      memref.store %pattern, %b[%i] : memref<?xi8>
    }
    return
  }
  func.func private @high_water(%b: memref<?xi8>, %pattern: i8) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = memref.dim %b, %c0 : memref<?xi8>
    %h = scf.for %i = %c0 to %n step %c1 iter_args(%g = %c0) -> index {
      %v = memref.load %b[%i] : memref<?xi8>
      %same = arith.cmpi eq, %v, %pattern : i8
      %end = arith.addi %i, %c1 : index
      %r = arith.select %same, %g, %end : index
      scf.yield %r : index
    }
    vector.print %h : index
    return
  }"""


def main_function(name, arguments, results, arena):
    d = Driver()
    seen = {elements(t)[2] for t in arguments + results}
    for number, memref in enumerate(arguments):
        d.emit(f"%a{number} = memref.alloc() : {memref}")
        d.emit(f"%seed{number} = arith.constant {104729 * (number + 1)} : i64")
    if arena:
        d.emit(f"%arena = memref.alloc() {{alignment = 64 : i64}} : memref<{arena}xi8>")
        d.emit(f"%whole = memref.cast %arena : memref<{arena}xi8> to memref<?xi8>")
    for turn, pattern in enumerate(PATTERNS):
        for number, memref in enumerate(arguments):
            d.fill(f"%a{number}", memref, number)
        if arena:
            signed = pattern - 256 if pattern > 127 else pattern
            d.emit(f"%p{turn} = arith.constant {signed} : i8")
            d.emit(f"func.call @poison(%whole, %p{turn}) : (memref<?xi8>, i8) -> ()")
        given = [f"%a{n}" for n in range(len(arguments))] + (["%arena"] if arena else [])
        types = arguments + ([f"memref<{arena}xi8>"] if arena else [])
        d.emit(f"%r{turn}:{len(results)} = func.call @{name}({', '.join(given)}) : ({', '.join(types)}) -> ({', '.join(results)})")
        for number, memref in enumerate(results):
            d.hash(f"%r{turn}#{number}", memref)
        if arena:
            d.emit(f"func.call @high_water(%whole, %p{turn}) : (memref<?xi8>, i8) -> ()")
    return ("\n".join(["  func.func @main() {", *d.lines, "    return", "  }"]) + "".join(fill_function(e) for e in sorted(seen)) +
            "".join(hash_function(e) for e in sorted(seen)) + ARENA)


def execute(args, folder, clean, plan):
    """Hashes of the outputs, the arena's planned bytes and its measured high-water mark, and the plan's live peak."""
    opt, what = pathlib.Path(args.bin) / "ringi-opt", "planned" if plan else "unplanned"
    packed, whole, lowered = (folder / f"{what}.{part}.mlir" for part in ("packed", "main", "llvm"))
    report = folder / f"{what}.json"
    checkpoint = "" if args.only_before else f"ringi-checkpoint{{strategy=memory-budget budget={args.budget} report={report}}},"
    steps = f"{args.before and args.before + ','}{checkpoint}ringi-inline-recompute{{strip=true}}," if plan else ""
    done = run(opt, clean, f"--pass-pipeline=builtin.module({steps}{BUFFERIZE})", "-o", packed)
    for line in done.stderr.splitlines():
        if "remark: " in line:
            print(line.split("remark: ")[1])
    text = packed.read_text()
    name, arguments, results = signature(text)
    found = re.search(r"ringi\.arena = \{.*?planned_peak = (\d+)", text)
    arena = int(found.group(1)) if found else 0
    if arena:
        arguments = arguments[:-1]
    end = text.rindex("}")
    whole.write_text(text[:end] + main_function(name, arguments, results, arena) + "\n}\n")
    run(opt, whole, f"--pass-pipeline=builtin.module({LOWER})", "-o", lowered)
    libraries = ",".join(str(pathlib.Path(args.llvm).parent / "lib" / f"lib{n}.so") for n in ("mlir_runner_utils", "mlir_c_runner_utils"))
    out = run(pathlib.Path(args.llvm) / "mlir-runner", lowered, "-O2", "-e", "main", "--entry-point-result=void",
              f"--shared-libs={libraries}").stdout.split()
    turn = len(out) // len(PATTERNS)
    hashes = out[:len(results)]
    if hashes != out[turn:turn + len(results)]:
        sys.exit(f"{what}: two calls with the same arguments differ")
    water = max(int(out[turn - 1]), int(out[2 * turn - 1])) if arena else 0
    peak = json.loads(report.read_text())["plan"]["live_peak_bytes"] if plan and checkpoint else None
    return hashes, arena, (water + 63) // 64 * 64, peak


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", required=True)
    parser.add_argument("--budget", default="60%")
    parser.add_argument("--before", default="")
    parser.add_argument("--only-before", action="store_true")
    parser.add_argument("--folder")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(args.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        source, clean = pathlib.Path(args.step), folder / "clean.mlir"
        if source.suffix == ".xz":
            (folder / "step.mlir").write_bytes(lzma.decompress(source.read_bytes()))
            source = folder / "step.mlir"
        run(pathlib.Path(args.bin) / "ringi-opt", source, *CLEAN, "-o", clean)
        before, after = execute(args, folder, clean, False), execute(args, folder, clean, True)
    bad = before[0] != after[0] or before[1] != before[2] or after[1] != after[2]
    print(f"outputs: {len(before[0])}, {'equal bit for bit' if before[0] == after[0] else 'DIFFERENT'}: {' '.join(after[0])}")
    for what, result in (("unplanned", before), ("planned", after)):
        print(f"{what}: arena {result[1]} bytes, high-water mark {result[2]}" + (f", live peak of the step {result[3]}" if result[3] else ""))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
