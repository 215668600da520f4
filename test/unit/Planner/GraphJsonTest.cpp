//===- GraphJsonTest.cpp - Graph and plan files ---------------------------===//
//
// Part of Ringi. Round trips, folding of views, and one bad file per message of
// each reader.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/GraphJson.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/GraphFile.h"
#include "ringi/Planner/PlanJson.h"
#include "ringi/Planner/Strategies.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::planner;

namespace {

/// A graph with the given ops.
std::string graph(const std::string &ops, const std::string &more = "") {
  return R"({"format":"ringi.graph","version":1,"name":"g",)"
         R"("inputs":[{"name":"x","bytes":8}],"ops":[)" +
         ops + "]" + more + "}";
}

TEST(GraphJson, RoundTripsEveryField) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    RandomOptions options;
    options.ops = 14;
    options.inPlace = 0.3;
    options.notRecomputable = 0.2;
    options.marks = 0.2;
    Problem problem = makeRandomTraining(seed, options);
    problem.ops[0].kind = "strange \"kind\"\n\\\x01";
    problem.ops[1].location = "model.py:3";
    problem.ops[0].flops = 1e17;
    problem.ops[2].cost = 0.1;
    Expected<std::string> text = writeGraphJson(problem);
    ASSERT_TRUE(bool(text));
    Expected<Problem> read = readGraphJson(*text);
    ASSERT_TRUE(bool(read)) << read.error().message;
    // Initial storages come first in both, so even the numbers agree.
    EXPECT_EQ(*writeGraphJson(*read), *text);
    ASSERT_EQ(read->storages.size(), problem.storages.size());
    for (size_t s = 0; s < problem.storages.size(); ++s) {
      EXPECT_EQ(read->storages[s].name, problem.storages[s].name);
      EXPECT_EQ(read->storages[s].bytes, problem.storages[s].bytes);
      EXPECT_EQ(read->storages[s].mark, problem.storages[s].mark);
      EXPECT_EQ(read->storages[s].persistent, problem.storages[s].persistent);
      EXPECT_EQ(read->storages[s].output, problem.storages[s].output);
    }
    for (size_t v = 0; v < problem.ops.size(); ++v) {
      EXPECT_EQ(read->ops[v].kind, problem.ops[v].kind);
      EXPECT_EQ(read->ops[v].cost, problem.ops[v].cost);
      EXPECT_EQ(read->ops[v].flops, problem.ops[v].flops);
      EXPECT_EQ(read->ops[v].inputs, problem.ops[v].inputs);
      EXPECT_EQ(read->ops[v].workspace, problem.ops[v].workspace);
      EXPECT_EQ(read->ops[v].recomputable, problem.ops[v].recomputable);
      EXPECT_EQ(read->ops[v].inPlace.size(), problem.ops[v].inPlace.size());
    }
    EXPECT_EQ(graphFingerprint(*read), graphFingerprint(problem));
  }
}

// Case 4 of the field: views cost nothing and belong to their base.
TEST(GraphJson, FoldsViewsIntoTheirStorage) {
  Expected<Problem> problem = readGraphJson(graph(
      R"({"name":"make","inputs":["x"],"results":[{"name":"t","bytes":12}]},
      {"name":"reshape","class":"view","cost":0,"inputs":["t"],
       "results":[{"name":"r","view_of":"t"}]},
      {"name":"slice","class":"view","cost":0,"inputs":["r"],
       "results":[{"name":"s","view_of":"r","mark":"must-keep","output":true}]},
      {"name":"use","phase":"backward","inputs":["r","s","t"],
       "results":[{"name":"y","bytes":1,"output":true}]})"));
  ASSERT_TRUE(bool(problem)) << problem.error().message;
  ASSERT_EQ(problem->ops.size(), 2u);
  EXPECT_EQ(problem->ops[1].inputs, (std::vector<StorageIndex>{1}));
  EXPECT_EQ(problem->storages[1].mark, Mark::MustKeep);
  EXPECT_TRUE(problem->storages[1].output);
  EXPECT_EQ(makeKeepAllPlan(*problem).claims.livePeak, 8 + 12 + 1);
}

TEST(GraphJson, TakesTheOrderOfTheFile) {
  const std::string ops =
      R"({"name":"b","inputs":["y"],"results":[{"name":"z","bytes":1}]},
      {"name":"a","inputs":["x"],"results":[{"name":"y","bytes":1}]})";
  Expected<Problem> problem =
      readGraphJson(graph(ops, R"(,"order":["a","b"])"));
  ASSERT_TRUE(bool(problem)) << problem.error().message;
  EXPECT_EQ(problem->ops[0].name, "a");
  EXPECT_EQ(
      readGraphJson(graph(ops)).error().message,
      "op 'b' reads 'y' before op 'a' makes it; list the ops in execution "
      "order or give 'order'");
}

