// How the program ends when a signal or a lack of memory ends it: with one line on standard error, and without an
// unfinished file that is of no use. SIGINT, SIGTERM and SIGHUP keep their exit status (128 + their number). SIGBUS,
// which the kernel sends when a mapped weight file was truncated or its disk fails, is exit status 1. SIGPIPE and
// SIGXFSZ are ignored: the write then fails like others. A lack of memory that no handler can catch, as in a
// destructor, is exit status 1.
#pragma once

#include <string>
#include <string_view>

namespace bert::cli {

// Once, before any thread starts.
void handle_signals();

// Once, before all else.
void handle_lack_of_memory();

// A file that a signal must remove (`is_useful` false), or name in its line. At most a few at a time: a further one is
// not registered. Used by one thread.
class UnfinishedFile {
 public:
  UnfinishedFile(const std::string& path, bool is_useful);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  struct Slot;
  friend void handle_signals();
  friend void handle_lack_of_memory();
  friend class PostponedSignals;
  static void report(std::string_view reason);
  static void end_by_signal(int signal);
  static void end_by_exception();
  static Slot slots[];
  Slot* slot_ = nullptr;
};

// While one lives, the first SIGINT, SIGTERM or SIGHUP waits until the run asks for it, or the last one ends; the
// second has its effect at once. Used by one thread.
class PostponedSignals {
 public:
  PostponedSignals();
  ~PostponedSignals();
  PostponedSignals(const PostponedSignals&) = delete;
  PostponedSignals& operator=(const PostponedSignals&) = delete;

  static bool is_pending();
  // Ends the program by the pending signal. addition: to the reason in its line.
  [[noreturn]] static void end(std::string_view addition);
};

}  // namespace bert::cli
