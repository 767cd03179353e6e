#include "program/cli/run/signals.h"

#include <cxxabi.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>

#include "program/cli/output/console.h"
#include "program/cli/run/process_signals.h"
#include "program/common/system_files.h"
#include "program/common/terminal.h"

namespace bert::cli {
namespace {

std::string_view reason_of(Signal signal) {
  switch (signal) {
    case Signal::kInterrupt:
      return "interrupted";
    case Signal::kHangUp:
      return "its terminal was closed";
    case Signal::kUnreadable:
      return "a weight file can no longer be read: it was truncated, or its disk fails";
    default:
      return "terminated";
  }
}

constexpr size_t kLongestPath = 4096;

std::atomic<bool> allocation_failed{false};
std::atomic<int> postponing{0};  // number of living PostponedSignals
std::atomic<Signal> pending_signal{Signal::kNone};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<Signal>::is_always_lock_free &&
              std::atomic<bool>::is_always_lock_free);

[[noreturn]] void note_failed_allocation() {
  allocation_failed = true;
  throw std::bad_alloc();
}

std::terminate_handler handle_bug = nullptr;  // the C++ library's own handler: a message, and abort()

}  // namespace

struct UnfinishedFile::Slot {
  enum class State : int { kFree, kUseful, kUseless };
  std::atomic<State> state{State::kFree};
  char path[kLongestPath] = "";
  char shown[2 * kLongestPath] = "";  // for a message
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
  write_stderr(common::is_terminal(STDERR_FILENO) ? "\r\x1b[K" : "");  // overwrites the progress bar
  write_stderr("bert-infer: error: ");
  write_stderr(reason);
  for (const Slot& slot : slots) {
    const Slot::State state = slot.state;
    if (state == Slot::State::kFree) continue;
    if (state == Slot::State::kUseless || common::is_empty_file(slot.path)) {
      ::unlink(slot.path);
    } else {
      write_stderr("; what was written before is in ");
      write_stderr(slot.shown);
    }
  }
  write_stderr("\n");
}

void UnfinishedFile::end_by_signal(Signal signal) {
  Signal none = Signal::kNone;
  const bool can_wait = postponing > 0 && signal != Signal::kUnreadable;
  if (can_wait && pending_signal.compare_exchange_strong(none, signal)) return;
  report(reason_of(signal));
  if (signal == Signal::kUnreadable) _exit(kFailed);
  end_by(signal);
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

bool PostponedSignals::is_pending() { return pending_signal != Signal::kNone; }

void PostponedSignals::end(std::string_view addition) {
  const Signal signal = pending_signal;
  std::string reason(reason_of(signal));
  UnfinishedFile::report(reason.append(addition));
  end_by(signal);
  _exit(kFailed);
}

void handle_lack_of_memory() {
  std::set_new_handler(note_failed_allocation);
  handle_bug = std::set_terminate(UnfinishedFile::end_by_exception);
}

void handle_signals() { call_at_signals(UnfinishedFile::end_by_signal); }

}  // namespace bert::cli