TEST(GraphJson, NamesWhatIsWrong) {
  const std::string op = R"({"name":"a","inputs":["x"],"results":[]})";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"",
       "not valid JSON: parse error at line 1, column 1: syntax error while "
       "parsing value - unexpected end of input; expected '[', '{', or a "
       "literal"},
      {"[]", "a graph file must be an object"},
      {"7", "a graph file must be an object"},
      {"\"text\"", "a graph file must be an object"},
      {"{}", "the graph has no field 'format'; it must be 'ringi.graph'"},
      {R"({"format":"other"})", "format 'other' is not 'ringi.graph'"},
      {R"({"format":"ringi.graph"})", "the graph has no field 'ops'"},
      {R"({"format":"ringi.graph","version":2})",
       "graph version 2 is not 1; this reader knows version 1"},
      {R"({"format":"ringi.graph","colour":1})",
       "unknown field 'colour' in the graph"},
      {graph(""), "the graph has no ops; nothing to plan"},
      {graph(R"({"name":"a","size":3})"), "unknown field 'size' in op 'a'"},
      {graph(R"({"name":"a","cost":1,"cost":2})"),
       "field 'cost' is given twice in op 'a'"},
      {R"({"format":"ringi.graph","ops":[],"ops":[]})",
       "field 'ops' is given twice in the graph"},
      {graph(R"({"inputs":[]})"), "op #0 has no field 'name'"},
      {graph(R"({"name":"a","cost":"high"})"),
       "field 'cost' of op 'a' has the wrong type; see docs/graph-json.md"},
      {graph(R"({"name":"a","cost":null})"),
       "field 'cost' of op 'a' must not be null"},
      {graph(R"({"name":"a","ordered":1})"),
       "field 'ordered' of op 'a' has the wrong type; see docs/graph-json.md"},
      {graph(R"({"name":"a","phase":"sideways"})"),
       "unknown phase 'sideways'; expected one of forward, backward, optimizer "
       "(field 'phase' of op 'a')"},
      {graph(R"({"name":"a","results":[{"name":"y","bytes":1.5}]})"),
       "field 'bytes' of result 'y' is 1.5; it must be a whole number below "
       "2^63"},
      {graph(
           R"({"name":"a","results":[{"name":"y","bytes":99999999999999999999}]})"),
       "field 'bytes' of result 'y' is 99999999999999999999; it must be a "
       "whole "
       "number below 2^63"},
      {graph(
           R"({"name":"a","results":[{"name":"y","bytes":18446744073709551615}]})"),
       "field 'bytes' of result 'y' is 18446744073709551615; numbers must be "
       "below 2^63"},
      {graph(R"({"name":"a","results":[{"name":"y","bytes":-3}]})"),
       "storage 'y' (#1) is -3 bytes; sizes must be 0 or more"},
      {graph(R"({"name":"a","results":[{"name":"y"}]})"),
       "value 'y' has no field 'bytes'"},
      {graph(R"({"name":"a","results":[{"bytes":3}]})"),
       "a result of op #0 has no field 'name'"},
      {graph(R"({"name":"a","results":[{"name":"x","bytes":3}]})"),
       "two values have the name 'x'; names must be unique"},
      {graph(
           R"({"name":"a","results":[{"name":"y","bytes":3,"view_of":"x"}]})"),
       "value 'y' is a view but has 3 bytes of its own; a view has none"},
      {graph(R"({"name":"a","results":[{"name":"y","view_of":"z"}]})"),
       "value 'y' is a view of 'z', which does not exist"},
      {graph(R"({"name":"a","results":[{"name":"y","view_of":"y"}]})"),
       "value 'y' is a view of itself"},
      {graph(
           R"({"name":"a","results":[{"name":"y","bytes":1,"mark":"maybe"}]})"),
       "unknown mark 'maybe'; expected one of must-keep, must-recompute (field "
       "'mark' of result 'y')"},
      {graph(
           R"({"name":"a","results":[{"name":"y","bytes":1,"mark":"must-keep"},
             {"name":"v","view_of":"y","mark":"must-recompute"}]})"),
       "marks contradict: 'y' and its view 'v' are marked must-keep and "
       "must-recompute"},
      {graph(R"({"name":"a","inputs":["q"]})"),
       "op 'a' reads 'q', which no op makes and no input provides"},
      {graph(R"({"name":"a","in_place":[{"input":"x"}]})"),
       "an in_place pair of op 'a' needs the fields 'input' and 'output'"},
      {graph(R"({"name":"a","in_place":[{"input":"x","output":"q"}]})"),
       "an in_place pair of op 'a' names 'q', which does not exist"},
      {graph(op + "," + op), "two ops have the name 'a'; names must be unique"},
      {graph(op, R"(,"order":[])"), "order names 0 ops but the graph has 1"},
      {graph(op, R"(,"order":["b"])"),
       "order names op 'b', which does not exist"},
      {graph(op + R"(,{"name":"b"})", R"(,"order":["a","a"])"),
       "order names op 'a' twice"},
      {graph(R"({"name":"a","inputs":["z"],"results":[{"name":"y","bytes":1}]},
             {"name":"b","inputs":["y"],"results":[{"name":"z","bytes":1}]})"),
       "the graph has a cycle through op 'a' and op 'b'; ops must not wait for "
       "their own results"}};
  for (const auto &[text, message] : cases) {
    Expected<Problem> problem = readGraph(text);
    ASSERT_FALSE(bool(problem)) << text;
    EXPECT_EQ(problem.error().message, message) << text;
    EXPECT_EQ(problem.error().exitCode(), 2);
  }
}

