#!/usr/bin/env python3
"""Host step time of Ringi against PyTorch on the same CPU: same model, threads, type and optimizer, in one run.

Trains GPT-2 shapes in f32 with AdamW under both, alternating, and prints the median step times and their ratio
(below 1.0 = Ringi is faster). PyTorch runs eagerly, with its own fused attention where --attention fused is given.

usage: step_time.py --bin build/bin [--threads 2] [--steps 7] [--layers 4 --hidden 256 --heads 4 --seq 256 --batch 4
                    --vocab 8192] [--attention fused|unfused]                    (needs torch from PyPI)
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import torch
import torch.nn.functional as F


def parameters(args):
    hidden, shapes = args.hidden, {"wte": (args.vocab, args.hidden), "wpe": (args.seq, args.hidden)}
    for layer in range(args.layers):
        for name, shape in (("ln_1.gamma", (hidden,)), ("ln_1.beta", (hidden,)), ("qkv.w", (hidden, 3 * hidden)),
                            ("qkv.b", (3 * hidden,)), ("proj.w", (hidden, hidden)), ("proj.b", (hidden,)),
                            ("ln_2.gamma", (hidden,)), ("ln_2.beta", (hidden,)), ("fc.w", (hidden, 4 * hidden)),
                            ("fc.b", (4 * hidden,)), ("out.w", (4 * hidden, hidden)), ("out.b", (hidden,))):
            shapes[f"{layer}.{name}"] = shape
    shapes |= {"ln_f.gamma": (hidden,), "ln_f.beta": (hidden,)}
    return {name: torch.nn.Parameter(torch.randn(shape) * 0.02 + (1 if name.endswith("gamma") else 0))
            for name, shape in shapes.items()}


def forward(p, args, tokens, targets):
    x = p["wte"][tokens] + p["wpe"]
    mask = torch.ones(args.seq, args.seq, dtype=torch.bool).triu(1)
    for layer in range(args.layers):
        g = lambda name: p[f"{layer}.{name}"]
        y = F.layer_norm(x, (args.hidden,), g("ln_1.gamma"), g("ln_1.beta"))
        qkv = torch.addmm(g("qkv.b"), y.flatten(0, 1), g("qkv.w"))
        q, k, v = qkv.view(args.batch, args.seq, 3, args.heads, -1).permute(2, 0, 3, 1, 4)
        if args.attention == "fused":
            context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
            context = scores.masked_fill(mask, float("-inf")).softmax(-1) @ v
        context = context.transpose(1, 2).reshape(-1, args.hidden)
        x = x + torch.addmm(g("proj.b"), context, g("proj.w")).view(x.shape)
        y = F.layer_norm(x, (args.hidden,), g("ln_2.gamma"), g("ln_2.beta"))
        y = F.gelu(torch.addmm(g("fc.b"), y.flatten(0, 1), g("fc.w")), approximate="tanh")
        x = x + torch.addmm(g("out.b"), y, g("out.w")).view(x.shape)
    x = F.layer_norm(x, (args.hidden,), p["ln_f.gamma"], p["ln_f.beta"])
    return F.cross_entropy((x @ p["wte"].T).flatten(0, 1), targets.flatten())


class Torch:
    def __init__(self, args):
        torch.manual_seed(0)
        torch.set_num_threads(args.threads)
        self.args = args
        self.p = parameters(args)
        self.optimizer = torch.optim.AdamW(self.p.values(), lr=1e-3, fused=True)
        self.tokens = torch.randint(0, args.vocab, (args.batch, args.seq))
        self.targets = torch.randint(0, args.vocab, (args.batch, args.seq))
        self.times()

    def times(self):
        result = []
        for _ in range(self.args.steps):
            start = time.perf_counter()
            self.optimizer.zero_grad(set_to_none=True)
            forward(self.p, self.args, self.tokens, self.targets).backward()
            self.optimizer.step()
            result.append(time.perf_counter() - start)
        return result[1:]


class Ringi:
    def __init__(self, args, work):
        self.args, self.work = args, pathlib.Path(work)
        sizes = [f"--{name}={getattr(args, name)}" for name in ("layers", "hidden", "heads", "seq", "batch", "vocab")]
        subprocess.run([args.bin / "ringi-model", "gpt2", *sizes, "--attention", args.attention, "-o",
                        self.work / "model.mlir"], check=True)
        subprocess.run([args.bin / "ringi-opt", self.work / "model.mlir",
                        "--ringi-train=strategy=none optimizer=adamw",
                        f"--ringi-export-program=file={self.work}/step.rgp", "-o", "/dev/null"], check=True)
        self.times()

    def times(self):
        subprocess.run([self.args.bin / "ringi-run", self.work / "step.rgp", "--steps", str(self.args.steps), "--threads",
                        str(self.args.threads), "--report", self.work / "report.json"], check=True,
                       stdout=subprocess.DEVNULL)
        return [json.loads((self.work / "report.json").read_text())["step_seconds_median"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    for name, default in (("threads", 2), ("steps", 7), ("layers", 4), ("hidden", 256), ("heads", 4), ("seq", 256),
                          ("batch", 4), ("vocab", 8192), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--attention", choices=("fused", "unfused"), default="fused")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        peers = {"ringi": Ringi(args, work), "torch": Torch(args)}
        times = {name: [] for name in peers}
        for _ in range(args.rounds):
            for name, peer in peers.items():
                times[name] += peer.times()
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"ringi {medians['ringi'] * 1e3:.1f} ms, torch {torch.__version__} {medians['torch'] * 1e3:.1f} ms, "
          f"ratio {medians['ringi'] / medians['torch']:.2f}")


if __name__ == "__main__":
    main()
