#!/usr/bin/env python3
"""Plans training steps of other people's pipelines and prints a table, one line per step and budget.

For every .mlir or .mlir.xz file given (or found in a folder): parse, plan at each percentage of the keep-all peak, carry the plan
out, verify, print in generic form, parse that again, run stock CSE, canonicalization, LICM and symbol DCE over it, and verify
again (stock symbol DCE refuses unregistered ops with regions; a step that it refuses before planning too is spared). A budget that cannot be met is refused with the minimum, and the minimum is then planned.

usage: steps.py --ringi-opt build/bin/ringi-opt FILE_OR_FOLDER... [--budgets 80 60 40] [--op-table NAME] [--effort 1.0] [--order fixed|free]

Columns: ops of the planned function; keep-all peak and planned peak in MiB; recomputed FLOPs and cost in percent of the step's;
the proven least cost (bound) and the gap between both in percentage points; CPU seconds of plan, apply and verify beside parsing
and printing; what the checks gave.
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

STOCK = ["--cse", "--canonicalize", "--loop-invariant-code-motion", "--cse"]


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Runner:
    def __init__(self, ringi_opt, effort, order):
        self.ringi_opt, self.effort, self.order = ringi_opt, effort, order

    def run(self, source, *passes, output="/dev/null"):
        """Exit code, messages and CPU seconds of one ringi-opt."""
        command = [self.ringi_opt, str(source), "--allow-unregistered-dialect", *passes, "-o", str(output)]
        before = cpu_seconds()
        run = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
        return run.returncode, run.stderr, cpu_seconds() - before

    def plan(self, source, function, table, budget, output, report):
        options = (f"strategy=memory-budget budget={budget} op-table={table} function={function} effort={self.effort} "
                   f"order={self.order} report={report}")
        return self.run(source, f"--ringi-checkpoint={options}", "--mlir-print-op-generic", output=output)


def table_of(text):
    """The built-in table of the dialect that the text uses most."""
    counts = {name: len(re.findall(rf'"{name}\.', text)) for name in ("stablehlo", "mhlo", "hlo")}
    return max(counts, key=counts.get)


def step_function(text):
    """The public function called main, or the only one."""
    names = re.findall(r'func\.func public @"?([\w.]+)"?', text) + re.findall(r'sym_name = "(main[\w.]*)"', text)
    names += re.findall(r'sym_name = "(forward|backward)"', text)
    return names[0] if names else ""


def sources(paths):
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            yield from (p for p in sorted(path.rglob("*")) if p.name.endswith((".mlir", ".mlir.xz")))
        else:
            yield path


def survives(runner, planned, stock_passes, folder):
    """What becomes of the planned step: parsed again, verified, and after stock passes verified once more."""
    again, stock = folder / "again.mlir", folder / "stock.mlir"
    code, messages, _ = runner.run(planned, "--mlir-print-op-generic", "--ringi-verify-plan", output=again)
    if code:
        return f"round trip: {messages[:200]}"
    if planned.read_text() != again.read_text():
        return "round trip changes the text"
    code, messages, _ = runner.run(planned, *stock_passes, "--ringi-verify-plan", output=stock)
    return f"stock passes: {messages[:200]}" if code else "ok"


def line(cells):
    widths = (44, 7, 7, 10, 10, 9, 9, 9, 8, 7)
    print(" ".join(str(cell)[:width].ljust(width) if i == 0 else str(cell).rjust(width)
                   for i, (cell, width) in enumerate(zip(cells, widths))), *cells[len(widths):], flush=True)


def bench(runner, path, budgets, table, folder):
    text = lzma.open(path, "rt").read() if path.suffix == ".xz" else path.read_text()
    source, planned, report = folder / "step.mlir", folder / "planned.mlir", folder / "report.json"
    source.write_text(text)
    table, function = table or table_of(text), step_function(text)
    code, messages, parsing = runner.run(source, "--mlir-print-op-generic")
    name = path.name.removesuffix(".xz").removesuffix(".mlir")
    if code:
        line([name, "", "", "", "", "", "", "", "", "", f"does not parse: {messages[:200]}"])
        return False
    good, minimum = True, None
    stock_passes = STOCK if runner.run(source, "--symbol-dce")[0] else STOCK + ["--symbol-dce"]
    for budget in [f"{b}%" for b in budgets] + ["least"]:
        if budget == "least" and minimum is None:
            continue
        report.unlink(missing_ok=True)
        asked = str(minimum) if budget == "least" else budget
        code, messages, seconds = runner.plan(source, function, table, asked, planned, report)
        refused = re.search(r"minimum budget is (\d+) bytes", messages)
        if code == 1 and refused:
            minimum = int(refused.group(1))
            line([name, "", budget, "", "", "", "", "", "", f"{seconds - parsing:.2f}", f"refused; minimum {minimum / 2**20:.1f} MiB"])
            continue
        if code or not report.exists():
            good = False
            line([name, "", budget, "", "", "", "", "", "", "", f"exit code {code}: {messages[:300]}"])
            continue
        data = json.loads(report.read_text())
        if not isinstance(data, dict):
            line([name, "", budget, "", "", "", "", "", "", "", "no training step"])
            return good
        plan = data["plan"]
        extra = 100 * plan["recompute_flops"] / max(plan["step_flops"], 1)
        bound = plan.get("bound_percent", 0.0)
        check = survives(runner, planned, stock_passes, folder)
        good &= check == "ok"
        unknown = data["unknown_ops"]
        if unknown:
            check += f", {len(unknown)} unknown ops hold {sum(u['bytes'] for u in unknown) / 2**20:.1f} MiB"
        line([name, plan.get("operations", ""), budget, f"{plan['keep_all_peak_bytes'] / 2**20:.1f}",
              f"{plan['live_peak_bytes'] / 2**20:.1f}", f"{extra:.2f}%", f"{plan['recompute_cost_percent']:.2f}%",
              f"{bound:.2f}%", f"{plan['recompute_cost_percent'] - bound:.2f}", f"{seconds - parsing:.2f}", check])
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--ringi-opt", required=True)
    parser.add_argument("--budgets", type=float, nargs="+", default=[80, 60, 40])
    parser.add_argument("--op-table", default="")
    parser.add_argument("--effort", type=float, default=1.0)
    parser.add_argument("--order", choices=["fixed", "free"], default="fixed")
    args = parser.parse_args()
    line(["step", "ops", "budget", "keep-all", "planned", "FLOPs", "cost", "bound", "gap", "CPU s", "checks"])
    good = True
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(args.ringi_opt, args.effort, args.order)
        for path in sources(args.sources):
            good &= bench(runner, path, [f"{b:g}" for b in args.budgets], args.op_table, pathlib.Path(folder))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