TEST(GraphJson, PlainAndEscapedTextReadAlike) {
  auto text = [](const std::string &name) {
    return graph("{\"name\":\"" + name +
                 "\",\n\t\"inputs\" : [ \"x\" ] , \"flops\":1.5E+3,"
                 "\"results\":[{\"name\":\"y\",\"bytes\":1e1}]}");
  };
  EXPECT_EQ(readGraphJson(text("a")).error().message,
            "field 'bytes' of result 'y' is 1e1; it must be a whole number "
            "below 2^63");
  EXPECT_EQ(readGraphJson(text("\\u0061")).error().message,
            "field 'bytes' of result 'y' is 1e1; it must be a whole number "
            "below 2^63");
  auto good = [](const std::string &name) {
    return readGraphJson(graph("{\"name\":\"" + name +
                               "\",\"inputs\":[\"x\"],\"flops\":1.5E+3,"
                               "\"results\":[{\"name\":\"y\",\"bytes\":10}]}"));
  };
  for (const char *name :
       {"a/b\\n", "a\\/b\\n", "a\\u002fb\\n", "\\u0061/b\\u000a"}) {
    Expected<Problem> read = good(name);
    ASSERT_TRUE(bool(read)) << read.error().message;
    EXPECT_EQ(read->ops[0].name, "a/b\n");
    EXPECT_EQ(read->ops[0].flops, 1500);
  }
  Expected<Problem> umlaut = good("\xc3\xa4");
  ASSERT_TRUE(bool(umlaut));
  EXPECT_EQ(umlaut->ops[0].name, "\xc3\xa4");
}

TEST(GraphJson, WritingNeedsUniqueNames) {
  Problem problem = makeChain(2);
  problem.ops[1].name = "f1";
  EXPECT_EQ(writeGraphJson(problem).error().message,
            "two ops have the name 'f1'; a graph file needs unique names");
  problem = makeChain(2);
  problem.storages[2].name = "x1";
  EXPECT_EQ(writeGraphJson(problem).error().message,
            "two values have the name 'x1'; a graph file needs unique names");
}

TEST(GraphJson, EqualNamesGetNumbersThatAreFree) {
  Problem problem;
  for (const char *name : {"add", "add.1", "add", "add", "mul"}) {
    Op op;
    op.name = name;
    problem.ops.push_back(op);
  }
  makeNamesUnique(problem);
  std::vector<std::string> names;
  for (const Op &op : problem.ops)
    names.push_back(op.name);
  EXPECT_EQ(names, (std::vector<std::string>{"add", "add.1", "add.2", "add.3",
                                             "mul"}));
}

