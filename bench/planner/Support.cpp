//===- Support.cpp - What the parts of bench_planner share ----------------===//
//
// Part of Ringi. See Support.h.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "ringi/Planner/GraphFile.h"

#include <cstdlib>
#include <ctime>
#include <sys/resource.h>
#include <unistd.h>

namespace ringi::planner {

double cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

double peakMebibytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

Expected<Problem> loadGraph(const std::filesystem::path &path) {
  if (path.extension() != ".xz")
    return readGraphFile(path.string());
  char name[] = "/tmp/ringi-bench-XXXXXX";
  int handle = mkstemp(name);
  if (handle < 0)
    return Error::badInput("no temporary file can be made");
  std::string command =
      "xz -dc '" + path.string() + "' > '" + std::string(name) + "'";
  int status = std::system(command.c_str());
  Expected<Problem> problem =
      status == 0 ? readGraphFile(name)
                  : Expected<Problem>(Error::badInput("'" + path.string() +
                                                      "' cannot be unpacked"));
  std::filesystem::remove(name);
  return problem;
}

} // namespace ringi::planner
