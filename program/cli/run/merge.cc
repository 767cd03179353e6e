#include "program/cli/run/merge.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "bert/quantize.h"
#include "program/cli/common.h"
#include "program/cli/run/run_record.h"

namespace bert::cli {
namespace {

constexpr size_t kCopyBytes = 1 << 20;

struct ShardOutput {
  std::string path;
  Shard shard;
  RunRecord record;
};

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorCode::kInvalidArgument, message); }

ShardOutput read_shard(const std::string& path) {
  ShardOutput output{path, {}, read_summary(path)};
  if (!output.record.run.contains("shard") || !output.record.run.contains("input")) {
    fail(in_quotes(summary_path(path)) + " is not of a shard");
  }
  output.shard = parse_shard(output.record.run["shard"]);
  if (file_sha256(path) != output.record.digest) {
    fail(in_quotes(path) + " is not the file that " + in_quotes(summary_path(path)) + " describes");
  }
  return output;
}

// Returns the description without the parts that differ between shards.
nlohmann::json common_part(nlohmann::json run) {
  run.erase("shard");
  run["input"] = {{"bytes", run["input"].at("bytes")}};
  return run;
}

// Throws unless each shard is there once; they are sorted.
void check_shards(const std::vector<ShardOutput>& shards) {
  const ShardOutput& first = shards.front();
  for (const ShardOutput& one : shards) {
    if (one.shard.count != first.shard.count) {
      fail(in_quotes(first.path) + " is shard " + shard_text(first.shard) + " and " + in_quotes(one.path) + " is " +
           shard_text(one.shard));
    }
    const std::string other = difference(common_part(first.record.run), common_part(one.record.run));
    if (!other.empty()) {
      fail(in_quotes(one.path) + " is of another run than " + in_quotes(first.path) + ": " + shortened(other));
    }
  }
  for (size_t i = 0; i < std::max(shards.size(), first.shard.count); ++i) {
    if (i < shards.size() && shards[i].shard.number == i + 1) continue;
    if (i > 0 && i < shards.size() && shards[i].shard.number == i) {
      fail(in_quotes(shards[i - 1].path) + " and " + in_quotes(shards[i].path) + " are both shard " +
           shard_text(shards[i].shard));
    }
    fail("shard " + shard_text({i + 1, first.shard.count}) + " is missing");
  }
}

// Appends the file's bytes from `begin` on.
void copy_file(const std::string& path, uint64_t begin, Output& output) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(begin));
  std::string buffer(kCopyBytes, '\0');
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    output.write({buffer.data(), static_cast<size_t>(file.gcount())});
  }
  if (!file.eof()) throw Error(ErrorCode::kIo, "cannot read " + in_quotes(path));
}

// Returns the record of a run without shards, except its digest.
RunRecord merged_record(const std::vector<ShardOutput>& shards) {
  RunRecord record = shards.front().record;
  record.counts = {};
  record.seconds = 0;
  for (const ShardOutput& one : shards) {
    const RunCounts& counts = one.record.counts;
    record.counts.texts += counts.texts;
    record.counts.results += counts.results;
    record.counts.tokens += counts.tokens;
    record.counts.failed += counts.failed;
    record.counts.cut_texts += counts.cut_texts;
    record.counts.cut_tokens += counts.cut_tokens;
    record.counts.unknown_texts += counts.unknown_texts;
    record.counts.coarse_texts += counts.coarse_texts;
    record.counts.coarse_rows += counts.coarse_rows;
    record.seconds += one.record.seconds;
  }
  record.run["shard"] = shard_text({});
  record.run["input"]["end"] = record.run["input"]["bytes"];
  return record;
}

}  // namespace

int merge_shards(const Options& options, Console& console) {
  if (is_standard_output(options.output)) throw UsageError("--merge needs an --output that is a file");
  if (options.texts.empty()) throw UsageError("--merge needs the outputs of all shards, none given");
  for (const auto& [name, value] : options.given) {
    if (name != "--merge" && name != "--output") throw UsageError("--merge takes no " + name);
  }
  std::vector<ShardOutput> shards;
  for (const std::string& path : options.texts) shards.push_back(read_shard(path));
  std::sort(shards.begin(), shards.end(),
            [](const ShardOutput& a, const ShardOutput& b) { return a.shard.number < b.shard.number; });
  check_shards(shards);

  RunRecord record = merged_record(shards);
  const EmbedFormat& format = record.format;
  const uint64_t header_bytes = format.is_matrix() ? format.layout().header_bytes() : 0;
  Output output(options.output, Output::Access::kStream);
  if (format.is_matrix()) output.write(format.layout().header(record.counts.results));
  for (const ShardOutput& one : shards) copy_file(one.path, header_bytes, output);
  output.commit();
  record.digest = file_sha256(options.output);
  write_summary(options.output, record);
  console.note(std::to_string(shards.size()) + " shards, " + with_commas(record.counts.texts) + " texts");
  if (record.counts.failed > 0) {
    console.note(with_commas(record.counts.failed) + " of " + with_commas(record.counts.texts) + " texts failed");
  }
  return record.counts.failed > 0 ? kFailed : kDone;
}

}  // namespace bert::cli
