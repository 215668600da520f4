//===- InputData.cpp - What the inputs of a program hold --------*- C++ -*-===//
//
// Part of Ringi. Random data is a function of (seed, input name, step,
// element). Files are read and checked whole before the first step.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/InputData.h"
#include "Numbers.h"
#include "ringi/Program/OpSignature.h"
#include "ringi/Runtime/StateFile.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;
using detail::loadElement;
using detail::storeElement;

namespace {

int64_t elementsOf(const ValueT &value) {
  int64_t count = 1;
  for (uint64_t dimension : value.shape)
    count *= static_cast<int64_t>(dimension);
  return count;
}

bool isInteger(ElementType type) {
  return type == ElementType::I64 || type == ElementType::I32 ||
         type == ElementType::I8;
}

/// The stream of one input. The key is not the one that dropout uses with the
/// same seed.
RandomTensor randomTensor(Initializer initializer, double scale,
                          ElementType type, uint64_t seed,
                          const std::string &name) {
  return {initializer, scale, type, seed ^ 0x52494E474900ull,
          uint32_t(checksum(reinterpret_cast<const std::byte *>(name.data()),
                            name.size()))};
}

/// Writes elements [first, last); first is a multiple of 4.
void fillRandom(const RandomTensor &tensor, int64_t step, int64_t first,
                int64_t last, std::byte *out) {
  for (int64_t i = first; i < last; i += 4) {
    uint64_t block = uint64_t(i) / 4;
    std::array<uint32_t, 4> words =
        detail::philox(tensor.key, {uint32_t(block), uint32_t(block >> 32),
                                    tensor.stream, uint32_t(step)});
    RandomNumbers numbers = randomNumbers(tensor, words.data());
    for (int64_t j = 0; j < 4 && i + j < last; ++j)
      storeElement(tensor.type, out, i + j, numbers.value[j]);
  }
}

class RandomSource : public InputSource {
public:
  RandomSource(const RandomTensor &tensor, int64_t count)
      : tensor(tensor), count(count) {}
  void produce(int64_t step, std::byte *out) override {
    fillRandom(tensor, step, 0, count, out);
  }
  bool changes() const override { return true; }

private:
  RandomTensor tensor;
  int64_t count;
};

/// Batches that follow one another in memory, from the first again after the
/// last.
class BatchSource : public InputSource {
public:
  BatchSource(std::vector<std::byte> bytes, int64_t batchBytes)
      : bytes(std::move(bytes)), batchBytes(batchBytes) {}
  void produce(int64_t step, std::byte *out) override {
    int64_t batches = int64_t(bytes.size()) / batchBytes;
    std::memcpy(out, bytes.data() + (step - 1) % batches * batchBytes,
                size_t(batchBytes));
  }
  bool changes() const override { return int64_t(bytes.size()) > batchBytes; }

private:
  std::vector<std::byte> bytes;
  int64_t batchBytes;
};

/// Byte-level tokens: row r of step s starts at byte ((s - 1) * rows + r) * T
/// of the text; targets are one byte further. The text repeats.
class TextSource : public InputSource {
public:
  TextSource(std::shared_ptr<const std::vector<std::byte>> text,
             const ValueT &value, int64_t shift)
      : text(std::move(text)), type(value.element_type),
        count(elementsOf(value)), shift(shift) {}
  void produce(int64_t step, std::byte *out) override {
    // Rows of one batch are contiguous, so that a batch is one piece of text.
    int64_t size = int64_t(text->size());
    int64_t at = ((step - 1) % size * (count % size) + shift) % size;
    for (int64_t i = 0; i < count; ++i) {
      storeElement(type, out, i, double(uint8_t((*text)[size_t(at)])));
      at = at + 1 == size ? 0 : at + 1;
    }
  }
  bool changes() const override { return true; }

private:
  std::shared_ptr<const std::vector<std::byte>> text;
  ElementType type;
  int64_t count, shift;
};

Expected<std::vector<std::byte>> readFile(const InputSpec &spec) {
  errno = 0;
  struct stat info;
  std::ifstream stream;
  bool isFile = stat(spec.path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (isFile)
    stream.open(spec.path, std::ios::binary);
  std::vector<std::byte> bytes(isFile ? size_t(info.st_size) : 0);
  stream.read(reinterpret_cast<char *>(bytes.data()),
              std::streamsize(bytes.size()));
  if (!isFile || !stream)
    return Error::badInput(
        "input '" + spec.name + "': cannot read '" + spec.path +
        "': " + (errno ? std::strerror(errno) : "not a regular file") +
        "; give a readable file");
  return bytes;
}

/// Raw bytes, or the tensor of the input's name; one batch or several.
Expected<std::vector<std::byte>>
readBatches(const InputSpec &spec, const ValueT &value, int64_t batchBytes) {
  std::string type = toString(value.element_type, value.shape);
  if (!spec.path.ends_with(".safetensors")) {
    Expected<std::vector<std::byte>> bytes = readFile(spec);
    if (bytes && (bytes->empty() || int64_t(bytes->size()) % batchBytes != 0))
      return Error::badInput(
          "input '" + spec.name + "': '" + spec.path + "' has " +
          std::to_string(bytes->size()) + " bytes, " + type + " needs " +
          std::to_string(batchBytes) + "; give one batch or several");
    return bytes;
  }
  Expected<StateFile> file = StateFile::open(spec.path);
  if (!file)
    return file.error();
  auto tensor = file->tensors().find(spec.name);
  if (tensor == file->tensors().end())
    return Error::badInput("input '" + spec.name + "': '" + spec.path +
                           "' has no tensor of that name among its " +
                           std::to_string(file->tensors().size()) +
                           "; save it under the input's name");
  std::vector<uint64_t> oneBatch = tensor->second.shape;
  if (oneBatch.size() == value.shape.size() + 1)
    oneBatch.erase(oneBatch.begin());
  if (tensor->second.type != value.element_type || oneBatch != value.shape ||
      tensor->second.bytes == 0)
    return Error::badInput(
        "input '" + spec.name + "': '" + spec.path + "' holds " +
        toString(tensor->second.type, tensor->second.shape) +
        ", the program takes " + type +
        "; give that shape, or several batches along a new first dimension");
  std::vector<std::byte> bytes(tensor->second.bytes);
  if (Status status = file->read(tensor->second, bytes.data()); !status)
    return status.error();
  return bytes;
}

/// What an input or target holds when nothing is said: normal floats and tokens
/// below the vocabulary. An initializer that says more is followed.
RandomTensor defaultRandom(const ProgramFile &file, size_t index,
                           uint64_t seed) {
  const InputT &input = *file.program.inputs[index];
  const ValueT &value = *file.program.values[input.value];
  Initializer initializer = input.initializer;
  double scale = input.init_scale;
  int64_t vocabulary = vocabularyOf(file.program, index);
  if (initializer == Initializer::Zeros) {
    initializer = isInteger(value.element_type) ? Initializer::Tokens
                                                : Initializer::Normal;
    scale = vocabulary != INT64_MAX ? double(vocabulary) : 1;
  } else if (initializer == Initializer::Tokens) {
    scale = std::min(scale, double(vocabulary));
  }
  return randomTensor(initializer, scale, value.element_type, seed, input.name);
}

} // namespace

Expected<InputSpec> runtime::parseInputSpec(const std::string &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return Error::badInput("cannot read --input '" + text +
                           "'; give name=file, name=random or "
                           "name=bytes:file");
  InputSpec spec;
  spec.name = text.substr(0, equals);
  std::string source = text.substr(equals + 1);
  if (source == "random") {
    spec.kind = InputSpec::Kind::Random;
  } else if (source.starts_with("bytes:")) {
    spec.kind = InputSpec::Kind::Bytes;
    spec.path = source.substr(6);
  } else {
    spec.kind = InputSpec::Kind::File;
    spec.path = source;
  }
  return spec;
}

int64_t runtime::vocabularyOf(const StepProgramT &program, size_t input) {
  auto rangeOf = [&](uint32_t index) {
    const ValueT &value = *program.values[index];
    uint64_t begin = program.buffers[value.buffer]->offset + value.byte_offset;
    return std::pair(
        begin, begin + uint64_t(tensorBytes(value.element_type, value.shape)));
  };
  auto [begin, end] = rangeOf(program.inputs[input]->value);
  uint32_t buffer = program.values[program.inputs[input]->value]->buffer;
  int64_t vocabulary = INT64_MAX;
  for (const auto &op : program.ops) {
    int ids = indexOperand(op->kind);
    if (ids < 0)
      continue;
    int64_t limit = 0;
    switch (op->kind) {
    case OpKind::Embedding:
      limit = int64_t(program.values[op->operands[1]]->shape[0]);
      break;
    case OpKind::EmbeddingBackward:
      limit = int64_t(program.values[op->results[0]]->shape[0]);
      break;
    default: // Classes of the logits, which come before the targets.
      limit = int64_t(program.values[op->operands[ids - 1]]->shape.back());
    }
    // By bytes: the op may read a reshaped or sliced view of the input.
    auto [opBegin, opEnd] = rangeOf(op->operands[ids]);
    if (program.values[op->operands[ids]]->buffer == buffer && opBegin < end &&
        begin < opEnd)
      vocabulary = std::min(vocabulary, limit);
  }
  return vocabulary;
}

Status runtime::checkIndices(const StepProgramT &program, size_t input,
                             const std::byte *bytes, int64_t size,
                             const std::string &origin) {
  ElementType type = program.values[program.inputs[input]->value]->element_type;
  int64_t vocabulary = vocabularyOf(program, input);
  if (!isInteger(type) || vocabulary == INT64_MAX)
    return Status::success();
  for (int64_t i = 0; i < size * 8 / elementBits(type); ++i) {
    double token = loadElement(type, bytes, i);
    if (token < 0 || token >= double(vocabulary))
      return Error::badInput(
          "input '" + program.inputs[input]->name + "': token " +
          std::to_string(int64_t(token)) + " at element " + std::to_string(i) +
          " of '" + origin + "' is outside the vocabulary of " +
          std::to_string(vocabulary) + "; give tokens from 0 to " +
          std::to_string(vocabulary - 1));
  }
  return Status::success();
}

Expected<std::vector<std::unique_ptr<InputSource>>>
runtime::makeInputSources(const ProgramFile &file,
                          const std::vector<InputSpec> &specs, uint64_t seed) {
  const StepProgramT &program = file.program;
  auto isData = [&](size_t i) {
    return program.inputs[i]->role == Role::Input ||
           program.inputs[i]->role == Role::Target;
  };
  auto valueOf = [&](size_t i) -> const ValueT & {
    return *program.values[program.inputs[i]->value];
  };
  std::vector<const InputSpec *> chosen(program.inputs.size());
  for (const InputSpec &spec : specs) {
    size_t index = 0;
    std::string known;
    for (; index < program.inputs.size(); ++index) {
      if (!isData(index))
        continue;
      if (program.inputs[index]->name == spec.name)
        break;
      known += (known.empty() ? "" : ", ") + program.inputs[index]->name;
    }
    if (index == program.inputs.size())
      return Error::badInput("the program has no input '" + spec.name +
                             "'; its inputs are: " + known);
    if (chosen[index])
      return Error::badInput("input '" + spec.name +
                             "' is given twice; give it once");
    chosen[index] = &spec;
  }
  // bytes: on an input also gives the next bytes to its targets.
  for (const InputSpec &spec : specs)
    for (size_t i = 0; i < program.inputs.size(); ++i)
      if (spec.kind == InputSpec::Kind::Bytes &&
          program.inputs[i]->name == spec.name &&
          program.inputs[i]->role == Role::Input)
        for (size_t t = 0; t < program.inputs.size(); ++t)
          if (program.inputs[t]->role == Role::Target && !chosen[t] &&
              isInteger(valueOf(t).element_type) &&
              valueOf(t).shape == valueOf(i).shape)
            chosen[t] = &spec;

  std::vector<std::unique_ptr<InputSource>> sources(program.inputs.size());
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (!isData(i))
      continue;
    const InputT &input = *program.inputs[i];
    const ValueT &value = valueOf(i);
    int64_t bytes = tensorBytes(value.element_type, value.shape);
    if (!chosen[i] || chosen[i]->kind == InputSpec::Kind::Random) {
      if (!chosen[i] && input.initializer == Initializer::Data) {
        const SegmentData &data = file.segments[size_t(input.segment)];
        if (Status status =
                checkIndices(program, i, data.data(), bytes, program.name);
            !status)
          return status.error();
        sources[i] = std::make_unique<BatchSource>(data, bytes);
        continue;
      }
      sources[i] = std::make_unique<RandomSource>(defaultRandom(file, i, seed),
                                                  elementsOf(value));
      continue;
    }
    InputSpec spec = *chosen[i];
    spec.name = input.name;
    if (spec.kind == InputSpec::Kind::File) {
      Expected<std::vector<std::byte>> batches =
          readBatches(spec, value, bytes);
      if (!batches)
        return batches.error();
      if (Status status = checkIndices(program, i, batches->data(),
                                       int64_t(batches->size()), spec.path);
          !status)
        return status.error();
      sources[i] = std::make_unique<BatchSource>(std::move(*batches), bytes);
      continue;
    }
    if (value.element_type != ElementType::I32 &&
        value.element_type != ElementType::I64)
      return Error::badInput("input '" + input.name + "' is " +
                             toString(value.element_type, value.shape) +
                             ", bytes: gives i32 or i64 tokens; give a raw or "
                             "safetensors file");
    Expected<std::vector<std::byte>> text = readFile(spec);
    if (!text)
      return text.error();
    if (text->empty())
      return Error::badInput("input '" + input.name + "': '" + spec.path +
                             "' has 0 bytes; give a text of 1 byte or more");
    int64_t vocabulary = vocabularyOf(program, i);
    for (size_t at = 0; at < text->size(); ++at)
      if (int64_t token = uint8_t((*text)[at]); token >= vocabulary)
        return Error::badInput(
            "input '" + input.name + "': token " + std::to_string(token) +
            " at byte " + std::to_string(at) + " of '" + spec.path +
            "' is outside the vocabulary of " + std::to_string(vocabulary) +
            "; train a model with a vocabulary of 256");
    sources[i] = std::make_unique<TextSource>(
        std::make_shared<const std::vector<std::byte>>(std::move(*text)), value,
        input.role == Role::Target ? 1 : 0);
  }
  return sources;
}

