#include "program/cli/run/signals.h"

#include <cxxabi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>

#include "program/cli/output/console.h"

namespace bert::cli {
namespace {

std::string_view reason_of(int signal) {
  switch (signal) {
    case SIGINT:
      return "interrupted";
    case SIGHUP:
      return "its terminal was closed";
    case SIGBUS:
      return "a weight file can no longer be read: it was truncated, or its disk fails";
    default:
      return "terminated";
  }
}

std::atomic<bool> allocation_failed{false};
std::atomic<int> postponing{0};  // number of living PostponedSignals
std::atomic<int> pending_signal{0};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

[[noreturn]] void note_failed_allocation() {
  allocation_failed = true;
  throw std::bad_alloc();
}

std::terminate_handler handle_bug = nullptr;  // the C++ library's own handler: a message, and abort()

}  // namespace

struct UnfinishedFile::Slot {
  enum class State : int { kFree, kUseful, kUseless };
  std::atomic<State> state{State::kFree};
  char path[PATH_MAX] = "";
  char shown[2 * PATH_MAX] = "";  // for a message
};

UnfinishedFile::Slot UnfinishedFile::slots[4];

UnfinishedFile::UnfinishedFile(const std::string& path, bool is_useful) {
  const std::string shown = in_quotes(path);
  if (path.size() >= sizeof(Slot::path) || shown.size() >= sizeof(Slot::shown)) return;
  for (Slot& slot : slots) {
    if (slot.state != Slot::State::kFree) continue;
    std::strcpy(slot.path, path.c_str());
    std::strcpy(slot.shown, shown.c_str());
    slot.state = is_useful ? Slot::State::kUseful : Slot::State::kUseless;
    slot_ = &slot;
    return;
  }
}

UnfinishedFile::~UnfinishedFile() {
  if (slot_ != nullptr) slot_->state = Slot::State::kFree;
}

// Calls only functions that are safe in a handler: no memory, no locks, no formatting.
void UnfinishedFile::report(std::string_view reason) {
  write_stderr(isatty(STDERR_FILENO) == 1 ? "\r\x1b[K" : "");  // overwrites the progress bar
  write_stderr("bert-infer: error: ");
  write_stderr(reason);
  for (const Slot& slot : slots) {
    const Slot::State state = slot.state;
    if (state == Slot::State::kFree) continue;
    struct stat status = {};
    if (state == Slot::State::kUseless || (::stat(slot.path, &status) == 0 && status.st_size == 0)) {
      ::unlink(slot.path);
    } else {
      write_stderr("; what was written before is in ");
      write_stderr(slot.shown);
    }
  }
  write_stderr("\n");
}

void UnfinishedFile::end_by_signal(int signal) {
  if (postponing > 0 && signal != SIGBUS && pending_signal.exchange(signal) == 0) return;
  report(reason_of(signal));
  if (signal == SIGBUS) _exit(kFailed);
  // The signal is delivered when the handler returns, with its default effect: it ends the process with the status that
  // a shell expects.
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void UnfinishedFile::end_by_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  // There is no current exception if the exception itself found no memory, or if it left a noexcept function of the C++
  // library, such as one of its directory iterators.
  const bool lacks_memory = type == nullptr ? allocation_failed.load() : *type == typeid(std::bad_alloc);
  if (!lacks_memory) handle_bug();
  report("out of memory");
  _exit(kFailed);
}

PostponedSignals::PostponedSignals() { ++postponing; }

PostponedSignals::~PostponedSignals() {
  if (--postponing == 0 && is_pending()) end("");
}

bool PostponedSignals::is_pending() { return pending_signal != 0; }

void PostponedSignals::end(std::string_view addition) {
  const int signal = pending_signal;
  std::string reason(reason_of(signal));
  UnfinishedFile::report(reason.append(addition));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  _exit(kFailed);
}

void handle_lack_of_memory() {
  std::set_new_handler(note_failed_allocation);
  handle_bug = std::set_terminate(UnfinishedFile::end_by_exception);
}

void handle_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action = {};
  action.sa_handler = UnfinishedFile::end_by_signal;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGBUS}) {
    struct sigaction before = {};
    // A signal that was ignored at the start stays ignored: for nohup, and for background jobs of a shell.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace bert::cli
