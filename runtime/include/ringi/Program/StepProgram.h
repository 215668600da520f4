//===- StepProgram.h - The step program in memory and as a file -*- C++ -*-===//
//
// Part of Ringi. What the compiler's exporter fills in and the runtime
// executes: the object form of the FlatBuffers schema (StepProgramT, OpT,
// AttributesT,
// ...), its file with constant segments and checksums, and the sizes and names
// of its enums. The meaning of every field: docs/step-program.md.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PROGRAM_STEPPROGRAM_H
#define RINGI_PROGRAM_STEPPROGRAM_H

#include "ringi/Program/KernelWorkspace.h"
#include "ringi/Program/StepProgram_generated.h"
#include "ringi/Support/Expected.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ringi::program {

/// The only version that this library reads and writes.
inline constexpr uint32_t kStepProgramVersion = 1;

/// One constant: its raw bytes, in the order of StepProgramT::segments.
using SegmentData = std::vector<std::byte>;

/// A program and its constants.
struct ProgramFile {
  StepProgramT program;
  std::vector<SegmentData> segments;
};

/// Writes `program` and its constants. `program.segments` and `program.version`
/// are filled in by the writer; nothing else is changed or checked. The file
/// appears whole or not at all.
Status saveProgram(const StepProgramT &program,
                   const std::vector<SegmentData> &segments,
                   const std::string &path);

/// Reads a program and checks everything: sizes, checksums, FlatBuffers
/// structure and verifyProgram(). Errors have exit code 2.
Expected<ProgramFile> loadProgram(const std::string &path);

/// Reads a program and checks its file structure only. For tools that print
/// or repair programs; never run the result.
Expected<ProgramFile> readProgramUnverified(const std::string &path);

/// The bytes of the file that saveProgram() writes.
std::vector<std::byte>
serializeProgram(const StepProgramT &program,
                 const std::vector<SegmentData> &segments);

/// The same checks as readProgramUnverified(), on bytes in memory, which must
/// be aligned to 8; `place` names them in errors.
Expected<ProgramFile> parseProgram(const std::byte *bytes, size_t size,
                                   const std::string &place);

/// The semantic verifier (docs/step-program.md, "What the loader checks"):
/// recomputes every claim from the ops alone.
Status verifyProgram(const StepProgramT &program);

/// The checksum of segments and files: any changed 8-byte word changes it.
uint64_t checksum(const std::byte *bytes, size_t size);

//===----------------------------------------------------------------------===//
// Sizes and names
//===----------------------------------------------------------------------===//

/// Bits of one element; 0 for a number that is no element type.
int elementBits(ElementType type);

/// Unaligned bytes of a tensor (f4 packs two per byte); -1 when the type is
/// invalid or the size overflows.
int64_t tensorBytes(ElementType type, const std::vector<uint64_t> &shape);

bool isFloat(ElementType type);
/// Element type of statistics and scalars of `type` (S in docs/operations.md).
ElementType statisticsType(ElementType type);

/// Names as docs and reports write them: `f32`, `matmul`, `gemm`, `backward`,
/// `saved_activation`, `updated_parameter`, `tokens`. "?" for a bad number.
const char *toString(ElementType type);
const char *toString(OpKind kind);
const char *toString(OpClass opClass);
const char *toString(Phase phase);
const char *toString(Category category);
const char *toString(Role role);
const char *toString(Initializer initializer);

/// "f32[2x8]".
std::string toString(ElementType type, const std::vector<uint64_t> &shape);

/// "op 12 layer_norm at model.mlir:3:4 (block0)": how errors name an op.
std::string describeOp(const StepProgramT &program, size_t op);

/// Element type and shape of a value, as kernelWorkspaceBytes() takes it.
TensorShape shapeOf(const ValueT &value);

} // namespace ringi::program

#endif // RINGI_PROGRAM_STEPPROGRAM_H