TEST(GraphFile, NamesTheFile) {
  EXPECT_EQ(readGraphFile("/nonexistent/g.json").error().message,
            "cannot open '/nonexistent/g.json': No such file or directory");
  EXPECT_EQ(readGraphFile("/").error().message,
            "cannot open '/': it is a directory");
  EXPECT_EQ(writeTextFile("/nonexistent/g.json", "").error().message,
            "cannot write '/nonexistent/g.json': No such file or directory");
}

TEST(NodeLink, ReadsBothDialects) {
  Expected<Problem> checkmate = readGraph(
      R"({"directed":true,"graph":{"name":"cm"},"nodes":[
      {"id":0,"name":"f","cost_cpu":3,"cost_ram":10,"backward":false},
      {"id":1,"name":"f","cost_cpu":4,"cost_ram":20,"backward":true}],
      "links":[{"source":0,"target":1}]})");
  ASSERT_TRUE(bool(checkmate)) << checkmate.error().message;
  EXPECT_EQ(checkmate->name, "cm");
  EXPECT_EQ(checkmate->ops[1].phase, Phase::Backward);
  EXPECT_EQ(checkmate->ops[1].name, "f#1");
  EXPECT_EQ(makeKeepAllPlan(*checkmate).claims.livePeak, 30);
  EXPECT_TRUE(checkmate->storages[1].output);

  Expected<Problem> layered = readGraph(
      R"({"directed":true,"graph":{"order":[5,2]},"nodes":[
      {"name":2,"out_cost":7,"duration":1},{"name":5,"out_cost":1,"duration":2}],
      "links":[{"0":5,"1":2}]})");
  ASSERT_TRUE(bool(layered)) << layered.error().message;
  EXPECT_EQ(layered->ops[0].name, "5");
  EXPECT_EQ(layered->totalCost(), 3);

  // networkx calls the list "edges" since 3.4.
  Expected<Problem> recent = readGraph(
      R"({"directed":true,"multigraph":false,"graph":{},"nodes":[
      {"out_cost":7,"duration":1,"id":"a"},{"out_cost":1,"duration":2,"id":"b"}],
      "edges":[{"source":"a","target":"b"}]})");
  ASSERT_TRUE(bool(recent)) << recent.error().message;
  EXPECT_EQ(recent->ops[1].inputs, std::vector<StorageIndex>{0});
}

TEST(NodeLink, NamesWhatIsWrong) {
  auto nodes = [](const std::string &list, const std::string &rest) {
    return R"({"directed":true,"nodes":[)" + list + "]" + rest + "}";
  };
  const std::string a = R"({"id":0,"name":"a","cost_cpu":1,"cost_ram":1})";
  const std::string b = R"({"id":1,"name":"b","cost_cpu":1,"cost_ram":1})";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"directed":true)",
       "not valid JSON: parse error at line 1, column 17: syntax error while "
       "parsing object - unexpected end of input; expected '}'"},
      {R"({"directed":true})", "the graph has no field 'nodes'"},
      {R"({"directed":true,"nodes":3})",
       "field 'nodes' of the graph must be an array"},
      {nodes("3", ""), "node #0 must be an object"},
      {nodes("{}", ""), "node #0 has no field 'id'"},
      {nodes(R"({"id":0})", ""), "node #0 has no field 'out_cost'"},
      {nodes(R"({"id":0,"cost_ram":"x"})", ""),
       "field 'cost_ram' of node #0 must be a whole number below 2^63"},
      {nodes(R"({"id":0,"cost_ram":1,"cost_cpu":"x"})", ""),
       "field 'cost_cpu' of node #0 must be a number"},
      {nodes(R"({"id":0,"cost_ram":1,"cost_cpu":1,"backward":1})", ""),
       "field 'backward' of node #0 must be true or false"},
      {nodes(a + "," + a, ""), "two nodes have the id '0'"},
      {nodes(a, R"(,"graph":{"order":[0,1]})"),
       "order names 2 nodes but the graph has 1"},
      {nodes(a, R"(,"graph":{"order":[7]})"),
       "order names node 7, which does not exist"},
      {nodes(a + "," + b, R"(,"graph":{"order":[0,0]})"),
       "order names node 0 twice"},
      {nodes(a, ""), "the graph has no field 'links'"},
      {nodes(a, R"(,"links":[3])"),
       "link #0 needs the fields 'source' and 'target'"},
      {nodes(a, R"(,"links":[{"source":0,"target":9}])"),
       "link #0 names node 9, which does not exist"},
      {nodes(a + "," + b,
             R"(,"links":[{"source":0,"target":1},{"source":1,"target":0}])"),
       "node 'a' reads node 'b' that comes later; the graph has a cycle or its "
       "nodes are out of order"},
      {nodes("", R"(,"links":[])"), "the graph has no ops; nothing to plan"}};
  for (const auto &[text, message] : cases) {
    Expected<Problem> problem = readGraph(text);
    ASSERT_FALSE(bool(problem)) << text;
    EXPECT_EQ(problem.error().message, message) << text;
  }
}

