// The journal of a run that can be resumed: a file of JSON lines beside its output. The first line describes the run;
// each further one says how far the output and the input are complete. A line is added only when that part of the
// output is on the disk, and is itself on the disk before the run goes on, so the last whole line is always true. The
// file is locked while a run uses it. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "program/cli/run/run_summary.h"

namespace bert::cli {

struct JournalEntry {
  size_t lines = 0;           // of the input that are done, counted from the file's first
  uint64_t input_end = 0;     // the byte after them
  std::string input_digest;   // SHA-256 of the input's bytes since the entry before
  uint64_t output_bytes = 0;  // that are complete
  RunCounts counts;
  double seconds = 0;
  std::string digest;  // SHA-256 of the output; only when all of it is complete
};

class Journal {
 public:
  // Calls `check` with each entry and the one before it; `begin` is that before the first. Throws OutputError if the
  // file cannot be used or another run is using it, Error(kInvalidFile) for a file that is not such a journal, and
  // Error(kInvalidArgument) if it describes another run.
  Journal(const std::string& path, const nlohmann::json& run, const JournalEntry& begin,
          const std::function<void(const JournalEntry& before, const JournalEntry& entry)>& check);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  bool is_new() const { return is_new_; }             // there was none
  const JournalEntry& last() const { return last_; }  // or `begin`

  void add(const JournalEntry& entry);
  void remove();

 private:
  void append(const nlohmann::json& line);

  std::string path_;
  int file_;
  bool is_new_ = true;
  JournalEntry last_;
};

// Makes the files' names in the folder of `path` durable.
void sync_folder(const std::string& path);

}  // namespace bert::cli
