//===- Gpt2.cpp - GPT-2 as a forward function -------------------*- C++ -*-===//
//
// Part of Ringi. Pre-norm transformer layers (Radford et al., "Language models
// are unsupervised multitask learners", 2019) with tanh gelu, GPT-2's initial
// scales and the language-model head tied to the token embedding.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include <cmath>

using namespace mlir;

namespace ringi::model {

namespace {

constexpr double kScale = 0.02;

class Gpt2 {
public:
  Gpt2(MLIRContext *context, FloatType dtype, const Gpt2Config &config)
      : model(context, "gpt2", dtype), config(config),
        projectionScale(kScale / std::sqrt(2.0 * double(config.layers))) {}

  OwningOpRef<ModuleOp> build() {
    Value tokens = model.tokens("tokens", "input", {config.batch, config.seq},
                                config.vocab);
    Value targets = model.tokens("targets", "target",
                                 {config.batch, config.seq}, config.vocab);
    Value wte = model.parameter("wte", {config.vocab, config.hidden}, kScale);
    Value wpe = model.parameter("wpe", {config.seq, config.hidden}, kScale / 2);
    Value x = EmbeddingOp::create(model.ops(), model.loc("embed"), tokens, wte)
                  .getResult();
    x = model.add("embed.position", x, wpe);
    x = model.dropout("embed.dropout", x, config.dropout);
    for (int64_t layer = 0; layer < config.layers; ++layer) {
      std::string name = "h" + std::to_string(layer);
      x = model.block(name, [&] { return mlp(name, attention(name, x)); });
    }
    x = model.layerNorm("ln_f", x);
    Value logits = MatmulOp::create(model.ops(), model.loc("head"), x, wte,
                                    /*bias=*/Value(), /*transpose_a=*/false,
                                    /*transpose_b=*/true)
                       .getResult();
    Value loss =
        CrossEntropyOp::create(model.ops(), model.loc("loss"), logits, targets)
            .getLoss();
    return model.finish(loss, config.batch * config.seq);
  }

private:
  Value attention(const std::string &layer, Value x) {
    std::string name = layer + ".attn";
    OpBuilder &ops = model.ops();
    int64_t size = config.hidden / config.heads;
    Value y = model.layerNorm(layer + ".ln_1", x);
    Value qkv = model.linear(name + ".qkv", y, 3 * config.hidden, kScale);
    qkv = model.reshape(name + ".heads", qkv,
                        {config.batch, config.seq, 3, config.heads, size});
    // One copy brings the three apart; what follows are views of it.
    qkv = TransposeOp::create(ops, model.loc(name + ".heads"), qkv,
                              ops.getDenseI64ArrayAttr({2, 0, 3, 1, 4}))
              .getY();
    qkv = model.reshape(name + ".heads", qkv,
                        {3, config.batch, config.heads, config.seq, size});
    auto part =
        model.floatType({1, config.batch, config.heads, config.seq, size});
    auto split = SplitOp::create(ops, model.loc(name + ".split"),
                                 TypeRange{part, part, part}, qkv,
                                 ops.getI64IntegerAttr(0));
    Value heads[3];
    for (int i = 0; i < 3; ++i)
      heads[i] = model.reshape(name + ".split", split.getResult(i),
                               {config.batch, config.heads, config.seq, size});
    Value context = config.fusedAttention
                        ? fused(name, heads, 1.0 / std::sqrt(double(size)))
                        : unfused(name, heads, 1.0 / std::sqrt(double(size)));
    context = TransposeOp::create(ops, model.loc(name + ".merge"), context,
                                  ops.getDenseI64ArrayAttr({0, 2, 1, 3}))
                  .getY();
    context = model.reshape(name + ".merge", context,
                            {config.batch, config.seq, config.hidden});
    y = model.linear(name + ".proj", context, config.hidden, projectionScale);
    y = model.dropout(name + ".dropout", y, config.dropout);
    return model.add(name + ".residual", x, y);
  }

  Value fused(const std::string &name, Value (&heads)[3], double factor) {
    OpBuilder &ops = model.ops();
    return AttentionOp::create(ops, model.loc(name + ".core"), heads[0],
                               heads[1], heads[2], ops.getF64FloatAttr(factor),
                               /*causal=*/ops.getUnitAttr())
        .getOutput();
  }

  Value unfused(const std::string &name, Value (&heads)[3], double factor) {
    OpBuilder &ops = model.ops();
    Value scores = MatmulOp::create(ops, model.loc(name + ".scores"), heads[0],
                                    heads[1], /*bias=*/Value(),
                                    /*transpose_a=*/false, /*transpose_b=*/true)
                       .getResult();
    scores = ScaleOp::create(ops, model.loc(name + ".scale"), scores.getType(),
                             scores, ops.getF64FloatAttr(factor),
                             /*inplace=*/UnitAttr())
                 .getY();
    Value probabilities =
        SoftmaxOp::create(ops, model.loc(name + ".softmax"), scores.getType(),
                          scores, /*causal=*/ops.getUnitAttr())
            .getY();
    probabilities =
        model.dropout(name + ".dropout_p", probabilities, config.dropout);
    return MatmulOp::create(ops, model.loc(name + ".context"), probabilities,
                            heads[2], /*bias=*/Value(), /*transpose_a=*/false,
                            /*transpose_b=*/false)
        .getResult();
  }

  Value mlp(const std::string &layer, Value x) {
    std::string name = layer + ".mlp";
    Value y = model.layerNorm(layer + ".ln_2", x);
    y = model.linear(name + ".fc", y, 4 * config.hidden, kScale);
    y = GeluOp::create(model.ops(), model.loc(name + ".gelu"), y.getType(), y,
                       /*approximate_tanh=*/model.ops().getUnitAttr(),
                       /*inplace=*/UnitAttr())
            .getY();
    y = model.linear(name + ".proj", y, config.hidden, projectionScale);
    y = model.dropout(name + ".dropout", y, config.dropout);
    return model.add(name + ".residual", x, y);
  }

  ModelBuilder model;
  Gpt2Config config;
  double projectionScale;
};

} // namespace

OwningOpRef<ModuleOp> buildGpt2(MLIRContext *context, FloatType dtype,
                                const Gpt2Config &config) {
  return Gpt2(context, dtype, config).build();
}

} // namespace ringi::model
