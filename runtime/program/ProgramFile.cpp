//===- ProgramFile.cpp - Reading and writing .rgp files ---------*- C++ -*-===//
//
// Part of Ringi. Layout: a plain FlatBuffer (so that flatc reads the file too),
// the constant segments at multiples of the alignment, and a 32-byte trailer
// with the FlatBuffer's size, the file's size and a checksum of everything
// before the checksum. The trailer comes last so that a truncated file is seen
// as such before one byte of it is interpreted.
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/StepProgram.h"
#include "ringi/Support/PartialFile.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/stat.h>

using namespace ringi;
using namespace ringi::program;

namespace {

struct Trailer {
  uint64_t flatBufferBytes;
  uint64_t fileBytes;
  uint64_t checksum;
  char magic[8];
};
static_assert(sizeof(Trailer) == 32);
constexpr char kMagic[8] = {'R', 'I', 'N', 'G', 'I', 'E', 'N', 'D'};
/// The checksum and what follows it.
constexpr size_t kUnsummed = 16;

uint64_t alignTo(uint64_t size, uint64_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

/// Strings and vectors of a FlatBuffer may share bytes, so that a small file
/// can unpack to terabytes. Ours never share: what unpacks larger than the file
/// is refused.
class UnpackedSize {
public:
  explicit UnpackedSize(const StepProgram &program) {
    text(program.name());
    each(program.buffers(), [&](const Buffer &b) { text(b.name()); });
    each(program.values(), [&](const Value &v) {
      text(v.name());
      vector(v.shape());
    });
    each(program.ops(), [&](const Op &op) {
      vector(op.operands());
      vector(op.results());
      text(op.block());
      text(op.location());
      if (op.attributes())
        vector(op.attributes()->dims());
    });
    each(program.inputs(), [&](const Input &i) { text(i.name()); });
    each(program.outputs(), [&](const Output &o) { text(o.name()); });
    each(program.segments(), [](const Segment &) {});
    if (const Claims *claims = program.claims()) {
      text(claims->strategy());
      vector(claims->planned_peak());
      vector(claims->categories_at_peak());
    }
  }
  uint64_t bytes = 0;
  /// FlatBuffers' own verifier checks a vector's length field only, so that
  /// 8-byte elements may lie at addresses that cannot be read as such.
  bool aligned = true;

private:
  void text(const flatbuffers::String *s) { bytes += s ? s->size() : 0; }
  template <typename V> void vector(const V *v) {
    constexpr size_t width = sizeof(typename V::return_type);
    if (!v)
      return;
    bytes += uint64_t(v->size()) * width;
    if (reinterpret_cast<uintptr_t>(v->Data()) % width != 0)
      aligned = false;
  }
  template <typename V, typename F> void each(const V *v, F visit) {
    if (!v)
      return;
    bytes += uint64_t(v->size()) * sizeof(flatbuffers::uoffset_t);
    for (auto element : *v)
      if (element)
        visit(*element);
  }
};

Error damaged(const std::string &place, const std::string &what) {
  return Error::badInput("'" + place + "' " + what +
                         "; export the program again");
}

} // namespace

uint64_t program::checksum(const std::byte *bytes, size_t size) {
  // Every step is a bijection of the state for a fixed word and of the word for
  // a fixed state, so that one changed word always changes the result.
  constexpr uint64_t prime = 0x9E3779B97F4A7C15ull;
  uint64_t state = 0x52494E4749ull ^ size;
  auto mix = [&](uint64_t word) {
    state = (state ^ word) * prime;
    state ^= state >> 32;
  };
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    mix(word);
  }
  uint64_t tail = 0;
  if (i < size)
    std::memcpy(&tail, bytes + i, size - i);
  mix(tail);
  mix(size);
  return state;
}

std::vector<std::byte>
program::serializeProgram(const StepProgramT &program,
                          const std::vector<SegmentData> &segments) {
  StepProgramT copy(program);
  copy.version = kStepProgramVersion;
  copy.segments.clear();
  uint64_t alignment = copy.alignment ? copy.alignment : 1;
  uint64_t end = 0;
  for (const SegmentData &data : segments) {
    auto segment = std::make_unique<SegmentT>();
    segment->offset = alignTo(end, alignment);
    segment->bytes = data.size();
    segment->checksum = checksum(data.data(), data.size());
    end = segment->offset + segment->bytes;
    copy.segments.push_back(std::move(segment));
  }

  flatbuffers::FlatBufferBuilder builder(1 << 16);
  FinishStepProgramBuffer(builder, StepProgram::Pack(builder, &copy));
  uint64_t base = alignTo(builder.GetSize(), alignment);
  std::vector<std::byte> file(alignTo(base + end, 8) + sizeof(Trailer));
  std::memcpy(file.data(), builder.GetBufferPointer(), builder.GetSize());
  for (size_t i = 0; i < segments.size(); ++i)
    if (!segments[i].empty())
      std::memcpy(file.data() + base + copy.segments[i]->offset,
                  segments[i].data(), segments[i].size());

  Trailer trailer{};
  trailer.flatBufferBytes = builder.GetSize();
  trailer.fileBytes = file.size();
  std::memcpy(trailer.magic, kMagic, sizeof(kMagic));
  std::byte *fileEnd = file.data() + file.size();
  std::memcpy(fileEnd - sizeof(Trailer), &trailer, sizeof(Trailer));
  trailer.checksum = checksum(file.data(), file.size() - kUnsummed);
  std::memcpy(fileEnd - sizeof(Trailer), &trailer, sizeof(Trailer));
  return file;
}

