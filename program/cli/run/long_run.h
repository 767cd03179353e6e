// Long runs of embed and redact: --resume continues a run that was ended at any moment, --shard reads a part of the
// input, and a summary in JSON describes the finished output. Used by one thread.
//
// With --resume, results go to OUTPUT.unfinished. After every 1,024 lines, or 10 seconds, they are written to the disk,
// then an entry is added to OUTPUT.journal. A run with the same description continues after the last entry. At the end
// OUTPUT gets its name, then the summary is written, then the journal is removed. SIGINT, SIGTERM and SIGHUP add an
// entry for the finished lines, and then end the run. Without --resume, a run from files to a file ends after a whole
// result, in a form that readers of the format accept.
// whole result, in a form that readers of the format take.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "program/cli/options/options.h"
#include "program/cli/output/embed_writer.h"
#include "program/cli/run/journal.h"
#include "program/cli/run/run_record.h"
#include "program/cli/run/signals.h"

namespace bert::cli {

struct LongRunOptions {
  bool resume = false;
  bool merge = false;
  bool summary = false;
  std::string shard;
  bool is_refused = false;  // options that --resume does not allow are set
};

void declare_long_run(OptionTable& table, LongRunOptions& chosen);

class LongRun {
 public:
  // Throws UsageError; InputError; OutputError; Error if the journal is of another run or the input has changed.
  LongRun(const Options& options, const LongRunOptions& chosen, const EmbedFormat& format);

  // Returns whether an earlier run ended after OUTPUT got its name: only finish() is left. Throws OutputError if OUTPUT
  // is another file now.
  bool is_complete() const;

  std::unique_ptr<Input> open_input() const;
  Output open_output() const;
  const JournalEntry& start() const { return start_; }  // what an earlier run has finished
  // Returns whether an earlier run has finished some lines.
  bool goes_on() const { return start_.lines > (part_ ? part_->lines_before : 0); }
  uint64_t bytes_before() const { return start_.input_end - part_.value_or(InputPart{}).begin; }

  // Call after a result was written and counted. Does not return if a signal is pending. model: null for a run without
  // a model.
  void written(const Sequence& sequence, EmbedWriter& writer, Output& output, const Model* model,
               const RunCounts& counts);
  // Call after the last result and the writer's finish(), before the output's commit.
  void complete(Output& output, const Model* model, const RunCounts& counts);
  // Call after the output's commit.
  void finish(const RunCounts& counts, size_t dimensions);

 private:
  using Clock = std::chrono::steady_clock;

  void check_options() const;
  bool reads_files() const;
  bool can_resume() const;
  [[noreturn]] void end_without_journal(EmbedWriter& writer, Output& output) const;
  void open_journal();
  void add_entry(Output& output, const Model* model, const RunCounts& counts, const std::string& digest);
  double seconds() const;

  const Options& options_;
  LongRunOptions chosen_;
  EmbedFormat format_;
  std::string output_;                         // the path, with links resolved
  bool reads_files_;                           // only regular files
  std::optional<InputPart> part_;              // for an input that is a regular file
  nlohmann::json run_;                         // the description; null for an ordinary run
  std::optional<Journal> journal_;             // with --resume
  std::optional<PostponedSignals> postponed_;  // from the first result until the last
  JournalEntry start_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_entry_ = begun_;
  size_t lines_done_ = 0;  // as in JournalEntry
  uint64_t input_end_ = 0;
};

}  // namespace bert::cli
