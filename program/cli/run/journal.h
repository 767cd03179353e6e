// The journal of a run that can be resumed: a file of JSON lines beside its output. The first line describes the run;
// each further line says how far the output and the input are complete. A line is added only when that part of the
// output is on the disk, and the run continues only when the line is on the disk, so the last whole line is always
// true. The file is locked while a run uses it. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "program/cli/run/run_summary.h"

namespace bert::cli {

struct JournalEntry {
  size_t lines = 0;           // finished lines of the input, counted from the file's first
  uint64_t input_end = 0;     // the byte after the finished lines
  std::string input_digest;   // SHA-256 of the input's bytes since the previous entry
  uint64_t output_bytes = 0;  // complete bytes of the output
  RunCounts counts;
  double seconds = 0;
  std::string digest;  // SHA-256 of the whole output; only when it is complete
};

class Journal {
 public:
  // Opens or creates the journal. `check` is called with each entry and the previous one; `begin` precedes the first
  // entry. Throws OutputError if the file cannot be used or another run uses it, Error(kInvalidFile) for a file that is
  // not a journal, and Error(kInvalidArgument) if it describes another run.
  Journal(const std::string& path, const nlohmann::json& run, const JournalEntry& begin,
          const std::function<void(const JournalEntry& before, const JournalEntry& entry)>& check);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  bool is_new() const { return is_new_; }             // there was no journal
  const JournalEntry& last() const { return last_; }  // `begin` if there is no entry

  void add(const JournalEntry& entry);
  void remove();

 private:
  void append(const nlohmann::json& line);

  std::string path_;
  int file_;
  bool is_new_ = true;
  JournalEntry last_;
};

// Makes the names of files in the folder of `path` durable.
void sync_folder(const std::string& path);

}  // namespace bert::cli
