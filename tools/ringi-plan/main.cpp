//===- main.cpp - ringi-plan ----------------------------------------------===//
//
// Part of Ringi. The planner on graph files, for people and scripts that have
// no MLIR. Exit code 1 = refused, 2 = bad input.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include <csignal>
#include <cstdio>

std::atomic<bool> ringi::tool::stopRequested = false;

/// Options of `ringi-plan graph.json` before a subcommand would be lost.
static ringi::Status refuseStrayOptions(const CLI::App &app) {
  for (const CLI::App *command : app.get_subcommands())
    for (const CLI::Option *option : app.get_options())
      if (option->count() > 0)
        return ringi::Error::badInput(
            option->get_name() + " stands before the command '" +
            command->get_name() + "', which does not read it; see ringi-plan " +
            command->get_name() + " --help");
  return ringi::Status::success();
}

/// The first Ctrl-C asks for the best plan so far, the second one kills.
static void handleInterrupt(int) {
  ringi::tool::stopRequested = true;
  std::signal(SIGINT, SIG_DFL);
}

int main(int argc, char **argv) {
  CLI::App app(
      "Plans what a training step keeps and what it recomputes, from a "
      "graph file (docs/graph-json.md, networkx node-link, AOTAutograd "
      "dumps).",
      "ringi-plan");
  ringi::tool::Action plan = ringi::tool::addPlanCommand(app);
  CLI::App *packApp = app.add_subcommand(
      "pack", "Pack lifetimes (CSV id,lower,upper,size) into an arena");
  ringi::tool::Action pack = ringi::tool::addPackCommand(*packApp);
  CLI::App *generateApp =
      app.add_subcommand("generate", "Write a generated graph");
  ringi::tool::Action generate = ringi::tool::addGenerateCommand(*generateApp);
  app.require_subcommand(0, 1);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    std::fprintf(stderr, "ringi-plan: error: %s; see ringi-plan --help\n",
                 error.what());
    return 2;
  }
  std::signal(SIGINT, handleInterrupt);
  ringi::Status status = refuseStrayOptions(app);
  if (status)
    status = *packApp ? pack() : *generateApp ? generate() : plan();
  if (status)
    return 0;
  std::fflush(stdout);
  if (!status.error().message.empty())
    std::fprintf(stderr, "ringi-plan: error: %s\n",
                 status.error().message.c_str());
  return status.error().exitCode();
}