/// A dump of one input and the given nodes.
std::string dump(const std::string &nodes,
                 const std::string &outputs = R"({"backward":[2]})") {
  return R"({"torch":"2","name":"t","outputs":)" + outputs +
         R"(,"nodes":[{"id":0,"name":"p","op":"input","role":"primal","bytes":[64]})" +
         nodes + "]}";
}

TEST(TorchJoint, FoldsViewsAndFreesInputs) {
  Expected<Problem> problem = readGraph(dump(
      R"(,{"id":1,"name":"mm","op":"mm","inputs":[0],"bytes":[8],"flops":9,"phase":"forward"},
      {"id":5,"name":"v","op":"view","inputs":[1],"bytes":[8],"flops":0,"phase":"forward","view_of":1},
      {"id":2,"name":"g","op":"mul","inputs":[5,1],"bytes":[4,4],"flops":1,"phase":"backward"})"));
  ASSERT_TRUE(bool(problem)) << problem.error().message;
  ASSERT_EQ(problem->ops.size(), 2u);
  EXPECT_EQ(problem->ops[0].opClass, OpClass::Gemm);
  EXPECT_EQ(problem->ops[1].inputs.size(), 1u);
  EXPECT_EQ(problem->storages[0].category, Category::Parameter);
  EXPECT_EQ(makeKeepAllPlan(*problem).claims.livePeak, 16);
}

TEST(TorchJoint, NamesWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"torch":"2"})", "the graph has no field 'nodes'"},
      {dump(R"(,{"name":"a"})"), "node #1 has no field 'id'"},
      {dump(R"(,{"id":1})"), "node #1 has no field 'name'"},
      {dump(R"(,{"id":0,"name":"a"})"), "two nodes have the id 0"},
      {dump(R"(,{"id":1,"name":"a"})"), "node 'a' has no field 'op'"},
      {dump(R"(,{"id":1,"name":"a","view_of":9})"),
       "node 'a' names node 9, which does not come before it"},
      {dump(R"(,{"id":1,"name":"a","op":"mm"})"),
       "node 'a' has no field 'flops'"},
      {dump(R"(,{"id":1,"name":"a","op":"mm","flops":1})"),
       "node 'a' has no field 'phase'"},
      {dump(R"(,{"id":1,"name":"a","op":"mm","flops":1,"phase":"x"})"),
       "unknown phase 'x'; expected one of forward, backward, optimizer (node "
       "'a')"},
      {dump(R"(,{"id":1,"name":"a","op":"mm","flops":1,"phase":"forward"})"),
       "node 'a' has no field 'inputs'"},
      {dump(
           R"(,{"id":1,"name":"a","op":"mm","flops":1,"phase":"forward","inputs":[4]})"),
       "node 'a' has no field 'bytes'"},
      {dump(
           R"(,{"id":1,"name":"a","op":"mm","flops":1,"phase":"forward","inputs":[4],"bytes":[1]})"),
       "node 'a' names node 4, which does not come before it"},
      {dump(
           R"(,{"id":2,"name":"a","op":"mm","flops":1,"phase":"forward","inputs":[0],"bytes":[-1]})"),
       "field 'bytes' of node 'a' has the entry -1; sizes must be whole "
       "numbers, 0 or more"},
      {dump(""), "'outputs' names node 2, which does not come before it"},
      {dump("", R"({"forward":[]})"), "'outputs' has no field 'backward'"},
      {R"({"torch":"2","nodes":[]})", "the graph has no field 'outputs'"}};
  for (const auto &[text, message] : cases) {
    Expected<Problem> problem = readGraph(text);
    ASSERT_FALSE(bool(problem)) << text;
    EXPECT_EQ(problem.error().message, message) << text;
  }
}

