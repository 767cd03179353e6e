// How the program ends when a signal ends it: with one line on standard error, and without an unfinished file that is
// of no use. SIGINT, SIGTERM and SIGHUP keep their exit status (128 + their number). SIGBUS, which the kernel sends
// when a mapped weight file was truncated or its disk fails, is exit status 1. SIGPIPE and SIGXFSZ are ignored: the
// write then fails like others.
#pragma once

#include <string>

namespace bert::cli {

// Once, before any thread starts.
void handle_signals();

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
  static void report(int signal);
  static Slot slots[];
  Slot* slot_ = nullptr;
};

}  // namespace bert::cli
