//===- FenceProof.cpp - The first byte past the peak faults -----*- C++ -*-===//
//
// Part of Ringi. A child process runs the program in an arena of exactly the
// planned peak, whose end is the mapping's end, so that a fault is an answer
// and not a crash. As a control the child then touches the byte after the arena
// itself: a fence that does not hold is a failed proof, too.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/Proofs.h"

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;

namespace {

/// What the child tells the parent.
struct Answer {
  enum Kind : int64_t { None, Held, Fault, NoFence, Failed } kind = None;
  int64_t op = -1;
  /// Fault: address relative to the arena's start.
  int64_t offset = 0;
  char message[480] = {};
};

// The child's state that its signal handler reads.
int answerPipe = -1;
volatile int64_t currentOp = -1;
std::byte *volatile arenaBegin = nullptr;
sigjmp_buf control;
volatile sig_atomic_t inControl = 0;

void send(const Answer &answer) {
  (void)!write(answerPipe, &answer, sizeof(answer));
}

void onFault(int, siginfo_t *info, void *) {
  if (inControl)
    siglongjmp(control, 1);
  Answer answer;
  answer.kind = Answer::Fault;
  answer.op = currentOp;
  answer.offset = static_cast<std::byte *>(info->si_addr) - arenaBegin;
  send(answer);
  _exit(0);
}

class OpTracker : public OpObserver {
public:
  Status beforeOp(size_t op) override {
    currentOp = int64_t(op);
    return Status::success();
  }
};

void fail(const std::string &message) {
  Answer answer;
  answer.kind = Answer::Failed;
  std::strncpy(answer.message, message.c_str(), sizeof(answer.message) - 1);
  send(answer);
}

void runChild(const ProgramFile &file, const ProofConfig &config,
              const DeviceFactory &makeDevice) {
  struct sigaction action = {};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);

  Expected<std::unique_ptr<Device>> device = makeDevice();
  if (!device)
    return fail(device.error().message);
  ExecutorOptions options;
  options.arenaBytes = int64_t(file.program.claims->planned_peak[0]);
  Expected<std::unique_ptr<Session>> session =
      Session::start(file, **device, config.run, options);
  if (!session)
    return fail(session.error().message);
  Arena &arena = (*session)->executor().arena();
  arenaBegin = arena.data();
  OpTracker tracker;
  for (int64_t step = 0; step < config.steps; ++step)
    if (Status status = (*session)->step(&tracker); !status)
      return fail(status.error().message);

  // Through the device: its faults are signals on a host and errors elsewhere.
  Answer answer;
  answer.kind = Answer::Held;
  if (sigsetjmp(control, 1) == 0) {
    inControl = 1;
    Status touched = (*device)->fill(arena.data() + arena.bytes(), 1, 1);
    if (touched)
      touched = (*device)->synchronize();
    if (touched)
      answer.kind = Answer::NoFence;
  }
  inControl = 0;
  send(answer);
}

} // namespace

Proof runtime::proveFence(const ProgramFile &file, const ProofConfig &config,
                          const DeviceFactory &makeDevice) {
  int64_t planned = int64_t(file.program.claims->planned_peak[0]);
  auto verdict = [](bool passed, const std::string &detail) {
    return Proof{"fence",
                 passed ? Proof::Verdict::Passed : Proof::Verdict::Failed,
                 detail};
  };
  int ends[2];
  if (pipe(ends) != 0)
    return verdict(false,
                   std::string("cannot make a pipe: ") + std::strerror(errno));
  pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return verdict(false, std::string("cannot start a child process: ") +
                              std::strerror(errno));
  }
  if (child == 0) {
    close(ends[0]);
    answerPipe = ends[1];
    runChild(file, config, makeDevice);
    // Neither flushes the parent's buffers nor runs its destructors.
    _exit(0);
  }
  close(ends[1]);
  Answer answer;
  size_t received = 0;
  while (received < sizeof(answer)) {
    ssize_t count = read(ends[0], reinterpret_cast<char *>(&answer) + received,
                         sizeof(answer) - received);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      break;
    received += size_t(count);
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (received != sizeof(answer))
    return verdict(false, WIFSIGNALED(status)
                              ? std::string("the child died of signal ") +
                                    std::to_string(WTERMSIG(status))
                              : "the child gave no answer");
  switch (answer.kind) {
  case Answer::Held:
    return verdict(
        true, std::to_string(config.steps) + " steps in an arena of " +
                  std::to_string(planned) + " bytes; the byte after it faults");
  case Answer::Fault:
    return verdict(false,
                   (answer.op >= 0 ? describeOp(file.program, size_t(answer.op))
                                   : std::string("the initialisation")) +
                       " touched byte " + std::to_string(answer.offset) +
                       ", the arena has " + std::to_string(planned));
  case Answer::NoFence:
    return verdict(false, "the byte after the arena can be written: no fence");
  default:
    return verdict(false, answer.message);
  }
}
