//===- InitAllRingi.h - Register everything ---------------------*- C++ -*-===//
//
// Part of Ringi. The two calls that an embedder, ringi-opt, the language server
// and the plugin make.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_INITALLRINGI_H
#define RINGI_INITALLRINGI_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace ringi {

/// Adds the ringi dialect and the external models of the upstream dialects.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers every pass and pipeline of Ringi; safe to call more than once.
void registerAllPasses();

} // namespace ringi

#endif // RINGI_INITALLRINGI_H
