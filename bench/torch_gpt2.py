#!/usr/bin/env python3
"""GPT-2 training steps in PyTorch, for the same table as Ringi's: step time and peak memory of each way to save activations.

The model of `ringi-model gpt2 --attention fused`: tied embeddings, biases, tanh GELU, fused causal attention, cross-entropy, AdamW.
Parameters are bf16 and so is PyTorch's fused AdamW state (Ringi's is f32), so peaks are also given above parameters and state.

Modes: eager; checkpoint (torch.utils.checkpoint on every block); compile; budget-N (compile with activation_memory_budget = N %).
Writes the JSON after every measurement and stops at the time limit, so that a stopped run keeps what it has.

usage: torch_gpt2.py --json FILE [--models 124m,355m,774m,1558m] [--modes eager,checkpoint,compile,budget-50,budget-25]
                     [--seconds 300] [--steps 8] [--batch 16] [--seq 1024] [--device cuda]
"""
import argparse
import gc
import json
import os
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

VOCABULARY = 50304
# Layers, hidden size, heads, vocabulary.
MODELS = {"124m": (12, 768, 12, VOCABULARY), "355m": (24, 1024, 16, VOCABULARY), "774m": (36, 1280, 20, VOCABULARY),
          "1558m": (48, 1600, 25, VOCABULARY), "nano": (2, 64, 2, 128)}


class Block(torch.nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = torch.nn.LayerNorm(hidden), torch.nn.LayerNorm(hidden)
        self.qkv, self.proj = torch.nn.Linear(hidden, 3 * hidden), torch.nn.Linear(hidden, hidden)
        self.fc, self.out = torch.nn.Linear(hidden, 4 * hidden), torch.nn.Linear(4 * hidden, hidden)

    def forward(self, x):
        batch, seq, hidden = x.shape
        parts = self.qkv(self.ln_1(x)).view(batch, seq, 3, self.heads, hidden // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(context.transpose(1, 2).reshape(batch, seq, hidden))
        return x + self.out(F.gelu(self.fc(self.ln_2(x)), approximate="tanh"))


class Gpt2(torch.nn.Module):
    def __init__(self, layers, hidden, heads, vocabulary, seq, checkpointed):
        super().__init__()
        self.checkpointed = checkpointed
        self.wte, self.wpe = torch.nn.Embedding(vocabulary, hidden), torch.nn.Embedding(seq, hidden)
        self.blocks = torch.nn.ModuleList(Block(hidden, heads) for _ in range(layers))
        self.ln_f = torch.nn.LayerNorm(hidden)
        for embedding in (self.wte, self.wpe):
            torch.nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, tokens, targets):
        x = self.wte(tokens) + self.wpe.weight
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.checkpointed else block(x)
        return F.cross_entropy((self.ln_f(x) @ self.wte.weight.T).flatten(0, 1), targets.flatten())


def measure(args, name, mode):
    """One row: median step seconds without the first two, and peaks in bytes (None on a CPU)."""
    layers, hidden, heads, vocabulary = MODELS[name]
    on_gpu = args.device == "cuda"
    torch.manual_seed(0)
    torch._dynamo.reset()
    with torch.device(args.device):
        model = Gpt2(layers, hidden, heads, vocabulary, args.seq, mode == "checkpoint").to(torch.bfloat16)
        tokens, targets = (torch.randint(0, vocabulary, (args.batch, args.seq)) for _ in range(2))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0, fused=True)
    forward = model
    if mode == "compile" or mode.startswith("budget-"):
        percent = int(mode.removeprefix("budget-")) if mode != "compile" else 100
        torch._functorch.config.activation_memory_budget = percent / 100
        forward = torch.compile(model)
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    seconds = []
    for _ in range(args.steps):
        start = time.perf_counter()
        loss = forward(tokens, targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        if on_gpu:
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    state = sum(value.numel() * value.element_size() for value in model.parameters())
    state += sum(value.numel() * value.element_size() for entry in optimizer.state.values() for value in entry.values()
                 if torch.is_tensor(value))
    peak = torch.cuda.max_memory_allocated() if on_gpu else None
    return {"model": name, "mode": mode, "step_seconds_median": statistics.median(seconds[2:]), "loss": loss.item(),
            "peak_bytes": peak, "state_bytes": state, "reserved_bytes": torch.cuda.max_memory_reserved() if on_gpu else None,
            "tokens_per_step": args.batch * args.seq}


def write(path, result):
    with open(path + ".part", "w") as file:
        json.dump(result, file, indent=1)
    os.replace(path + ".part", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True)
    parser.add_argument("--models", default="124m,355m,774m,1558m")
    parser.add_argument("--modes", default="eager,checkpoint,compile,budget-50,budget-25")
    parser.add_argument("--seconds", type=float, default=300)
    for option, default in (("steps", 8), ("batch", 16), ("seq", 1024)):
        parser.add_argument(f"--{option}", type=int, default=default)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    args = parser.parse_args()
    models, modes = args.models.split(","), args.modes.split(",")
    unknown = [name for name in models if name not in MODELS]
    unknown += [mode for mode in modes if mode not in ("eager", "checkpoint", "compile") and not mode.startswith("budget-")]
    if unknown or args.steps < 3:
        print(f"error: {'unknown ' + unknown[0] if unknown else '--steps below 3'}; see --help", file=sys.stderr)
        return 2
    deadline = time.monotonic() + args.seconds
    result = {"torch": torch.__version__, "rows": [], "skipped": []}
    # What needs no compiler first: all sizes have it when time ends.
    for mode in modes:
        for name in models:
            if time.monotonic() > deadline:
                result["skipped"].append({"model": name, "mode": mode, "reason": "time limit"})
                continue
            try:
                result["rows"].append(measure(args, name, mode))
            except Exception as error:  # A mode that fails or does not fit is a result, too.
                reason = str(error).splitlines()[0] if str(error) else type(error).__name__
                result["skipped"].append({"model": name, "mode": mode, "reason": reason})
            gc.collect()
            if args.device == "cuda":
                torch.cuda.empty_cache()
            write(args.json, result)
    write(args.json, result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
