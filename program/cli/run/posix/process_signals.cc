#include "program/cli/run/process_signals.h"

#include <csignal>
#include <utility>

namespace bert::cli {
namespace {

constexpr std::pair<int, Signal> kSignals[] = {{SIGINT, Signal::kInterrupt},
                                               {SIGTERM, Signal::kTerminate},
                                               {SIGHUP, Signal::kHangUp},
                                               {SIGBUS, Signal::kUnreadable}};

void (*chosen_handler)(Signal signal) = nullptr;

void handle(int number) {
  for (const auto& [known, signal] : kSignals) {
    if (known == number) chosen_handler(signal);
  }
}

// By the signal's default effect.
void end_by_number(int number) {
  std::signal(number, SIG_DFL);
  std::raise(number);
}

}  // namespace

void call_at_signals(void (*handler)(Signal signal)) {
  chosen_handler = handler;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action = {};
  action.sa_handler = handle;
  sigfillset(&action.sa_mask);
  for (const auto& [number, signal] : kSignals) {
    struct sigaction before = {};
    // A signal that was ignored at the start stays ignored: for nohup, and for background jobs of a shell.
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
}

void end_by(Signal signal) {
  for (const auto& [number, known] : kSignals) {
    if (known == signal) end_by_number(number);
  }
}

void end_by_closed_pipe() { end_by_number(SIGPIPE); }

}  // namespace bert::cli