Status program::saveProgram(const StepProgramT &program,
                            const std::vector<SegmentData> &segments,
                            const std::string &path) {
  std::vector<std::byte> file = serializeProgram(program, segments);
  std::string partial = partialPath(path);
  auto fail = [&](int code) {
    discardPartial(partial, path);
    return Error::badInput("cannot write '" + path +
                           "': " + std::strerror(code) +
                           "; choose a writable path with " +
                           std::to_string(file.size()) + " bytes free");
  };
  errno = 0;
  std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
  if (!stream)
    return fail(errno ? errno : EIO);
  stream.write(reinterpret_cast<const char *>(file.data()),
               static_cast<std::streamsize>(file.size()));
  stream.close();
  if (!stream)
    return fail(errno ? errno : EIO);
  if (!publishPartial(partial, path))
    return fail(errno);
  return Status::success();
}

Expected<ProgramFile> program::parseProgram(const std::byte *bytes, size_t size,
                                            const std::string &place) {
  if (size < sizeof(Trailer) + 16)
    return damaged(place, "is no step program: " + std::to_string(size) +
                              " bytes are too few");
  const auto *data = reinterpret_cast<const uint8_t *>(bytes);
  if (!StepProgramBufferHasIdentifier(data))
    return Error::badInput("'" + place +
                           "' is no step program: bytes 4 to 7 are not "
                           "\"RNGP\"; make one with ringi-opt "
                           "--ringi-export-program");
  Trailer trailer;
  std::memcpy(&trailer, bytes + size - sizeof(Trailer), sizeof(Trailer));
  if (std::memcmp(trailer.magic, kMagic, sizeof(kMagic)) != 0)
    return damaged(place, "is truncated or damaged: its " +
                              std::to_string(size) +
                              " bytes do not end in a trailer");
  if (trailer.fileBytes != size)
    return damaged(place, "is truncated or damaged: " + std::to_string(size) +
                              " bytes, its trailer says " +
                              std::to_string(trailer.fileBytes));
  uint64_t payload = size - sizeof(Trailer);
  if (checksum(bytes, size - kUnsummed) != trailer.checksum)
    return damaged(place, "is damaged: its checksum does not match");
  if (trailer.flatBufferBytes > payload || trailer.flatBufferBytes < 16)
    return damaged(place, "is damaged: its FlatBuffer of " +
                              std::to_string(trailer.flatBufferBytes) +
                              " bytes exceeds the " + std::to_string(payload) +
                              " bytes before the trailer");
  if (trailer.flatBufferBytes >= FLATBUFFERS_MAX_BUFFER_SIZE)
    return damaged(place, "has a FlatBuffer of " +
                              std::to_string(trailer.flatBufferBytes) +
                              " bytes, more than 2 GiB");

  // Every table takes at least four bytes, so that this bound refuses nothing
  // that fits the file.
  flatbuffers::Verifier verifier(data, trailer.flatBufferBytes, /*depth=*/16,
                                 /*max_tables=*/trailer.flatBufferBytes / 4);
  if (!VerifyStepProgramBuffer(verifier))
    return damaged(place, "is damaged: its tables do not verify");
  const StepProgram *root = GetStepProgram(data);
  if (root->version() != kStepProgramVersion)
    return Error::badInput(
        "'" + place + "' has step program version " +
        std::to_string(root->version()) + ", this build reads version " +
        std::to_string(kStepProgramVersion) + "; export the program again");
  UnpackedSize unpacked(*root);
  if (!unpacked.aligned)
    return damaged(place, "is damaged: its tables are not aligned");
  if (unpacked.bytes > trailer.flatBufferBytes)
    return damaged(place, "is damaged: its tables share bytes");

  ProgramFile result;
  root->UnPackTo(&result.program);
  uint64_t alignment = result.program.alignment ? result.program.alignment : 1;
  uint64_t base = alignTo(trailer.flatBufferBytes, alignment);
  for (size_t i = 0; i < result.program.segments.size(); ++i) {
    const auto &segment = result.program.segments[i];
    std::string name = "segment " + std::to_string(i);
    if (!segment)
      return damaged(place, "is damaged: " + name + " is missing");
    uint64_t available = base <= payload ? payload - base : 0;
    if (segment->offset > available ||
        segment->bytes > available - segment->offset)
      return damaged(place,
                     "is damaged: " + name + " of " +
                         std::to_string(segment->bytes) + " bytes at offset " +
                         std::to_string(segment->offset) + " exceeds the " +
                         std::to_string(available) + " bytes of constants");
    const std::byte *begin = bytes + base + segment->offset;
    if (checksum(begin, segment->bytes) != segment->checksum)
      return damaged(place,
                     "is damaged: the checksum of " + name + " does not match");
    if (i > 0 && segment->offset < result.program.segments[i - 1]->offset +
                                       result.program.segments[i - 1]->bytes)
      return damaged(place,
                     "is damaged: " + name + " overlaps the segment before it");
    result.segments.emplace_back(begin, begin + segment->bytes);
  }
  return result;
}

Expected<ProgramFile> program::readProgramUnverified(const std::string &path) {
  errno = 0;
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return Error::badInput("cannot read '" + path +
                           "': " + std::strerror(errno) +
                           "; give the path of a step program (.rgp)");
  if (!S_ISREG(info.st_mode))
    return Error::badInput("cannot read '" + path +
                           "': not a regular file; give the path of a step "
                           "program (.rgp)");
  std::ifstream stream(path, std::ios::binary);
  std::vector<std::byte> bytes(static_cast<size_t>(info.st_size));
  stream.read(reinterpret_cast<char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  if (!stream || stream.gcount() != static_cast<std::streamsize>(bytes.size()))
    return Error::badInput("cannot read '" + path + "': " +
                           (errno ? std::strerror(errno) : "read error") +
                           "; give the path of a step program (.rgp)");
  return parseProgram(bytes.data(), bytes.size(), path);
}