RandomTensor runtime::initialTensor(const StepProgramT &program, size_t input,
                                    uint64_t seed) {
  const InputT &description = *program.inputs[input];
  return randomTensor(description.initializer, description.init_scale,
                      program.values[description.value]->element_type, seed,
                      description.name);
}

void runtime::initializeInput(const ProgramFile &file, size_t input,
                              uint64_t seed, std::byte *out) {
  const InputT &description = *file.program.inputs[input];
  const ValueT &value = *file.program.values[description.value];
  int64_t bytes = tensorBytes(value.element_type, value.shape);
  if (description.initializer == Initializer::Data)
    return void(std::memcpy(
        out, file.segments[size_t(description.segment)].data(), size_t(bytes)));
  if (description.initializer == Initializer::Zeros)
    return void(std::memset(out, 0, size_t(bytes)));

  RandomTensor tensor = initialTensor(file.program, input, seed);
  int64_t count = elementsOf(value);
  constexpr int64_t kWorthThreads = 1 << 20;
  int64_t threads =
      count < kWorthThreads
          ? 1
          : std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 64);
  int64_t share = (count / threads + 4) / 4 * 4;
  std::vector<std::thread> workers;
  for (int64_t first = share; first < count; first += share)
    workers.emplace_back([&, first] {
      fillRandom(tensor, 0, first, std::min(count, first + share), out);
    });
  fillRandom(tensor, 0, 0, std::min(count, share), out);
  for (std::thread &worker : workers)
    worker.join();
}
