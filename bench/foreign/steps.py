#!/usr/bin/env python3
"""Plans training steps of other people's pipelines and prints a table, one line per step and budget.

For every .mlir or .mlir.xz file given (or found in a folder): parse, plan at each percentage of the keep-all peak, carry the plan
out, verify, print in generic form, parse that again, run stock CSE, canonicalization, LICM and symbol DCE over it, and verify
again (stock symbol DCE refuses unregistered ops with regions; a step that it refuses before planning too is spared). A budget
that cannot be met is refused with the minimum, and the minimum is then planned. Of a pair of files NAME_FW* and NAME_BW* in
generic form, with one function each, one joint step is made with --ringi-join-step; as the files do not say which result is which
argument, they are paired by type in order. A forward model must pass through unchanged.

With --execute, steps whose names begin with one of the words also run through bufferization and LLVM, planned at the smallest budget
that is not refused and unplanned: outputs are compared bit for bit, and the arena's high-water mark with its planned size.

usage: steps.py --ringi-opt build/bin/ringi-opt FILE_OR_FOLDER... [--budgets 80 60 40] [--op-table NAME] [--effort 1.0] [--order fixed|free]
                [--execute linear_train mlp_train cnn_train --llvm LLVM/bin]

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

RUN_STEP = pathlib.Path(__file__).parents[2] / "test/ExternalModels/Inputs/run_step.py"
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

    def printed(self, source, folder):
        self.run(source, "--mlir-print-op-generic", output=folder / "printed.mlir")
        return (folder / "printed.mlir").read_text()

    def execute(self, source, llvm, budgets):
        """At the smallest budget that is not refused; False when outputs or high-water marks differ."""
        for budget in sorted(budgets, key=float):
            done = subprocess.run([sys.executable, RUN_STEP, "--bin", pathlib.Path(self.ringi_opt).parent, "--llvm", llvm,
                                   "--budget", f"{budget}%", source], capture_output=True, text=True, timeout=1800, check=False)
            if "no plan fits" in done.stderr:
                continue
            for text in (done.stdout or done.stderr).splitlines():
                print(f"    executed at {budget}%: {text[:150]}", flush=True)
            return done.returncode == 0
        print("    no budget to execute at", flush=True)
        return True

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


def read(path):
    return lzma.open(path, "rt").read() if path.suffix == ".xz" else path.read_text()


def backward_of(path):
    """The other file of a pair, if `path` is the forward one of a pair."""
    other = path.with_name(path.name.replace("_FW", "_BW"))
    return other if other != path and other.exists() else None


def sources(paths):
    for path in map(pathlib.Path, paths):
        if path.is_dir():
            found = [p for p in sorted(path.rglob("*")) if p.name.endswith((".mlir", ".mlir.xz"))]
            backwards = [backward_of(p) for p in found]
            yield from (p for p in found if p not in backwards)
        else:
            yield path


def signature(text):
    """Types of the arguments and of the results of the only function of a generic module."""
    arguments, results = re.search(r"function_type = \((.*?)\) -> \((.*?)\)", text).groups()
    return re.findall(r"tensor<[^>]*>", arguments), re.findall(r"tensor<[^>]*>", results)


def function_text(text):
    return text[text.index('"func.func"'):text.rindex("})")]


def join(runner, forward, backward, folder):
    """The joint step of a pair of modules, and its name."""
    taken, results = signature(backward)[0], signature(forward)[1]
    # The outputs come first: what no argument of the backward function can be, and the loss.
    free = {}
    for number, kind in reversed(list(enumerate(results))):
        if kind in taken and not (kind == "tensor<f32>" and number == results.index(kind)):
            free.setdefault(kind, []).append(number)
    marks = [f"{{ringi.saved = {free[kind].pop()} : i64}}" if free.get(kind) else "{}" for kind in taken]
    backward = re.sub('sym_name = "[^"]+"', 'sym_name = "backward"', backward)
    backward = backward.replace("{function_type = ", f"{{arg_attrs = [{', '.join(marks)}], function_type = ")
    pair, joint = folder / "pair.mlir", folder / "joint.mlir"
    pair.write_text('"builtin.module"() ({\n' + function_text(forward) + function_text(backward) + "}) : () -> ()\n")
    name = re.search(r'sym_name = "([^"]+)"', forward).group(1)
    options = f"forward={name} backward=backward name=step"
    code, messages, _ = runner.run(pair, f"--ringi-join-step={options}", "--mlir-print-op-generic", output=joint)
    return (joint.read_text(), "step") if code == 0 else (None, messages)


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
    text = read(path)
    name = path.name.removesuffix(".xz").removesuffix(".mlir")
    source, planned, report = folder / "step.mlir", folder / "planned.mlir", folder / "report.json"
    table, function = table or table_of(text), step_function(text)
    if backward_of(path):
        text, function = join(runner, text, read(backward_of(path)), folder)
        if text is None:
            line([name, "", "", "", "", "", "", "", "", "", f"does not join: {function[:200]}"])
            return False
    source.write_text(text)
    code, messages, parsing = runner.run(source, "--mlir-print-op-generic")
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
        if "no function is a step" in messages or "has no backward part" in messages:
            code, messages, _ = runner.run(source, f"--ringi-checkpoint=op-table={table}", "--mlir-print-op-generic", output=planned)
            same = code == 0 and planned.read_text() == runner.printed(source, folder)
            line([name, "", "", "", "", "", "", "", "", "", "forward only, unchanged" if same else f"CHANGED {messages[:200]}"])
            return same
        if code or not report.exists():
            good = False
            line([name, "", budget, "", "", "", "", "", "", "", f"exit code {code}: {messages.splitlines()[0][:300]}"])
            continue
        data = json.loads(report.read_text())
        if not isinstance(data, dict):
            line([name, "", budget, "", "", "", "", "", "", "", "no training step"])
            return good
        plan = data["plan"]
        again = plan["loop_recompute_flops"]
        extra = 100 * (plan["recompute_flops"] + again) / max(plan["step_flops"] - again, 1)
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
    parser.add_argument("--execute", nargs="+", default=[], help="beginnings of the names of steps to run")
    parser.add_argument("--llvm", help="folder of mlir-runner; needed for --execute")
    args = parser.parse_args()
    line(["step", "ops", "budget", "keep-all", "planned", "FLOPs", "cost", "bound", "gap", "CPU s", "checks"])
    good = True
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(args.ringi_opt, args.effort, args.order)
        for path in sources(args.sources):
            budgets = [f"{b:g}" for b in args.budgets]
            good &= bench(runner, path, budgets, args.op_table, pathlib.Path(folder))
            if args.execute and path.name.startswith(tuple(args.execute)):
                good &= runner.execute(path, args.llvm, budgets)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
