//===- ModelBuilder.h - One forward function, op by op ----------*- C++ -*-===//
//
// Part of Ringi. What the model writers share: parameters and inputs as
// function arguments with role, name and initialiser, layers as named blocks,
// and the few ops that models repeat.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_MODEL_MODELBUILDER_H
#define RINGI_TOOLS_MODEL_MODELBUILDER_H

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>

namespace ringi::model {

class ModelBuilder {
public:
  /// A module with one function `name` whose floating tensors have `dtype`.
  ModelBuilder(mlir::MLIRContext *context, llvm::StringRef name,
               mlir::FloatType dtype);

  /// A trained parameter, normally distributed with deviation `scale` around 0;
  /// `scale` 0 gives zeros.
  mlir::Value parameter(const std::string &name, llvm::ArrayRef<int64_t> shape,
                        double scale);
  /// A trained parameter that starts at one (the gain of a norm).
  mlir::Value gain(const std::string &name, int64_t size);
  /// Normally distributed floats with role `input` or `target`.
  mlir::Value floats(const std::string &name, llvm::StringRef role,
                     llvm::ArrayRef<int64_t> shape);
  /// i32 ids below `vocabulary` with role `input` or `target`.
  mlir::Value tokens(const std::string &name, llvm::StringRef role,
                     llvm::ArrayRef<int64_t> shape, int64_t vocabulary);

  /// A `ringi.block` around what `body` builds.
  mlir::Value block(const std::string &label,
                    const std::function<mlir::Value()> &body);
  /// x * weight + bias, weight `[in, out]` and bias named after `name`.
  mlir::Value linear(const std::string &name, mlir::Value x, int64_t out,
                     double scale);
  mlir::Value layerNorm(const std::string &name, mlir::Value x);
  /// Identity when the probability is 0; otherwise a dropout with its own id.
  mlir::Value dropout(const std::string &name, mlir::Value x,
                      double probability);
  mlir::Value add(const std::string &name, mlir::Value a, mlir::Value b);
  mlir::Value reshape(const std::string &name, mlir::Value x,
                      llvm::ArrayRef<int64_t> shape);

  mlir::OpBuilder &ops() { return builder; }
  mlir::Location loc(const std::string &name);
  mlir::RankedTensorType floatType(llvm::ArrayRef<int64_t> shape);

  /// Returns `loss` and closes the function. `tokensPerStep` is what throughput
  /// counts.
  mlir::OwningOpRef<mlir::ModuleOp> finish(mlir::Value loss,
                                           int64_t tokensPerStep);

private:
  mlir::Value argument(const std::string &name, llvm::StringRef role,
                       mlir::Type type, mlir::Attribute init);
  /// The i64 scalar argument `role` (seed or step), made on first use.
  mlir::Value scalar(llvm::StringRef role, mlir::Value &slot);

  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  mlir::FloatType dtype;
  llvm::SmallVector<mlir::DictionaryAttr> argumentAttributes;
  mlir::Value seed, step;
  int64_t nextRandomId = 0;
};

struct MlpConfig {
  int64_t layers = 3, input = 64, hidden = 128, classes = 10, batch = 32;
};

struct DeepNetConfig {
  int64_t blocks = 20, dim = 2048, batch = 16;
};

struct Gpt2Config {
  int64_t layers = 4, hidden = 64, heads = 4, seq = 64, batch = 4, vocab = 256;
  double dropout = 0.0;
  bool fusedAttention = false;
};

/// Linear-relu layers and a cross-entropy over classes.
mlir::OwningOpRef<mlir::ModuleOp> buildMlp(mlir::MLIRContext *context,
                                           mlir::FloatType dtype,
                                           const MlpConfig &config);
/// Residual linear-gelu-linear blocks and a squared error; each block a
/// `ringi.block`.
mlir::OwningOpRef<mlir::ModuleOp> buildDeepNet(mlir::MLIRContext *context,
                                               mlir::FloatType dtype,
                                               const DeepNetConfig &config);
/// GPT-2 with tied embeddings; each transformer layer a `ringi.block`. Dropout
/// stands where GPT-2 has it; fused attention has none on the probabilities.
mlir::OwningOpRef<mlir::ModuleOp> buildGpt2(mlir::MLIRContext *context,
                                            mlir::FloatType dtype,
                                            const Gpt2Config &config);

} // namespace ringi::model

#endif // RINGI_TOOLS_MODEL_MODELBUILDER_H