TEST(PlanJson, RoundTrips) {
  Problem problem = makeBlocks(3, 2);
  StrategyOptions options;
  options.strategy = Strategy::EveryBlock;
  Expected<Plan> plan = planStrategy(problem, options);
  ASSERT_TRUE(bool(plan));
  plan->budget = 20;
  plan->warnings = {"mind the gap"};
  plan->claims.lowerBound = 0.25;
  plan->claims.boundClass = BoundClass::SnapshotFixed;
  std::string text = writePlanJson(problem, *plan);
  Expected<Plan> read = readPlanJson(problem, text);
  ASSERT_TRUE(bool(read)) << read.error().message;
  EXPECT_EQ(writePlanJson(problem, *read), text);
  EXPECT_TRUE(bool(verifyPlan(problem, *read)));
}

TEST(PlanJson, NamesWhatIsWrong) {
  Problem problem = makeChain(2);
  const std::string good = writePlanJson(problem, makeKeepAllPlan(problem));
  struct Edit {
    const char *from, *to, *message;
  };
  const Edit edits[] = {
      {"{\"format\"", "[\"format\"",
       "not valid JSON: parse error at line 1, column 10: syntax error while "
       "parsing array - unexpected ':'; expected ']'"},
      {"ringi.plan", "ringi.graph", "format 'ringi.graph' is not 'ringi.plan'"},
      {"\"version\":1", "\"version\":3",
       "plan version 3 is not 1; this reader knows version 1"},
      {"\"strategy\"", "\"policy\"", "unknown field 'policy' in the plan"},
      {"[\"f1\"", "[\"f9\"",
       "execution #0 runs op 'f9', which the graph does not have"},
      {"[\"f1\"", "[7",
       "execution #0 must be an array of an op's name and its reads"},
      {"[\"f2\",0]", "[\"f2\",17]",
       "read 0 of execution #1 is 17; it must be an execution from -1 to 5"},
      {"[\"f2\",0]", "[\"f2\",\"f1\"]",
       "read 0 of execution #1 is \"f1\"; it must be an execution from -1 to "
       "5"},
      {"\"g0\":5", "\"g0\":9",
       "output 'g0' is taken from execution #9 but the plan has 6"},
      {"\"g0\":5", "\"g1\":5", "'outputs' of the plan has no field 'g0'"},
      {"\"g0\":5", "\"g0\":5,\"g1\":4",
       "the plan names 3 outputs but the step has 2"},
      {"\"outputs\":{\"loss\":2,\"g0\":5}", "\"outputs\":[]",
       "field 'outputs' of the plan must be an object"},
      {"\"decisions\":[", "\"decisions\":[{\"value\":\"q\",\"reason\":\"\"}",
       "decision #0 is about 'q', which the graph does not have"},
      {"\"decisions\":[", "\"decisions\":[{\"value\":\"x1\",\"reason\":\"\"}",
       "field 'recomputed' of decision #0 must be true or false"},
      {"\"warnings\":[", "\"warnings\":[3",
       "field 'warnings' of the plan must be an array of strings"},
      {"\"recomputes\":0", "\"recomputes\":0.5",
       "field 'recomputes' of 'claims' of the plan must be a whole number "
       "below "
       "2^63"},
      {"\"bound_class\":\"none\"", "\"bound_class\":\"sure\"",
       "unknown bound class 'sure' in 'claims' of the plan"}};
  for (const Edit &edit : edits) {
    std::string text = good;
    size_t at = text.find(edit.from);
    ASSERT_NE(at, std::string::npos) << edit.from << "\n" << good;
    text.replace(at, std::string(edit.from).size(), edit.to);
    Expected<Plan> plan = readPlanJson(problem, text);
    ASSERT_FALSE(bool(plan)) << edit.to;
    EXPECT_EQ(plan.error().message, edit.message) << edit.to;
  }
  std::string cut = good.substr(0, good.find(",\n\"claims\"")) + "}";
  EXPECT_EQ(readPlanJson(problem, cut).error().message,
            "the plan has no field 'claims'");
  Expected<Plan> other = readPlanJson(makeChain(3), good);
  ASSERT_FALSE(bool(other));
  EXPECT_EQ(other.error().message.rfind("the plan is for another graph: "
                                        "'chain2' with fingerprint ",
                                        0),
            0u);
  EXPECT_EQ(readPlanJson(problem, "3").error().message,
            "a plan file must be an object");
}

} // namespace
