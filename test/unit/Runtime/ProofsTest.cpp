//===- ProofsTest.cpp - Every proof passes, and can fail ------------------===//
//
// Part of Ringi. The proofs on a sound program; then one broken kernel per
// proof, which that proof must find.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/Proofs.h"
#include "RuntimeTestSupport.h"
#include "ringi/Runtime/AllocationCounter.h"
#include "ringi/Runtime/Checks.h"

#include <cstring>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::program::test;
using namespace ringi::runtime;
using namespace ringi::runtime::test;

namespace {

using Verdict = Proof::Verdict;

ProgramFile make(const PerceptronOptions &options = {}) {
  ProgramBuilder builder = perceptron(options);
  ProgramFile file = std::move(builder.finish());
  Status status = verifyProgram(file.program);
  EXPECT_TRUE(status) << status.error().message;
  return file;
}

const Proof &find(const PeakProofs &proofs, const std::string &name) {
  for (const Proof &proof : proofs.proofs)
    if (proof.name == name)
      return proof;
  ADD_FAILURE() << "no proof " << name;
  return proofs.proofs[0];
}

/// Expects that exactly `name` (and those in `also`) fail with this op broken.
void expectOnly(const std::string &name, size_t op, const Fault &fault,
                const std::string &detail,
                const std::vector<std::string> &also = {}) {
  ProgramFile file = make({.recompute = true});
  FaultyDevice device(op, fault);
  Expected<PeakProofs> proofs = provePeak(file, device, {});
  ASSERT_TRUE(proofs) << proofs.error().message;
  for (const Proof &proof : proofs->proofs) {
    bool expected = proof.name == name || std::find(also.begin(), also.end(),
                                                    proof.name) != also.end();
    if (proof.verdict == Verdict::Unavailable)
      continue;
    EXPECT_EQ(proof.verdict == Verdict::Failed, expected)
        << proof.name << ": " << proof.detail;
  }
  EXPECT_NE(find(*proofs, name).detail.find(detail), std::string::npos)
      << find(*proofs, name).detail;
}

TEST(Proofs, HoldForEveryVariant) {
  for (bool recompute : {false, true})
    for (ElementType type :
         {ElementType::F32, ElementType::BF16, ElementType::F64}) {
      ProgramFile file = make({recompute, OpKind::AdamW, type});
      std::unique_ptr<Device> device = host();
      Expected<PeakProofs> proofs = provePeak(file, *device, {});
      ASSERT_TRUE(proofs) << proofs.error().message;
      EXPECT_EQ(proofs->measuredPeak,
                int64_t(file.program.claims->planned_peak[0]));
      EXPECT_EQ(proofs->proofs.size(), 5u);
      for (const Proof &proof : proofs->proofs)
        EXPECT_NE(proof.verdict, Verdict::Failed)
            << proof.name << ": " << proof.detail;
    }
}

TEST(Proofs, FenceHolds) {
  ProgramFile file = make();
  Proof proof = proveFence(
      file, {}, [] { return makeHostDevice({.threads = 1, .gemm = "ref"}); });
  EXPECT_EQ(proof.verdict, Verdict::Passed) << proof.detail;
  EXPECT_NE(proof.detail.find("the byte after it faults"), std::string::npos);
}

TEST(Proofs, FenceCatchesTheFirstByteBehindTheArena) {
  ProgramFile file = make();
  for (int64_t distance : {0, 1, 4096, 1 << 20}) {
    Proof proof =
        proveFence(file, {}, [&]() -> Expected<std::unique_ptr<Device>> {
          return std::unique_ptr<Device>(std::make_unique<FaultyDevice>(
              3, [=](const OpCall &, Arena &arena, BoundOp &real) {
                real.launch();
                const_cast<volatile std::byte *>(
                    arena.data())[arena.bytes() + distance] = std::byte(1);
              }));
        });
    EXPECT_EQ(proof.verdict, Verdict::Failed);
    EXPECT_NE(proof.detail.find(
                  "op 3 matmul touched byte " +
                  std::to_string(int64_t(file.program.claims->planned_peak[0]) +
                                 distance)),
              std::string::npos)
        << proof.detail;
  }
}

TEST(Proofs, FenceCatchesReadsToo) {
  ProgramFile file = make();
  Proof proof = proveFence(file, {}, []() -> Expected<std::unique_ptr<Device>> {
    return std::unique_ptr<Device>(std::make_unique<FaultyDevice>(
        0, [](const OpCall &, Arena &arena, BoundOp &real) {
          real.launch();
          (void)const_cast<volatile std::byte *>(arena.data())[arena.bytes()];
        }));
  });
  EXPECT_EQ(proof.verdict, Verdict::Failed);
}

TEST(Proofs, FenceReportsADyingChild) {
  ProgramFile file = make();
  Proof proof = proveFence(file, {}, []() -> Expected<std::unique_ptr<Device>> {
    return std::unique_ptr<Device>(std::make_unique<FaultyDevice>(
        0, [](const OpCall &, Arena &, BoundOp &) { abort(); }));
  });
  EXPECT_EQ(proof.verdict, Verdict::Failed);
  EXPECT_EQ(proof.detail, "the child died of signal 6");
  proof = proveFence(file, {}, []() -> Expected<std::unique_ptr<Device>> {
    return Error::badInput("no such device");
  });
  EXPECT_EQ(proof.verdict, Verdict::Failed);
  EXPECT_EQ(proof.detail, "no such device");
}

TEST(Proofs, PoisonFindsReadsOfUnwrittenMemory) {
  // The dropout's result is copied from bytes that nothing has written yet:
  // those of the last weight gradient.
  expectOnly("poison", 2,
             [](const OpCall &call, Arena &arena, BoundOp &real) {
               real.launch();
               auto *result = static_cast<std::byte *>(call.results[0].data);
               std::byte *unwritten = arena.data() + arena.bytes() - 512;
               std::memcpy(result, unwritten, 4);
             },
             "depends on memory that nobody wrote", {"poison_on_free"});
}

TEST(Proofs, PoisonFindsStrayWrites) {
  // The seed is a scalar in a slot of 256 bytes for the whole step: the rest is
  // nobody's.
  expectOnly(
      "poison", 2,
      [](const OpCall &call, Arena &, BoundOp &real) {
        real.launch();
        static_cast<std::byte *>(call.operands[1].data)[100] = std::byte(1);
      },
      "was written, it belongs to no value");
}

TEST(Proofs, PoisonFindsAPeakThatIsNeverReached) {
  // A value at the end of the arena that its op never writes.
  ProgramBuilder builder("untouched");
  auto x = builder.input("x", ElementType::F32, {64});
  auto y = builder.unary(OpKind::Relu, {x});
  builder.output("y", y, Role::Output);
  ProgramFile &file = builder.finish();
  FaultyDevice device(0, [](const OpCall &, Arena &, BoundOp &) {});
  Expected<PeakProofs> proofs = provePeak(file, device, {});
  ASSERT_TRUE(proofs);
  EXPECT_EQ(proofs->measuredPeak, 256);
  EXPECT_EQ(find(*proofs, "poison").verdict, Verdict::Failed);
}

TEST(Proofs, PoisonOnFreeFindsStaleReads) {
  // The update of w1 also reads the dead activation y (op 3), whose bytes
  // mse_backward took over and nobody writes after its death.
  ProgramFile file = make();
  const StepProgramT &program = file.program;
  size_t last = program.ops.size() - 1;
  // A slot that died before the last op and whose bytes stay untouched after.
  uint64_t stale = UINT64_MAX;
  for (const auto &buffer : program.buffers) {
    bool later = buffer->persistent || buffer->last >= last;
    for (const auto &other : program.buffers)
      later |= other->first > buffer->last &&
               other->offset < buffer->offset + buffer->bytes &&
               buffer->offset < other->offset + other->bytes;
    for (const auto &other : program.buffers)
      later |= other->reuses == &buffer - &program.buffers[0];
    if (!later)
      stale = buffer->offset;
  }
  ASSERT_NE(stale, UINT64_MAX);
  FaultyDevice device(
      last, [=](const OpCall &call, Arena &arena, BoundOp &real) {
        real.launch();
        std::memcpy(call.results[0].data, arena.data() + stale, 4);
      });
  Expected<PeakProofs> proofs = provePeak(file, device, {});
  ASSERT_TRUE(proofs);
  EXPECT_EQ(find(*proofs, "poison_on_free").verdict, Verdict::Failed);
  EXPECT_NE(find(*proofs, "poison_on_free")
                .detail.find("depends on a slot after its planned death"),
            std::string::npos);
  EXPECT_EQ(find(*proofs, "poison").verdict, Verdict::Passed)
      << find(*proofs, "poison").detail;
}

TEST(Proofs, AllocationsInStepsAreCounted) {
  if (allocationCount() < 0)
    GTEST_SKIP() << "a sanitizer owns malloc";
  expectOnly(
      "no_allocation", 1,
      [](const OpCall &, Arena &, BoundOp &real) {
        real.launch();
        // Volatile: the compiler may drop a pair of new and delete.
        int *volatile leak = new int(1);
        delete leak;
      },
      "2 allocations from step 2 to step 3");
}

TEST(Proofs, MallocIsCountedInEveryForm) {
  if (allocationCount() < 0)
    GTEST_SKIP() << "a sanitizer owns malloc";
  int64_t before = allocationCount();
  void *volatile p = malloc(8);
  free(p);
  p = calloc(1, 8);
  p = realloc(p, 64);
  free(p);
  p = aligned_alloc(64, 64);
  free(p);
  void *q = nullptr;
  EXPECT_EQ(posix_memalign(&q, 64, 64), 0);
  free(q);
  EXPECT_EQ(allocationCount() - before, 5);
}

TEST(Proofs, AccountingUsesTheExecutedOps) {
  // A claim that no longer holds for what was run: caught without the loader.
  ProgramFile file = make();
  file.program.claims->live_peak += 256;
  std::unique_ptr<Device> device = host();
  Expected<PeakProofs> proofs = provePeak(file, *device, {});
  ASSERT_TRUE(proofs);
  EXPECT_EQ(find(*proofs, "accounting").verdict, Verdict::Failed);
}

TEST(Starving, OneUnitLessIsRefusedWithBothNumbers) {
  ProgramFile file = make();
  std::unique_ptr<Device> device = host();
  ExecutorOptions options;
  options.arenaBytes = int64_t(file.program.claims->planned_peak[0]) - 256;
  Expected<std::unique_ptr<Executor>> executor =
      Executor::create(file, *device, options);
  ASSERT_FALSE(executor);
  EXPECT_EQ(executor.error().exitCode(), 1);
  EXPECT_NE(executor.error().message.find("the arena has " +
                                          std::to_string(options.arenaBytes)),
            std::string::npos);
}

/// The workspace ends the arena, and the host's GEMM uses none of it.
TEST(Arena, GrantedWorkspaceCountsAsTouched) {
  ProgramBuilder builder("product");
  builder.program().gemm_workspace = 4096;
  auto x = builder.input("x", ElementType::F32, {8, 8});
  auto w = builder.input("w", ElementType::F32, {8, 8}, Role::Parameter);
  builder.output(
      "y",
      builder.op(OpKind::Matmul, {x, w}, {{ElementType::F32, {8, 8}}}).front(),
      Role::Output);
  ProgramFile &file = builder.finish();
  ASSERT_TRUE(verifyProgram(file.program));
  const BufferT &scratch =
      *file.program.buffers[file.program.ops.front()->workspace];
  ASSERT_EQ(scratch.offset + scratch.bytes,
            file.program.claims->planned_peak[0]);
  std::unique_ptr<Device> device = host();
  Expected<PeakProofs> proofs = provePeak(file, *device, {});
  ASSERT_TRUE(proofs) << proofs.error().message;
  EXPECT_EQ(proofs->measuredPeak,
            int64_t(file.program.claims->planned_peak[0]));
  for (const Proof &proof : proofs->proofs)
    EXPECT_NE(proof.verdict, Proof::Verdict::Failed)
        << proof.name << ": " << proof.detail;
}

/// The message of a host with `limit` bytes.
std::string tooLittle(const ProgramFile &file, int64_t limit) {
  Expected<std::unique_ptr<Device>> device =
      makeHostDevice({.threads = 1, .gemm = "ref", .memoryLimit = limit});
  EXPECT_TRUE(device);
  Expected<std::unique_ptr<Executor>> executor =
      Executor::create(file, **device, {});
  EXPECT_FALSE(executor);
  if (executor)
    return "";
  EXPECT_EQ(executor.error().exitCode(), 2);
  return executor.error().message;
}

TEST(Arena, TooLittleMemoryNamesTheBudgetThatFits) {
  ProgramFile file = make();
  std::string needs = "the arena needs " +
                      std::to_string(file.program.claims->planned_peak[0]) +
                      " bytes, ";
  EXPECT_EQ(tooLittle(file, 1000),
            needs + "1000 bytes are available on host; parameters, optimizer "
                    "state and inputs alone take 2560, so no plan fits; use a "
                    "smaller model or batch");
  // 95 % of it, a multiple of the alignment.
  EXPECT_EQ(tooLittle(file, 4000),
            needs + "4000 bytes are available on host; plan with "
                    "strategy=memory-budget budget=3584");
  // More than any machine has, without a limit.
  Expected<std::unique_ptr<Arena>> arena = host()->makeArena(int64_t(1) << 47);
  ASSERT_FALSE(arena);
  EXPECT_NE(arena.error().message.find("the arena needs 140737488355328"),
            std::string::npos);
}

TEST(Arena, EndsWhereTheMappingEnds) {
  std::unique_ptr<Device> device = host();
  for (int64_t bytes : {256, 4096, 4352, 5 << 20}) {
    Expected<std::unique_ptr<Arena>> arena = device->makeArena(bytes);
    ASSERT_TRUE(arena);
    EXPECT_EQ((*arena)->bytes(), bytes);
    EXPECT_EQ(
        (reinterpret_cast<uintptr_t>((*arena)->data()) + uintptr_t(bytes)) %
            4096,
        0u);
    std::memset((*arena)->data(), 1, size_t(bytes));
  }
  EXPECT_FALSE(device->makeArena(0));
}

TEST(Audit, ClonesAreEqual) {
  ProgramFile file = make({.recompute = true});
  std::unique_ptr<Device> device = host();
  auto session = Session::start(file, *device, {});
  ASSERT_TRUE(session);
  CloneAudit audit((*session)->executor());
  for (int step = 0; step < 3; ++step)
    ASSERT_TRUE((*session)->step(&audit));
  EXPECT_EQ(audit.clonesCompared(), 9);
  EXPECT_EQ(audit.difference(), "");
}

TEST(Audit, NamesTheFirstDifferentElement) {
  ProgramFile file = make({.recompute = true});
  size_t clone = 0;
  while (file.program.ops[clone]->origin != 2)
    ++clone;
  FaultyDevice device(clone, [](const OpCall &call, Arena &, BoundOp &real) {
    real.launch();
    auto *result = static_cast<uint32_t *>(call.results[0].data);
    result[37] ^= 1;
  });
  auto session = Session::start(file, device, {});
  ASSERT_TRUE(session);
  CloneAudit audit((*session)->executor());
  ASSERT_TRUE((*session)->step(&audit));
  EXPECT_NE(audit.difference().find(
                "op " + std::to_string(clone) +
                " dropout differs from its origin op 2 dropout in result 0, "
                "element 37: 0x"),
            std::string::npos)
      << audit.difference();
}

TEST(Comparison, RecomputeChangesNoBit) {
  for (OpKind optimizer : {OpKind::Sgd, OpKind::Momentum, OpKind::AdamW})
    for (ElementType type :
         {ElementType::F32, ElementType::BF16, ElementType::F64}) {
      ProgramFile keep = make({false, optimizer, type});
      ProgramFile again = make({true, optimizer, type});
      std::unique_ptr<Device> device = host();
      auto a = Session::start(again, *device, {});
      auto b = Session::start(keep, *device, {});
      ASSERT_TRUE(a && b);
      Expected<Comparison> comparison = Comparison::create(**a, **b);
      ASSERT_TRUE(comparison);
      for (int step = 0; step < 5; ++step)
        ASSERT_TRUE(comparison->step());
      EXPECT_EQ(comparison->difference(), "");
      // Per step: 3 gradients, the loss, the parameters and their states.
      int states =
          optimizer == OpKind::AdamW ? 2 : optimizer == OpKind::Momentum;
      EXPECT_EQ(comparison->valuesCompared(), 5 * (3 + 1 + 3 * (1 + states)));
    }
}

TEST(Comparison, NamesWhatDiffersFirst) {
  ProgramFile keep = make(), again = make({.recompute = true});
  size_t gradient = 0; // dw2: the matmul after the clones.
  while (again.program.ops[gradient]->kind != OpKind::Dropout ||
         again.program.ops[gradient]->origin < 0)
    ++gradient;
  ++gradient;
  FaultyDevice device(gradient, [](const OpCall &call, Arena &, BoundOp &real) {
    real.launch();
    static_cast<uint32_t *>(call.results[0].data)[5] ^= 1u << 20;
  });
  auto a = Session::start(again, device, {});
  std::unique_ptr<Device> sound = host();
  auto b = Session::start(keep, *sound, {});
  ASSERT_TRUE(a && b);
  Expected<Comparison> comparison = Comparison::create(**a, **b);
  ASSERT_TRUE(comparison);
  ASSERT_TRUE(comparison->step());
  EXPECT_NE(comparison->difference().find(
                "the gradient of 'w2' of step 1 differs, element 5: 0x"),
            std::string::npos)
      << comparison->difference();
}

TEST(Comparison, RefusesOtherModels) {
  ProgramFile sgd = make(), adamw = make({.optimizer = OpKind::AdamW});
  ProgramFile bf16 = make({.type = ElementType::BF16});
  std::unique_ptr<Device> device = host();
  auto a = Session::start(sgd, *device, {});
  auto b = Session::start(adamw, *device, {});
  auto c = Session::start(bf16, *device, {});
  ASSERT_TRUE(a && b && c);
  Expected<Comparison> comparison = Comparison::create(**a, **b);
  ASSERT_FALSE(comparison);
  EXPECT_NE(comparison.error().message.find(
                "cannot compare: 'perceptron' has no output '"),
            std::string::npos);
  comparison = Comparison::create(**b, **a);
  EXPECT_FALSE(comparison);
  comparison = Comparison::create(**a, **c);
  ASSERT_FALSE(comparison);
  EXPECT_NE(comparison.error().message.find("and bf16["), std::string::npos)
      << comparison.error().message;
}

} // namespace
