#!/usr/bin/env python3
"""Makes the PyTorch fixtures that test/Integration/torch-*.test compare with.

Each fixture is one safetensors file: initial parameters ("init.NAME"), the batch ("input.NAME"), and what one forward and
backward pass in f64 gives ("loss", "grad.NAME"), plus the parameters after three AdamW steps on the same batch
("adamw.NAME"). Models and parameter names are those of ringi-model.

usage: make_torch_fixtures.py [OUTPUT_DIRECTORY]     (needs torch and safetensors from PyPI)
"""
import pathlib
import sys

import torch
import torch.nn.functional as F
from safetensors.torch import save_file


def gpt2(p, batch, layers, heads):
    tokens, targets = batch["tokens"].long(), batch["targets"].long()
    seq = tokens.shape[1]
    x = p["wte"][tokens] + p["wpe"]
    hidden = x.shape[-1]
    mask = torch.ones(seq, seq, dtype=torch.bool).triu(1)
    for layer in range(layers):
        h = lambda name: p[f"h{layer}.{name}"]
        y = F.layer_norm(x, (hidden,), h("ln_1.gamma"), h("ln_1.beta"))
        qkv = y @ h("attn.qkv.weight") + h("attn.qkv.bias")
        q, k, v = qkv.view(*qkv.shape[:2], 3, heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        context = scores.masked_fill(mask, float("-inf")).softmax(-1) @ v
        context = context.transpose(1, 2).reshape(x.shape)
        x = x + context @ h("attn.proj.weight") + h("attn.proj.bias")
        y = F.layer_norm(x, (hidden,), h("ln_2.gamma"), h("ln_2.beta"))
        y = F.gelu(y @ h("mlp.fc.weight") + h("mlp.fc.bias"), approximate="tanh")
        x = x + y @ h("mlp.proj.weight") + h("mlp.proj.bias")
    x = F.layer_norm(x, (hidden,), p["ln_f.gamma"], p["ln_f.beta"])
    return F.cross_entropy((x @ p["wte"].T).flatten(0, 1), targets.flatten())


def gpt2_parameters(layers, hidden, seq, vocab):
    shapes = {"wte": (vocab, hidden), "wpe": (seq, hidden)}
    for layer in range(layers):
        h = f"h{layer}."
        shapes |= {
            h + "ln_1.gamma": (hidden,), h + "ln_1.beta": (hidden,),
            h + "attn.qkv.weight": (hidden, 3 * hidden), h + "attn.qkv.bias": (3 * hidden,),
            h + "attn.proj.weight": (hidden, hidden), h + "attn.proj.bias": (hidden,),
            h + "ln_2.gamma": (hidden,), h + "ln_2.beta": (hidden,),
            h + "mlp.fc.weight": (hidden, 4 * hidden), h + "mlp.fc.bias": (4 * hidden,),
            h + "mlp.proj.weight": (4 * hidden, hidden), h + "mlp.proj.bias": (hidden,),
        }
    return shapes | {"ln_f.gamma": (hidden,), "ln_f.beta": (hidden,)}


def mlp(p, batch, layers):
    x = batch["x"]
    for layer in range(layers):
        x = x @ p[f"l{layer}.weight"] + p[f"l{layer}.bias"]
        if layer + 1 < layers:
            x = x.relu()
    return F.cross_entropy(x, batch["targets"].long())


def deepnet(p, batch, blocks):
    x = batch["x"]
    for block in range(blocks):
        y = F.gelu(x @ p[f"b{block}.fc.weight"] + p[f"b{block}.fc.bias"])
        x = x + y @ p[f"b{block}.proj.weight"] + p[f"b{block}.proj.bias"]
    return F.mse_loss(x, batch["target"])


def make(path, shapes, batch, model, decayed_rank=2):
    torch.manual_seed(0)
    init = {}
    for name, shape in shapes.items():
        noise = torch.randn(shape) * 0.2
        init[name] = (1 + noise) if name.endswith("gamma") else noise
    exact = {name: value.double().requires_grad_() for name, value in init.items()}
    as_double = {k: v.double() if v.is_floating_point() else v for k, v in batch.items()}
    loss = model(exact, as_double)
    loss.backward()
    tensors = {f"init.{k}": v for k, v in init.items()} | {f"input.{k}": v for k, v in batch.items()}
    tensors["loss"] = loss.detach().float()
    tensors |= {f"grad.{k}": v.grad.float() for k, v in exact.items()}
    trained = {k: v.double().requires_grad_() for k, v in init.items()}
    groups = [
        {"params": [v for v in trained.values() if v.dim() >= decayed_rank], "weight_decay": 0.1},
        {"params": [v for v in trained.values() if v.dim() < decayed_rank], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=1e-2, betas=(0.9, 0.95), eps=1e-8)
    for _ in range(3):
        optimizer.zero_grad()
        model(trained, as_double).backward()
        optimizer.step()
    tensors |= {f"adamw.{k}": v.detach().float() for k, v in trained.items()}
    save_file({k: v.contiguous() for k, v in tensors.items()}, path)
    print(path, path.stat().st_size, "bytes, loss", loss.item())


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "Inputs")
    out.mkdir(parents=True, exist_ok=True)
    draw = torch.Generator().manual_seed(1)
    tokens = torch.randint(0, 32, (2, 8), generator=draw, dtype=torch.int32)
    targets = torch.randint(0, 32, (2, 8), generator=draw, dtype=torch.int32)
    make(out / "gpt2.safetensors", gpt2_parameters(2, 16, 8, 32), {"tokens": tokens, "targets": targets},
         lambda p, b: gpt2(p, b, layers=2, heads=2))
    shapes = {}
    for layer, (rows, columns) in enumerate(((12, 16), (16, 16), (16, 5))):
        shapes |= {f"l{layer}.weight": (rows, columns), f"l{layer}.bias": (columns,)}
    make(out / "mlp.safetensors", shapes,
         {"x": torch.randn(4, 12, generator=draw), "targets": torch.randint(0, 5, (4,), generator=draw, dtype=torch.int32)},
         lambda p, b: mlp(p, b, layers=3))
    shapes = {}
    for block in range(3):
        shapes |= {f"b{block}.fc.weight": (8, 8), f"b{block}.fc.bias": (8,),
                   f"b{block}.proj.weight": (8, 8), f"b{block}.proj.bias": (8,)}
    make(out / "deepnet.safetensors", shapes,
         {"x": torch.randn(4, 8, generator=draw), "target": torch.randn(4, 8, generator=draw)},
         lambda p, b: deepnet(p, b, blocks=3))


if __name__ == "__main__":
    main()
