#!/usr/bin/env python3
"""Plans real steps of upstream dialects (linalg, tosa, tensor, arith, math) at several budgets and prints one line each.

For every file: ops, keep-all peak, planned peak at each budget (or the least peak when refused), extra FLOPs, the gap to the proven
bound, and CPU seconds of planning. Each planned step is verified, printed and parsed again, and put through stock CSE, canonicalize, LICM
and symbol-dce, after which the verifier must find the same peak. Forward models must pass through unchanged.

With --execute, the small steps also run through bufferization and LLVM, planned and unplanned: outputs are compared bit for bit, and the
arena's high-water mark with its planned peak.

usage: upstream_steps.py --bin build/bin DATA/mlir/linalg_train_steps DATA/mlir/forward [--budgets 80,60,40]
                         [--execute linear_train,mlp_train,cnn_train --llvm LLVM/bin]
"""
import argparse
import json
import lzma
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

RUN_STEP = pathlib.Path(__file__).parent.parent / "test/ExternalModels/Inputs/run_step.py"
CLEAN = ["--cse", "--canonicalize", "--loop-invariant-code-motion", "--symbol-dce"]


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, limit=600):
    before = cpu_seconds()
    done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    return done, cpu_seconds() - before


class Bench:
    def __init__(self, args, folder):
        self.opt = str(pathlib.Path(args.bin) / "ringi-opt")
        self.folder = pathlib.Path(folder)
        self.budgets = [f"{b}%" for b in args.budgets.split(",")]
        self.failures = 0

    def fail(self, name, what, detail=""):
        self.failures += 1
        print(f"{name:34} FAILED: {what} {detail[:200]}")

    def clean(self, source):
        """The file as its own pipeline would clean it: to a fixpoint, so that only what planning adds can change later."""
        text = lzma.decompress(source.read_bytes()).decode() if source.suffix == ".xz" else source.read_text()
        raw, clean = self.folder / "raw.mlir", self.folder / "clean.mlir"
        raw.write_text(text)
        done, _ = run([self.opt, raw, *CLEAN, *CLEAN, "-o", clean])
        return clean if done.returncode == 0 else (done.stderr or "?")

    def plan(self, clean, budget):
        planned, report = self.folder / "planned.mlir", self.folder / "report.json"
        done, seconds = run([self.opt, clean, f"--ringi-checkpoint=strategy=memory-budget budget={budget} report={report}", "-o", planned])
        return planned, report, done, seconds

    def survives(self, name, planned):
        again, after = self.folder / "again.mlir", self.folder / "after.mlir"
        done, _ = run([self.opt, planned, "-o", again])
        if done.returncode or again.read_bytes() != planned.read_bytes():
            return self.fail(name, "does not round-trip", done.stderr)
        done, _ = run([self.opt, planned, *CLEAN, "--ringi-verify-plan", "-o", after])
        if done.returncode:
            self.fail(name, "stock passes change the plan", done.stderr)

    def step(self, source):
        name = source.name.split(".")[0]
        clean = self.clean(source)
        if isinstance(clean, str):
            print(f"{name:34} needs other passes first: {clean.splitlines()[0][:120]}")
            return
        base, base_seconds = run([self.opt, clean, "-o", "/dev/null"])
        for budget in self.budgets:
            planned, report, done, seconds = self.plan(clean, budget)
            if done.returncode == 1:
                print(f"{name:34}{budget:>5}  refused: {done.stderr.splitlines()[0].split('error: ')[-1][:150]}")
                continue
            if done.returncode:
                self.fail(name, f"exit code {done.returncode} at {budget}", done.stderr)
                continue
            reports = json.loads(report.read_text())
            if not reports:
                if planned.read_bytes() != self.printed(clean):
                    self.fail(name, "a forward model is changed")
                else:
                    print(f"{name:34}       forward only: unchanged")
                return
            for plan in [r["plan"] for r in (reports if isinstance(reports, list) else [reports])]:
                ops = clean.read_text().count(" = ")
                extra = plan["recompute_cost_percent"]
                gap = f"{extra - plan['bound_percent']:6.2f}" if "bound_class" in plan else "   n/a"
                print(f"{name:34}{budget:>5}{ops:8} ops {plan['keep_all_peak_bytes']:>13} -> {plan['live_peak_bytes']:>13} bytes  "
                      f"extra {extra:6.2f} %  gap {gap} %  {seconds:6.2f} s (parse and print {base_seconds:.2f} s)")
            self.survives(name, planned)

    def execute(self, source, llvm):
        """At the smallest of the budgets that is not refused."""
        for budget in reversed(self.budgets):
            done, seconds = run([sys.executable, RUN_STEP, "--bin", pathlib.Path(self.opt).parent, "--llvm", llvm, "--budget", budget, source])
            if "no plan fits" in done.stderr:
                continue
            for line in (done.stdout or done.stderr).splitlines():
                print(f"{'':34}{budget:>5}  {line[:180]}")
            print(f"{'':34}{budget:>5}  executed in {seconds:.1f} s")
            if done.returncode:
                self.fail(source.name, "planned and unplanned differ")
            return
        print(f"{'':40} no budget to execute at")

    def printed(self, clean):
        again = self.folder / "printed.mlir"
        run([self.opt, clean, "-o", again])
        return again.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", help="files or folders")
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--budgets", default="80,60,40")
    parser.add_argument("--execute", default="", help="comma-separated beginnings of names of steps to run")
    parser.add_argument("--llvm", help="folder of mlir-runner; needed for --execute")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args, folder)
        for path in map(pathlib.Path, args.paths):
            files = sorted(path.iterdir()) if path.is_dir() else [path]
            for source in files:
                if not source.name.endswith((".mlir", ".mlir.xz")):
                    continue
                bench.step(source)
                if args.execute and source.name.startswith(tuple(args.execute.split(","))):
                    bench.execute(source, args.llvm)
    sys.exit(1 if bench.failures else 0)


if __name__ == "__main__":
    main()
