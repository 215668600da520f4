//===- Mlp.cpp - Linear layers with relu ------------------------*- C++ -*-===//
//
// Part of Ringi. The smallest model with every part of a training step.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include <cmath>

using namespace mlir;

namespace ringi::model {

OwningOpRef<ModuleOp> buildMlp(MLIRContext *context, FloatType dtype,
                               const MlpConfig &config) {
  ModelBuilder model(context, "mlp", dtype);
  Value x = model.floats("x", "input", {config.batch, config.input});
  Value targets =
      model.tokens("targets", "target", {config.batch}, config.classes);
  int64_t in = config.input;
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    std::string name = "l" + std::to_string(layer);
    bool last = layer + 1 == config.layers;
    int64_t out = last ? config.classes : config.hidden;
    double scale = std::sqrt(2.0 / double(in));
    x = model.block(name, [&]() -> Value {
      Value y = model.linear(name, x, out, scale);
      if (last)
        return y;
      return ReluOp::create(model.ops(), model.loc(name + ".relu"), y.getType(),
                            y, /*inplace=*/UnitAttr())
          .getY();
    });
    in = out;
  }
  Value loss =
      CrossEntropyOp::create(model.ops(), model.loc("loss"), x, targets)
          .getLoss();
  return model.finish(loss, config.batch);
}

} // namespace ringi::model
