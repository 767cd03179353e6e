#include "program/cli/run/long_run.h"

#include <algorithm>
#include <filesystem>

#include "bert/quantize.h"
#include "program/cli/input/line_reader.h"

namespace bert::cli {
namespace fs = std::filesystem;
namespace {

constexpr size_t kLinesOfAnEntry = 1024;
constexpr std::chrono::seconds kEntryInterval{10};

// Resolves links, because at the end of a run a link's target is replaced, not the link.
std::string without_links(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

void declare_long_run(OptionTable& table, LongRunOptions& chosen) {
  table.begin_group("Long runs");
  table.flag("--resume", chosen.resume,
             "go on with a run of this command that was ended early, or begin one that can be resumed");
  table.text("--shard", chosen.shard, "I/N", "only the Ith of N parts of the input's lines, of about equal size");
  table.flag("--merge", chosen.merge, "make one --output of the outputs of all shards, which are given as TEXTs");
  table.flag("--summary", chosen.summary,
             "write counts and a digest to OUTPUT.summary.json, as --resume, --shard and --merge do");
}

LongRun::LongRun(const Options& options, const LongRunOptions& chosen, const EmbedFormat& format)
    : options_(options),
      chosen_(chosen),
      format_(format),
      output_(without_links(options.output)),
      reads_files_(reads_files()) {
  const bool is_divided = chosen.resume || !chosen.shard.empty();
  if (!is_divided && !chosen.summary) return;
  check_options();
  const Shard shard = chosen.shard.empty() ? Shard{} : parse_shard(chosen.shard);
  std::error_code none;
  if (is_divided || (options.inputs.size() == 1 && fs::is_regular_file(options.inputs.front(), none))) {
    const std::string& file = options.inputs.front();
    part_ = shard_part(file, shard, separator_of(options, file));
  }
  run_ = describe_run(options, shard, part_);
  if (part_) {
    start_.lines = part_->lines_before;
    start_.input_end = part_->begin;
  }
  if (chosen.resume) open_journal();
  lines_done_ = start_.lines;
  input_end_ = start_.input_end;
}

void LongRun::check_options() const {
  const std::string option = chosen_.resume ? "--resume" : !chosen_.shard.empty() ? "--shard" : "--summary";
  std::error_code none;
  const bool is_file = !fs::exists(output_, none) || fs::is_regular_file(output_, none);
  if (is_standard_output(options_.output) || !is_file) {
    throw UsageError(option + " needs an --output that is a file");
  }
  if (option == "--summary") return;
  if (options_.inputs.size() != 1 || options_.inputs.front() == "-") {
    throw UsageError(option + " needs one --input that is a file");
  }
  if (LineReader(options_.inputs.front()).is_compressed()) {
    throw InputError(option + " needs lines that are not compressed: it divides " + in_quotes(options_.inputs.front()) +
                     " by its bytes");
  }
  if (format_.file_format == OutputFormat::kJson) {
    throw UsageError(option + " is not for --format json, which is one document; jsonl has the same objects");
  }
  if (format_.file_format == OutputFormat::kCsv) {
    throw UsageError(option + " is not for --format csv, whose first line names columns; jsonl has the same vectors");
  }
  if (format_.file_format == OutputFormat::kNpz) {
    throw UsageError(option + " is not for --format npz, which is one archive; jsonl has the same vectors");
  }
}

// A pipe or a terminal can block a run; a signal then ends it at once.
bool LongRun::reads_files() const {
  std::error_code none;
  return !options_.inputs.empty() && std::ranges::all_of(options_.inputs, [&](const std::string& input) {
    return fs::is_regular_file(input, none);
  });
}

bool LongRun::can_resume() const {
  const OutputFormat format = format_.file_format;
  return !chosen_.is_refused && options_.inputs.size() == 1 && format != OutputFormat::kJson &&
         format != OutputFormat::kCsv && format != OutputFormat::kNpz &&
         !LineReader(options_.inputs.front()).is_compressed();
}

void LongRun::end_without_journal(EmbedWriter& writer, Output& output) const {
  writer.finish();
  output.keep_partial();
  std::string addition = options_.inputs.size() == 1 ? " after line " + with_commas(lines_done_) : "";
  if (can_resume()) addition += "; this run cannot be resumed, use --resume next time";
  PostponedSignals::end(addition);
}

void LongRun::open_journal() {
  const auto check_input = [&](const JournalEntry& before, const JournalEntry& entry) {
    if (file_sha256(options_.inputs.front(), before.input_end, entry.input_end) == entry.input_digest) return;
    throw Error(ErrorCode::kInvalidArgument, in_quotes(options_.inputs.front()) + " has changed in lines " +
                                                 std::to_string(before.lines + 1) + " to " +
                                                 std::to_string(entry.lines) + " since the run that " +
                                                 in_quotes(output_ + ".journal") + " is of");
  };
  const std::string unfinished = output_ + ".unfinished";
  const bool has_data = fs::exists(unfinished);
  if (has_data && !fs::exists(output_ + ".journal")) {
    throw OutputError("cannot resume " + in_quotes(unfinished) + ": it has no journal; remove it to begin again");
  }
  journal_.emplace(output_ + ".journal", run_, start_, check_input);
  start_ = journal_->last();
}

bool LongRun::is_complete() const {
  if (start_.digest.empty() || fs::exists(output_ + ".unfinished")) return false;
  if (!fs::is_regular_file(output_) || file_sha256(output_) != start_.digest) {
    throw OutputError(in_quotes(output_) + " is not what the run of its journal wrote; remove " +
                      in_quotes(output_ + ".journal") + " to begin again");
  }
  return true;
}

std::unique_ptr<Input> LongRun::open_input() const {
  return part_ ? cli::open_input(options_, {start_.input_end, part_->end, start_.lines}) : cli::open_input(options_);
}

Output LongRun::open_output() const {
  const Output::Access access = format_.must_seek() ? Output::Access::kSeekable : Output::Access::kStream;
  return journal_ ? Output(output_, access, start_.output_bytes) : Output(options_.output, access);
}

void LongRun::written(const Sequence& sequence, EmbedWriter& writer, Output& output, const Model* model,
                      const RunCounts& counts) {
  if (!sequence.input.is_last || (!journal_ && !(output.has_partial() && reads_files_))) return;
  lines_done_ = sequence.source.last_line;
  input_end_ = sequence.source.end;
  if (!postponed_) postponed_.emplace();
  if (PostponedSignals::is_pending()) {
    if (!journal_) end_without_journal(writer, output);
    add_entry(output, model, counts, {});
    PostponedSignals::end(" after line " + with_commas(lines_done_) + "; run the same command again to go on");
  }
  if (!journal_) return;
  if (lines_done_ - journal_->last().lines < kLinesOfAnEntry && Clock::now() - last_entry_ < kEntryInterval) return;
  add_entry(output, model, counts, {});
}

void LongRun::complete(Output& output, const Model* model, const RunCounts& counts) {
  postponed_.reset();
  if (!journal_) return;
  output.sync();
  add_entry(output, model, counts, file_sha256(output_ + ".unfinished"));
}

void LongRun::add_entry(Output& output, const Model* model, const RunCounts& counts, const std::string& digest) {
  if (model != nullptr) model->check_files();
  output.sync();
  journal_->add({lines_done_, input_end_, file_sha256(options_.inputs.front(), journal_->last().input_end, input_end_),
                 output.position(), counts, seconds(), digest});
  last_entry_ = Clock::now();
}

double LongRun::seconds() const {
  return start_.seconds + std::chrono::duration<double>(Clock::now() - begun_).count();
}

void LongRun::finish(const RunCounts& counts, size_t dimensions) {
  if (run_.is_null()) return;
  if (journal_) sync_folder(output_);
  format_.dimensions = dimensions;
  const std::string digest = journal_ ? journal_->last().digest : file_sha256(output_);
  write_summary(output_, {counts, journal_ ? journal_->last().seconds : seconds(), format_, digest, run_});
  if (journal_) journal_->remove();
}

}  // namespace bert::cli
