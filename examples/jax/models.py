"""Training steps in JAX with SGD: an MLP and a GPT, one named scope per layer, a scan over layers; and what jax.checkpoint makes of
them."""
import functools

import jax
import jax.numpy as jnp

POLICIES = {
    "none": None,
    "every-block": {},
    "dots_saveable": {"policy": jax.checkpoint_policies.dots_saveable},
    "dots_no_batch": {"policy": jax.checkpoint_policies.dots_with_no_batch_dims_saveable},
}


def checkpointed(block, policy):
    options = POLICIES[policy]
    return block if options is None else jax.checkpoint(block, **options)


def norm(x, scale):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale


def mlp(layers=6, width=64, batch=64, policy="none"):
    """Shapes of (parameters, x, y), and the step on them."""
    def block(p, x):
        return jnp.tanh(x @ p["w"] + p["b"])

    def loss(parameters, x, y):
        for number, p in enumerate(parameters):
            with jax.named_scope(f"layer_{number}"):
                x = checkpointed(block, policy)(p, x)
        return ((x - y) ** 2).mean()

    one = {"w": jax.ShapeDtypeStruct((width, width), jnp.float32), "b": jax.ShapeDtypeStruct((width,), jnp.float32)}
    data = jax.ShapeDtypeStruct((batch, width), jnp.float32)
    return ([dict(one) for _ in range(layers)], data, data), functools.partial(step, loss)


def scan(layers=8, width=64, batch=64, policy="none"):
    """Shapes of (parameters, x, y), and the step on them: residual blocks that jax.lax.scan runs, weights stacked by layer."""
    def block(x, p):
        return x + jax.nn.gelu(norm(x, p["ln"]) @ p["fc"]) @ p["out"], None

    def loss(parameters, x, y):
        x, _ = jax.lax.scan(checkpointed(block, policy), x, parameters)
        return ((x - y) ** 2).mean()

    def array(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    parameters = {"ln": array(layers, width), "fc": array(layers, width, 4 * width), "out": array(layers, 4 * width, width)}
    return (parameters, array(batch, width), array(batch, width)), functools.partial(step, loss)


def gpt(layers=8, hidden=256, heads=4, length=512, batch=4, vocabulary=8192, dtype="float32", policy="none"):
    """Shapes of (parameters, tokens, targets), and the step on them."""
    width = hidden // heads

    def block(p, x):
        y = norm(x, p["ln_1"])
        q, k, v = jnp.split(y @ p["qkv"], 3, -1)
        q, k, v = (t.reshape(batch, length, heads, width).transpose(0, 2, 1, 3) for t in (q, k, v))
        scores = q @ k.swapaxes(-1, -2) / width ** 0.5
        mask = jnp.tril(jnp.ones((length, length), bool))
        weights = jax.nn.softmax(jnp.where(mask, scores.astype(jnp.float32), -1e9)).astype(x.dtype)
        x = x + (weights @ v).transpose(0, 2, 1, 3).reshape(x.shape) @ p["proj"]
        return x + jax.nn.gelu(norm(x, p["ln_2"]) @ p["fc"]) @ p["out"]

    def loss(parameters, tokens, targets):
        x = parameters["wte"][tokens] + parameters["wpe"]
        for number, p in enumerate(parameters["layers"]):
            with jax.named_scope(f"layer_{number}"):
                x = checkpointed(block, policy)(p, x)
        logits = (norm(x, parameters["ln_f"]) @ parameters["wte"].T).astype(jnp.float32)
        return -jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], -1).mean()

    def array(*shape):
        return jax.ShapeDtypeStruct(shape, dtype)

    layer = {"ln_1": array(hidden), "qkv": array(hidden, 3 * hidden), "proj": array(hidden, hidden), "ln_2": array(hidden),
             "fc": array(hidden, 4 * hidden), "out": array(4 * hidden, hidden)}
    parameters = {"wte": array(vocabulary, hidden), "wpe": array(length, hidden), "ln_f": array(hidden),
                  "layers": [dict(layer) for _ in range(layers)]}
    tokens = jax.ShapeDtypeStruct((batch, length), jnp.int32)
    return (parameters, tokens, tokens), functools.partial(step, loss)


def step(loss, parameters, x, y):
    """Loss and updated parameters of one step of SGD."""
    value, gradients = jax.value_and_grad(loss)(parameters, x, y)
    return value, jax.tree.map(lambda p, g: p - jnp.asarray(0.1, p.dtype) * g, parameters, gradients)
