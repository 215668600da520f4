//===- OneDnnGemm.cpp - The onednn GEMM provider ----------------*- C++ -*-===//
//
// Part of Ringi. Not in this build.
//
//===----------------------------------------------------------------------===//

#include "bind/Bind.h"

using namespace ringi;
using namespace ringi::runtime;

Expected<std::unique_ptr<GemmBinder>> runtime::makeOneDnnGemm(int) {
  return Error::badInput("this build has no GEMM provider 'onednn'; install "
                         "libdnnl-dev and configure again, or use ref");
}
