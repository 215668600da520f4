//===- DeepNet.cpp - A chain of residual blocks -----------------*- C++ -*-===//
//
// Part of Ringi. Equal blocks of linear, gelu, linear and a residual sum: the
// model on which checkpointing strategies are easiest to compare by hand.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include <cmath>

using namespace mlir;

namespace ringi::model {

OwningOpRef<ModuleOp> buildDeepNet(MLIRContext *context, FloatType dtype,
                                   const DeepNetConfig &config) {
  ModelBuilder model(context, "deepnet", dtype);
  Value x = model.floats("x", "input", {config.batch, config.dim});
  Value target = model.floats("target", "target", {config.batch, config.dim});
  double scale = 1.0 / std::sqrt(double(config.dim));
  double residualScale = scale / std::sqrt(double(config.blocks));
  for (int64_t block = 0; block < config.blocks; ++block) {
    std::string name = "b" + std::to_string(block);
    x = model.block(name, [&] {
      Value y = model.linear(name + ".fc", x, config.dim, scale);
      y = GeluOp::create(model.ops(), model.loc(name + ".gelu"), y.getType(), y,
                         /*approximate_tanh=*/UnitAttr(),
                         /*inplace=*/UnitAttr())
              .getY();
      y = model.linear(name + ".proj", y, config.dim, residualScale);
      return model.add(name + ".residual", x, y);
    });
  }
  Value loss =
      MseOp::create(model.ops(), model.loc("loss"), x, target).getLoss();
  return model.finish(loss, config.batch);
}

} // namespace ringi::model
