//===- GptGenerator.cpp - GPT-like training steps of any size -------------===//
//
// Part of Ringi. A pre-norm transformer with the saved activations that
// Korthikanti et al. 2022 count (34 s b h + 5 a s^2 b bytes per unfused 16-bit
// layer), its backward ops and AdamW. Bytes and costs follow from the shapes;
// nothing is executed.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Generators.h"

#include "ringi/Planner/ProblemBuilder.h"

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace ringi::planner {

namespace {

// The device of Generators.h: 250 TFLOP/s, 1.5 TB/s, 3 us per launch.
constexpr double kFlopsPerMicrosecond = 250e6;
constexpr double kBytesPerMicrosecond = 1.5e6;
constexpr double kLaunchMicroseconds = 3;

class GptBuilder {
public:
  explicit GptBuilder(const GptOptions &o)
      : o(o), builder("gpt-" + std::to_string(o.layers) + "x" +
                      std::to_string(o.hidden)),
        tokens(o.batch * o.sequence),
        scores(o.batch * o.heads * o.sequence * o.sequence) {}

  Problem build() {
    StorageIndex ids = builder.addInitial("tokens", tokens * 8);
    targets = builder.addInitial("targets", tokens * 8);
    wte = parameter("wte", o.vocabulary * o.hidden);
    StorageIndex wpe = parameter("wpe", o.sequence * o.hidden);
    StorageIndex x = run("embedding", {ids, wte, wpe},
                         {{"x", tokens * o.hidden}}, 0, OpClass::Other)[0];
    layers.resize(o.layers);
    for (int32_t l = 0; l < o.layers; ++l)
      x = forwardLayer(l, x);
    block = kNone;
    prefix = "head.";
    StorageIndex gradient = head(x);
    for (int32_t l = o.layers - 1; l >= 0; --l)
      gradient = backwardLayer(l, gradient);
    block = kNone;
    prefix.clear();
    std::vector<StorageIndex> d = run(
        "embedding.backward", {ids, gradient},
        {{"dwte", o.vocabulary * o.hidden}, {"dwpe", o.sequence * o.hidden}}, 0,
        OpClass::Other);
    weightGradient(wte, run("tied.add", {headGradient, d[0]},
                            {{"dwte.sum", o.vocabulary * o.hidden}}, 0,
                            OpClass::Elementwise)[0]);
    weightGradient(wpe, d[1]);
    phase = Phase::Optimizer;
    for (auto [weight, gradient] : updates)
      addUpdate(weight, gradient);
    return builder.take();
  }

private:
  struct Layer {
    StorageIndex ln1w, qkvw, projw, ln2w, fc1w, fc2w;
    StorageIndex x, ln1, stats1, qkv, scores, probabilities, mask1, dropped1,
        context, lse, mask2, x1, ln2, stats2, fc1, gelu, mask3;
  };
  struct Result {
    const char *name;
    int64_t elements;
    /// Bytes per element; 0 means the model's own.
    int64_t width = 0;
  };

  StorageIndex parameter(const std::string &name, int64_t elements) {
    return builder.addInitial(prefix + name, align(elements * o.elementBytes),
                              Category::Parameter);
  }
  static int64_t align(int64_t bytes) { return (bytes + 255) / 256 * 256; }

  std::vector<StorageIndex> run(const char *name,
                                const std::vector<StorageIndex> &inputs,
                                std::initializer_list<Result> results,
                                double flops, OpClass opClass) {
    OpIndex v = builder.addOp(prefix + name, inputs, 0, phase, opClass, block);
    std::vector<StorageIndex> made;
    double moved = 0;
    for (StorageIndex s : builder.op(v).inputs)
      moved += double(builder.storage(s).bytes);
    for (const Result &result : results) {
      int64_t bytes = align(result.elements *
                            (result.width ? result.width : o.elementBytes));
      made.push_back(builder.addResult(v, prefix + result.name, bytes,
                                       phase == Phase::Forward
                                           ? Category::Activation
                                           : Category::GradientInFlight));
      moved += double(bytes);
      flops += flops == 0 ? double(result.elements) : 0;
    }
    builder.op(v).flops = flops;
    builder.op(v).kind = name;
    builder.op(v).cost =
        std::max(flops / kFlopsPerMicrosecond, moved / kBytesPerMicrosecond) +
        kLaunchMicroseconds;
    return made;
  }
  StorageIndex gemm(const char *name, StorageIndex a, StorageIndex b,
                    Result result, double flops) {
    return run(name, {a, b}, {result}, flops, OpClass::Gemm)[0];
  }
  double linearFlops(int64_t in, int64_t out) const {
    return 2.0 * double(tokens) * double(in) * double(out);
  }
  double attentionFlops() const {
    return 2.0 * double(tokens) * double(o.sequence) * double(o.hidden);
  }
  /// Dropout of `elements`: (result, mask); without dropout (value, kNone).
  std::pair<StorageIndex, StorageIndex> dropout(const char *name,
                                                StorageIndex value,
                                                Result result,
                                                const char *maskName) {
    if (!o.dropout)
      return {value, kNone};
    std::vector<StorageIndex> r =
        run(name, {value}, {result, {maskName, result.elements, 1}}, 0,
            OpClass::Random);
    return {r[0], r[1]};
  }
  StorageIndex dropoutBackward(const char *name, StorageIndex gradient,
                               StorageIndex mask, Result result) {
    if (!o.dropout)
      return gradient;
    return elementwise(name, {gradient, mask}, result);
  }
  StorageIndex elementwise(const char *name,
                           const std::vector<StorageIndex> &inputs,
                           Result result) {
    return run(name, inputs, {result}, 0, OpClass::Elementwise)[0];
  }

  StorageIndex forwardLayer(int32_t l, StorageIndex x) {
    const int64_t h = o.hidden, th = tokens * h;
    prefix = "h" + std::to_string(l) + ".";
    block = builder.addBlock("h" + std::to_string(l));
    Layer &a = layers[l];
    a.x = x;
    a.ln1w = parameter("ln1.w", 2 * h);
    a.qkvw = parameter("qkv.w", 3 * h * (h + 1));
    a.projw = parameter("proj.w", h * (h + 1));
    a.ln2w = parameter("ln2.w", 2 * h);
    a.fc1w = parameter("fc1.w", 4 * h * (h + 1));
    a.fc2w = parameter("fc2.w", h * (4 * h + 1));
    std::vector<StorageIndex> r =
        run("ln1", {x, a.ln1w}, {{"ln1", th}, {"ln1.stats", 2 * tokens, 4}}, 0,
            OpClass::Normalization);
    a.ln1 = r[0], a.stats1 = r[1];
    a.qkv = gemm("qkv", a.ln1, a.qkvw, {"qkv", 3 * th}, linearFlops(h, 3 * h));
    if (o.unfusedAttention) {
      a.scores =
          gemm("scores", a.qkv, a.qkv, {"scores", scores}, attentionFlops());
      a.probabilities = run("softmax", {a.scores}, {{"probabilities", scores}},
                            0, OpClass::Normalization)[0];
      std::tie(a.dropped1, a.mask1) =
          dropout("attention.dropout", a.probabilities, {"dropped", scores},
                  "attention.mask");
      a.context =
          gemm("context", a.dropped1, a.qkv, {"context", th}, attentionFlops());
    } else {
      r = run("attention", {a.qkv},
              {{"context", th}, {"lse", tokens * o.heads, 4}},
              2 * attentionFlops(), OpClass::Attention);
      a.context = r[0], a.lse = r[1];
    }
    StorageIndex p =
        gemm("proj", a.context, a.projw, {"proj", th}, linearFlops(h, h));
    std::tie(p, a.mask2) =
        dropout("proj.dropout", p, {"proj.dropped", th}, "proj.mask");
    a.x1 = elementwise("residual1", {x, p}, {"x1", th});
    r = run("ln2", {a.x1, a.ln2w}, {{"ln2", th}, {"ln2.stats", 2 * tokens, 4}},
            0, OpClass::Normalization);
    a.ln2 = r[0], a.stats2 = r[1];
    a.fc1 = gemm("fc1", a.ln2, a.fc1w, {"fc1", 4 * th}, linearFlops(h, 4 * h));
    a.gelu = elementwise("gelu", {a.fc1}, {"gelu", 4 * th});
    StorageIndex m =
        gemm("fc2", a.gelu, a.fc2w, {"fc2", th}, linearFlops(4 * h, h));
    std::tie(m, a.mask3) =
        dropout("mlp.dropout", m, {"mlp.dropped", th}, "mlp.mask");
    return elementwise("residual2", {a.x1, m}, {"x2", th});
  }

  /// Final norm, logits and loss; returns the gradient of the last layer's
  /// result.
  StorageIndex head(StorageIndex x) {
    const int64_t h = o.hidden, th = tokens * h, tv = tokens * o.vocabulary;
    StorageIndex lnw = parameter("ln.w", 2 * h);
    std::vector<StorageIndex> ln =
        run("ln", {x, lnw}, {{"ln", th}, {"ln.stats", 2 * tokens, 4}}, 0,
            OpClass::Normalization);
    StorageIndex logits = gemm("logits", ln[0], wte, {"logits", tv},
                               linearFlops(h, o.vocabulary));
    std::vector<StorageIndex> loss =
        run("loss", {logits, targets},
            {{"loss", 1, 4}, {"loss.lse", tokens, 4}}, 0, OpClass::Reduction);
    builder.storage(loss[0]).output = true;
    phase = Phase::Backward;
    StorageIndex dlogits = elementwise(
        "loss.backward", {logits, targets, loss[1]}, {"dlogits", tv});
    headGradient = gemm("logits.dw", ln[0], dlogits, {"dw", o.vocabulary * h},
                        linearFlops(h, o.vocabulary));
    StorageIndex dln = gemm("logits.dx", dlogits, wte, {"dln", th},
                            linearFlops(h, o.vocabulary));
    return normBackward("ln.backward", x, ln[1], lnw, dln, kNone, "dx",
                        "dln.w");
  }

  /// Gradient through a norm, with the residual branch's gradient added.
  StorageIndex normBackward(const char *name, StorageIndex x,
                            StorageIndex stats, StorageIndex weight,
                            StorageIndex gradient, StorageIndex residual,
                            const char *resultName,
                            const char *weightGradientName) {
    std::vector<StorageIndex> inputs = {x, stats, weight, gradient};
    if (residual != kNone)
      inputs.push_back(residual);
    std::vector<StorageIndex> r = run(
        name, inputs,
        {{resultName, tokens * o.hidden}, {weightGradientName, 2 * o.hidden}},
        0, OpClass::Normalization);
    weightGradient(weight, r[1]);
    return r[0];
  }

  StorageIndex backwardLayer(int32_t l, StorageIndex dy) {
    const int64_t h = o.hidden, th = tokens * h;
    prefix = "h" + std::to_string(l) + ".";
    block = l;
    Layer &a = layers[l];
    StorageIndex dm =
        dropoutBackward("mlp.dropout.backward", dy, a.mask3, {"dmlp", th});
    weightGradient(a.fc2w,
                   gemm("fc2.dw", a.gelu, dm, {"dfc2.w", h * (4 * h + 1)},
                        linearFlops(4 * h, h)));
    StorageIndex dgelu =
        gemm("fc2.dx", dm, a.fc2w, {"dgelu", 4 * th}, linearFlops(4 * h, h));
    StorageIndex dfc1 =
        elementwise("gelu.backward", {a.fc1, dgelu}, {"dfc1", 4 * th});
    weightGradient(a.fc1w,
                   gemm("fc1.dw", a.ln2, dfc1, {"dfc1.w", 4 * h * (h + 1)},
                        linearFlops(h, 4 * h)));
    StorageIndex dln2 =
        gemm("fc1.dx", dfc1, a.fc1w, {"dln2", th}, linearFlops(h, 4 * h));
    StorageIndex dx1 = normBackward("ln2.backward", a.x1, a.stats2, a.ln2w,
                                    dln2, dy, "dx1", "dln2.w");
    StorageIndex dp =
        dropoutBackward("proj.dropout.backward", dx1, a.mask2, {"dproj", th});
    weightGradient(a.projw, gemm("proj.dw", a.context, dp,
                                 {"dproj.w", h * (h + 1)}, linearFlops(h, h)));
    StorageIndex dcontext =
        gemm("proj.dx", dp, a.projw, {"dcontext", th}, linearFlops(h, h));
    StorageIndex dqkv = attentionBackward(a, dcontext);
    weightGradient(a.qkvw,
                   gemm("qkv.dw", a.ln1, dqkv, {"dqkv.w", 3 * h * (h + 1)},
                        linearFlops(h, 3 * h)));
    StorageIndex dln1 =
        gemm("qkv.dx", dqkv, a.qkvw, {"dln1", th}, linearFlops(h, 3 * h));
    return normBackward("ln1.backward", a.x, a.stats1, a.ln1w, dln1, dx1, "dx",
                        "dln1.w");
  }

  StorageIndex attentionBackward(Layer &a, StorageIndex dcontext) {
    const int64_t th = tokens * o.hidden;
    if (!o.unfusedAttention)
      return run("attention.backward", {a.qkv, a.context, a.lse, dcontext},
                 {{"dqkv", 3 * th}}, 5 * attentionFlops(),
                 OpClass::Attention)[0];
    StorageIndex dv =
        gemm("context.dv", a.dropped1, dcontext, {"dv", th}, attentionFlops());
    StorageIndex dd = gemm("context.dp", dcontext, a.qkv, {"ddropped", scores},
                           attentionFlops());
    StorageIndex dp = dropoutBackward("attention.dropout.backward", dd, a.mask1,
                                      {"dprobabilities", scores});
    StorageIndex ds = elementwise("softmax.backward", {a.probabilities, dp},
                                  {"dscores", scores});
    StorageIndex dqk = run("scores.backward", {ds, a.qkv}, {{"dqk", 2 * th}},
                           2 * attentionFlops(), OpClass::Gemm)[0];
    return elementwise("dqkv.concat", {dqk, dv}, {"dqkv", 3 * th});
  }

  /// The gradient of a parameter is final: it leaves the step, or an update
  /// after the backward phase consumes it.
  void weightGradient(StorageIndex weight, StorageIndex gradient) {
    builder.storage(gradient).category = Category::Gradient;
    if (o.optimizer)
      updates.emplace_back(weight, gradient);
    else
      builder.storage(gradient).output = true;
  }

  void addUpdate(StorageIndex weight, StorageIndex gradient) {
    const std::string name = builder.storage(weight).name;
    const int64_t bytes = builder.storage(weight).bytes;
    const int64_t stateBytes = bytes / o.elementBytes * 4;
    StorageIndex m =
        builder.addInitial(name + ".m", stateBytes, Category::OptimizerState);
    StorageIndex v =
        builder.addInitial(name + ".v", stateBytes, Category::OptimizerState);
    OpIndex update = builder.addOp(name + ".adamw", {weight, m, v, gradient}, 0,
                                   phase, OpClass::Optimizer);
    Op &op = builder.op(update);
    op.kind = "adamw";
    op.recomputable = false;
    op.flops = 12.0 * double(bytes / o.elementBytes);
    // Reads all four operands, writes three of them back.
    op.cost = double(3 * bytes + 4 * stateBytes) / kBytesPerMicrosecond +
              kLaunchMicroseconds;
    for (StorageIndex old : {weight, m, v}) {
      Category category = builder.storage(old).category;
      StorageIndex fresh =
          builder.addResult(update, builder.storage(old).name + ".new",
                            builder.storage(old).bytes, category);
      builder.addInPlace(update, old, fresh, true);
    }
  }

  const GptOptions o;
  ProblemBuilder builder;
  const int64_t tokens, scores;
  std::string prefix;
  int32_t block = kNone;
  Phase phase = Phase::Forward;
  std::vector<Layer> layers;
  std::vector<std::pair<StorageIndex, StorageIndex>> updates;
  StorageIndex targets = kNone, wte = kNone, headGradient = kNone;
};

/// Ops of a step of one layer and of every further layer.
struct LayerOps {
  int64_t one, further;
};

/// Ops are linear in layers, so two steps give the line; sizes do not matter.
LayerOps countOps(GptOptions options) {
  options.hidden = options.heads = options.sequence = options.batch =
      options.vocabulary = 1;
  options.layers = 1;
  int64_t one = int64_t(GptBuilder(options).build().ops.size());
  options.layers = 2;
  return {one, int64_t(GptBuilder(options).build().ops.size()) - one};
}

} // namespace

Status checkGptOptions(const GptOptions &o, int64_t maxOps) {
  const std::pair<const char *, int64_t> sizes[] = {
      {"layers", o.layers}, {"hidden", o.hidden}, {"heads", o.heads},
      {"seq", o.sequence},  {"batch", o.batch},   {"vocab", o.vocabulary}};
  for (auto [name, size] : sizes)
    if (size < 1)
      return Error::badInput(std::string(name) + " is " + std::to_string(size) +
                             "; it must be at least 1");
  if (o.hidden % o.heads != 0)
    return Error::badInput("hidden size " + std::to_string(o.hidden) +
                           " is not a multiple of " + std::to_string(o.heads) +
                           " heads; choose heads that divide it");
  // Per layer about 21 sizes of tokens x hidden, 6 of the scores and 32 of
  // hidden x hidden (gradients and state included); doubles cannot overflow.
  const double h = double(o.hidden), tokens = double(o.batch) * o.sequence;
  const double scores = tokens * double(o.sequence) * double(o.heads);
  const double layer = 80 * tokens * h + 8 * scores + 200 * h * h;
  const double bytes =
      4 * (double(o.layers) * layer + 4 * tokens * double(o.vocabulary) +
           20 * double(o.vocabulary + o.sequence) * h);
  if (!(bytes < 0x1p60)) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1e", bytes);
    return Error::badInput("the step would hold about " + std::string(text) +
                           " bytes, above 2^60; give smaller sizes");
  }
  const LayerOps count = countOps(o);
  const int64_t ops = count.one + (o.layers - 1) * count.further;
  if (ops > maxOps)
    return Error::badInput(std::to_string(o.layers) + " layers make " +
                           std::to_string(ops) + " ops but at most " +
                           std::to_string(maxOps) +
                           " are generated; give fewer layers");
  return Status::success();
}

Problem makeGptStep(const GptOptions &options) {
  return GptBuilder(options).build();
}

GptOptions gptOptionsForOps(int64_t ops, GptOptions options) {
  LayerOps count = countOps(options);
  int64_t layers = 1 + (ops - count.one + count.further / 2) / count.further;
  options.layers = int32_t(std::clamp<int64_t>(layers, 1, 1 << 30));
  return options;
}

} // namespace ringi::planner
