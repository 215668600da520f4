//===- ProblemTest.cpp - Bad problems get one clear error -----------------===//
//
// Part of Ringi. Every message of Problem::check, and the words of enums.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Generators.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::planner;

namespace {

struct Case {
  const char *name;
  void (*damage)(Problem &problem);
  const char *message;
};

// In makeChain(2): storages x0 x1 x2 loss g2 g1 g0, ops f1 f2 loss dloss b2 b1.
TEST(Problem, CheckNamesWhatIsWrong) {
  const Case cases[] = {
      {"empty", [](Problem &p) { p.ops.clear(); },
       "the graph has no ops; nothing to plan"},
      {"negative size", [](Problem &p) { p.storages[1].bytes = -4; },
       "storage 'x1' (#1) is -4 bytes; sizes must be 0 or more"},
      {"overflow",
       [](Problem &p) {
         p.storages[1].bytes = int64_t(1) << 61;
         p.storages[2].bytes = int64_t(1) << 62;
       },
       "storage 'x2' (#2) of 4611686018427387904 bytes brings the sum of all "
       "sizes from 2305843009213693953 above the limit of "
       "4611686018427387904"},
      {"workspace", [](Problem &p) { p.ops[0].workspace = -1; },
       "workspace of op 'f1' (#0) is -1 bytes; sizes must be 0 or more"},
      {"cost", [](Problem &p) { p.ops[0].cost = -1; },
       "cost of op 'f1' (#0) is -1; costs must be finite and 0 or more"},
      {"cost NaN", [](Problem &p) { p.ops[0].cost = NAN; },
       "cost of op 'f1' (#0) is nan; costs must be finite and 0 or more"},
      {"cost sum", [](Problem &p) { p.ops[0].cost = p.ops[1].cost = 1e308; },
       "the sum of all costs overflows at op 'f2' (#1); scale the costs down"},
      {"block", [](Problem &p) { p.ops[0].block = 3; },
       "op 'f1' (#0) is in block 3 but there are 0 blocks"},
      {"ordered", [](Problem &p) { p.ops[0].ordered = true; },
       "op 'f1' (#0) keeps its place but is recomputable; an op with effects "
       "must not be recomputable"},
      {"input range", [](Problem &p) { p.ops[0].inputs[0] = 70; },
       "op 'f1' (#0) reads storage #70 but there are 7"},
      {"input twice", [](Problem &p) { p.ops[0].inputs.push_back(0); },
       "op 'f1' (#0) lists storage 'x0' (#0) twice among its inputs; list each "
       "storage once"},
      {"cycle", [](Problem &p) { p.ops[0].inputs.push_back(2); },
       "op 'f1' (#0) reads storage 'x2' (#2) before it is computed by op #1; "
       "the graph has a cycle or its ops are out of order"},
      {"output range", [](Problem &p) { p.ops[0].outputs[0] = 70; },
       "op 'f1' (#0) writes storage #70 but there are 7"},
      {"two producers", [](Problem &p) { p.ops[0].outputs.push_back(2); },
       "op 'f1' (#0) writes storage 'x2' (#2) whose producer is #1; each "
       "storage has exactly one producer"},
      {"no producer", [](Problem &p) { p.storages[1].producer = kNone; },
       "op 'f1' (#0) writes storage 'x1' (#1) whose producer is none; each "
       "storage has exactly one producer"},
      {"output twice", [](Problem &p) { p.ops[0].outputs.push_back(1); },
       "op 'f1' (#0) lists storage 'x1' (#1) twice among its operands and "
       "results"},
      {"producer does not write", [](Problem &p) { p.ops[5].outputs.clear(); },
       "storage 'g0' (#6) has producer op 'b1' (#5) which does not write it"},
      {"producer range",
       [](Problem &p) {
         p.ops[5].outputs.clear();
         p.storages[6].producer = 50;
       },
       "storage 'g0' (#6) has producer #50 but there are 6 ops"},
      {"persistent", [](Problem &p) { p.storages[1].persistent = true; },
       "storage 'x1' (#1) is persistent but op 'f1' (#0) computes it; only "
       "what exists before the step may be"},
      {"pair", [](Problem &p) { p.ops[0].inPlace.push_back({3, 1}); },
       "in-place pair (#3, #1) of op 'f1' (#0) does not name one of its inputs "
       "and one of its results"},
      {"pair sizes",
       [](Problem &p) {
         p.storages[1].bytes = 5;
         p.ops[0].inPlace.push_back({0, 1});
       },
       "op 'f1' (#0) writes 'x1' (#1) of 5 bytes over 'x0' (#0) of 1 bytes; in "
       "place needs equal sizes"},
      {"read after overwrite",
       [](Problem &p) { p.ops[0].inPlace.push_back({0, 1, true}); },
       "op 'b1' (#5) reads storage 'x0' (#0) after op 'f1' (#0) has "
       "overwritten "
       "it"},
      {"overwritten output",
       [](Problem &p) {
         p.storages[5].output = true;
         p.ops[5].inPlace.push_back({5, 6, true});
       },
       "op 'b1' (#5) overwrites 'g1' (#5) which is an output of the step"},
      {"shared pair",
       [](Problem &p) { p.ops[5].inPlace = {{5, 6, true}, {0, 6}}; },
       "op 'b1' (#5) has a required in-place pair that shares a storage with "
       "another pair"},
      {"mark without producer",
       [](Problem &p) { p.storages[0].mark = Mark::MustRecompute; },
       "storage 'x0' (#0) is marked must-recompute but exists before the step; "
       "drop the mark"},
      {"mark on an op with effects",
       [](Problem &p) {
         p.storages[1].mark = Mark::MustRecompute;
         p.ops[0].recomputable = false;
       },
       "storage 'x1' (#1) is marked must-recompute but its producer op 'f1' "
       "(#0) may not run again; drop the mark"},
      {"contradicting marks",
       [](Problem &p) {
         p.ops[0].outputs.push_back(7);
         Storage twin = p.storages[1];
         twin.name = "twin";
         twin.mark = Mark::MustKeep;
         p.storages[1].mark = Mark::MustRecompute;
         p.storages.push_back(twin);
       },
       "marks contradict: op 'f1' (#0) makes must-keep 'twin' (#7) and "
       "must-recompute 'x1' (#1)"}};
  for (const Case &bad : cases) {
    Problem problem = makeChain(2);
    ASSERT_TRUE(bool(problem.check()));
    bad.damage(problem);
    Status status = problem.check();
    ASSERT_FALSE(bool(status)) << bad.name;
    EXPECT_EQ(status.error().message, bad.message) << bad.name;
    EXPECT_EQ(status.error().exitCode(), 2) << bad.name;
  }
}

TEST(Problem, SumsAndReaders) {
  Problem problem = makeChain(2);
  EXPECT_EQ(problem.totalCost(), 6);
  EXPECT_EQ(problem.persistentBytes(), 1);
  EXPECT_EQ(computeReaders(problem)[0], (std::vector<OpIndex>{0, 5}));
}

TEST(Problem, WordsRoundTrip) {
  for (int i = 0; i <= int(OpClass::Other); ++i)
    EXPECT_EQ(*parseOpClass(toString(OpClass(i))), OpClass(i));
  for (int i = 0; i <= int(Phase::Optimizer); ++i)
    EXPECT_EQ(*parsePhase(toString(Phase(i))), Phase(i));
  for (int i = 0; i <= int(Category::GradientInFlight); ++i)
    EXPECT_EQ(*parseCategory(toString(Category(i))), Category(i));
  EXPECT_EQ(parsePhase("sideways").error().message,
            "unknown phase 'sideways'; expected one of forward, backward, "
            "optimizer");
}

} // namespace
