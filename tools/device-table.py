#!/usr/bin/env python3
"""One JSON and one table out of what tools/device-check.sh left in a folder.

Rows: each GPT-2 size under each of Ringi's plans, and in each of PyTorch's modes where it ran. `above state` is the peak without
parameters and optimizer state. `vs torch` is, for a mode of PyTorch, its step time over that of Ringi's fastest plan whose peak above
state is no larger (above 1.00 = Ringi is faster). Utilisation counts the same model FLOPs and calibrated rate for both.

usage: device-table.py FOLDER      (writes FOLDER/results.json, prints the table)
"""
import json
import pathlib
import sys

GIB = 1 << 30


def load(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def ringi_row(name, report):
    """`name` is gpt2-124m-budget-60."""
    _, model, plan = name.split("-", 2)
    state = sum(report["categories_at_peak_bytes"].get(key, 0) for key in ("parameter", "optimizer_state"))
    return {"model": model, "system": "ringi", "plan": plan, "step_seconds": report["step_seconds_median"],
            "tokens_per_second": report["tokens_per_second"], "mfu_percent": report["mfu_percent"],
            "planned_peak_bytes": report["planned_peak_bytes"], "peak_bytes": report["measured_peak_bytes"],
            "above_state_bytes": report["measured_peak_bytes"] - state, "device_delta_bytes": report["device_delta_bytes"],
            "recompute_flops_percent": report["recompute_flops_percent"], "model_flops": report["model_flops"],
            "calibrated_flops": report["calibrated_flops"]}


def torch_row(entry, ringi):
    """Utilisation by the model FLOPs that Ringi counts; a speed ratio where one of Ringi's plans needs no more memory."""
    seconds, peak = entry["step_seconds_median"], entry["peak_bytes"]
    same = [row for row in ringi if row["model"] == entry["model"]]
    known = next((row for row in same if row["calibrated_flops"]), None)
    above = peak - entry["state_bytes"] if peak else None
    fits = [row["step_seconds"] for row in same if above is not None and row["above_state_bytes"] <= above]
    return {"model": entry["model"], "system": "torch", "plan": entry["mode"], "step_seconds": seconds,
            "tokens_per_second": entry["tokens_per_step"] / seconds,
            "mfu_percent": 100 * known["model_flops"] / (seconds * known["calibrated_flops"]) if known else None,
            "peak_bytes": peak, "above_state_bytes": above, "speed_ratio": seconds / min(fits) if fits else None}


def curve_difference(folder):
    """The largest relative difference of a loss from the host's, and over how many steps."""
    host, cuda = (load(folder / f"curve-{device}.json") for device in ("host", "cuda"))
    if not host or not cuda or not host["loss"] or len(host["loss"]) != len(cuda["loss"]):
        return None
    return {"steps": len(host["loss"]), "difference": max(abs(a - b) / abs(a) for a, b in zip(host["loss"], cuda["loss"]))}


def cell(value, text):
    return "-" if value is None else text.format(value)


def print_table(rows):
    header = ("model", "system", "plan", "ms", "tokens/s", "MFU %", "peak GiB", "above state", "vs torch")
    table = [header]
    for row in rows:
        gib = lambda key: None if row.get(key) is None else row[key] / GIB
        table.append((row["model"], row["system"], row["plan"], cell(row["step_seconds"] * 1e3, "{:.1f}"),
                      cell(row["tokens_per_second"], "{:.0f}"), cell(row["mfu_percent"], "{:.1f}"),
                      cell(gib("peak_bytes"), "{:.3f}"), cell(gib("above_state_bytes"), "{:.3f}"),
                      cell(row.get("speed_ratio"), "{:.2f}")))
    widths = [max(len(line[i]) for line in table) for i in range(len(header))]
    for line in table:
        print("  ".join(text.ljust(width) if i < 3 else text.rjust(width)
                        for i, (text, width) in enumerate(zip(line, widths))).rstrip())


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_dir():
        print("error: one folder of tools/device-check.sh is needed; usage: device-table.py FOLDER", file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    ringi, proofs = [], {}
    for path in sorted(folder.glob("train-*.json")):
        if report := load(path):
            ringi.append(ringi_row(path.stem.removeprefix("train-"), report))
    for path in sorted(folder.glob("proof-*.json")):
        if report := load(path):
            proofs[path.stem.removeprefix("proof-")] = {
                "apart_bytes": report["measured_peak_bytes"] - report["planned_peak_bytes"], "verified": report["verified"],
                "bit_equal": report["bit_equal"], "audit_equal": report["audit_equal"]}
    torch = load(folder / "torch.json") or {"rows": [], "skipped": []}
    rows = ringi + [torch_row(entry, ringi) for entry in torch["rows"]]
    sizes = list(dict.fromkeys(row["model"] for row in sorted(rows, key=lambda row: int(row["model"].rstrip("m") or 0)
                                                              if row["model"][:1].isdigit() else 0)))
    rows.sort(key=lambda row: (sizes.index(row["model"]), row["system"], row["peak_bytes"] is None, -(row["peak_bytes"] or 0)))
    lines = (folder / "stages.tsv").read_text().splitlines() if (folder / "stages.tsv").exists() else []
    stages = [dict(zip(("name", "exit_code", "seconds"), line.split("\t"))) for line in lines]
    result = {"device": load(folder / "device.json"), "rows": rows, "proofs": proofs, "loss_curve": curve_difference(folder),
              "torch_skipped": torch["skipped"], "stages": stages}
    (folder / "results.json").write_text(json.dumps(result, indent=1) + "\n")

    if result["device"]:
        rates = ", ".join(f"{kind} {rate / 1e12:.3g} TFLOP/s" for kind, rate in result["device"]["flops"].items())
        print(f"{result['device']['name']}: {rates}, {result['device']['bandwidth'] / 1e9:.4g} GB/s, "
              f"launch {result['device']['launch'] * 1e6:.3g} us")
    held = [name for name, proof in proofs.items() if proof["apart_bytes"] == 0 and proof["bit_equal"] and proof["audit_equal"]
            and False not in proof["verified"].values()]
    print(f"proofs: {len(held)} of {len(proofs)} programs, planned = measured peak, bits equal to keeping everything")
    for name in proofs:
        if name not in held:
            print(f"  FAILED: {name}")
    if curve := result["loss_curve"]:
        print(f"losses of {curve['steps']} steps: at most {curve['difference']:.1e} from the host's")
    print_table(rows)
    for stage in stages:
        if stage["exit_code"] != "0":
            print(f"stage {stage['name']}: " + {"124": "stopped at its time limit", "-": "not begun, no time left"}.get(
                stage["exit_code"], f"exit code {stage['exit_code']}, see {stage['name']}.txt"))
    for entry in torch["skipped"]:
        print(f"torch {entry['model']} {entry['mode']}: {entry['reason']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
