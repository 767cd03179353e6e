// How the program ends by a signal or by lack of memory: with one line on standard error, and without useless
// unfinished files. SIGINT, SIGTERM and SIGHUP keep their exit status (128 + their number), as Ctrl-C, Ctrl-Break and a
// closed console have on Windows. SIGBUS, which the kernel sends if a mapped weight file was truncated or its disk
// fails, gives exit status 1. SIGPIPE and SIGXFSZ are ignored,
// so that the write fails like others. Lack of memory that no handler can catch, as in a destructor, gives exit status
// 1.
#pragma once

#include <string>
#include <string_view>

#include "program/cli/run/process_signals.h"

namespace bert::cli {

// Call once, before any thread starts.
void handle_signals();

// Call once, before everything else.
void handle_lack_of_memory();

// A file that a signal must remove (is_useful: false), or name in its line. Only a few can be registered at a time;
// others are not. Used by one thread.
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
  static void end_by_signal(Signal signal);
  static void end_by_exception();
  static Slot slots[];
  Slot* slot_ = nullptr;
};

// While one exists, the first SIGINT, SIGTERM or SIGHUP waits until the run checks for it, or until the last one is
// destroyed; a second signal acts at once. Used by one thread.
class PostponedSignals {
 public:
  PostponedSignals();
  ~PostponedSignals();
  PostponedSignals(const PostponedSignals&) = delete;
  PostponedSignals& operator=(const PostponedSignals&) = delete;

  static bool is_pending();
  // Ends the program by the pending signal. addition: is added to the reason in its line.
  [[noreturn]] static void end(std::string_view addition);
};

}  // namespace bert::cli
