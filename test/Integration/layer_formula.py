#!/usr/bin/env python3
"""Saved activations of one transformer layer against s b h (34 + 5 a s / h) bytes (Korthikanti et al., 2022).

Sequence s, batch b, hidden h, heads a, 16-bit values, 1-byte dropout masks, unfused attention, no recompute. Per layer, in
units of s b h bytes:

  norms       4      input of each of the two
  attention  11      input of q, k and v: 2; q, k, v: 6; input of the projection: 2; mask after it: 1
  mlp        19      input: 2; input of gelu: 8; input of the second product: 8; mask after it: 1
  scores     5as/h   softmax: 2; its dropout's mask: 1; its dropout: 2

Beyond the formula a layer saves mean and 1/deviation of the rows of its two norms in 4 bytes: 16 s b bytes; and each storage
is rounded up to the alignment, which adds nothing at the sizes used here. A layer is a model of 3 layers less one of 2.

usage: layer_formula.py --bin DIR --work DIR
"""
import argparse
import json
import pathlib

import compare_torch as tools

ALIGNMENT = 256


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)

    def saved(layers, s, b, h, a):
        model, report = args.work / "model.mlir", args.work / "memory.json"
        tools.run(args.bin / "ringi-model", "gpt2", "--layers", layers, "--hidden", h, "--heads", a, "--seq", s, "--batch", b,
                  "--vocab", 256, "--dropout", 0.1, "--dtype", "bf16", "-o", model)
        tools.run(args.bin / "ringi-opt", model, "--ringi-build-step=optimizer=adamw dropout-mask=stored",
                  f"--ringi-print-memory=format=json file={report}", "-o", "/dev/null")
        return json.loads(report.read_text())["saved_activation_bytes"]

    failures = 0
    for s, b, h, a in ((64, 2, 128, 4), (128, 1, 64, 8), (256, 4, 768, 12)):
        layer = saved(3, s, b, h, a) - saved(2, s, b, h, a)
        formula, statistics = 34 * s * b * h + 5 * a * s * s * b, 4 * 4 * s * b
        assert s * b * 4 % ALIGNMENT == 0
        good = layer == formula + statistics
        failures += not good
        print(f"s={s} b={b} h={h} a={a}: layer {layer}, formula {formula}, norm statistics {statistics}, "
              f"beyond {layer - formula - statistics}{'' if good else '  <-- FAILED'}")
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
