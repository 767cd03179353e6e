#include "program/cli/run/run_record.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "bert/quantize.h"

namespace bert::cli {
namespace fs = std::filesystem;
namespace {

using Json = nlohmann::json;

[[noreturn]] void throw_not_a_summary(const std::string& path) {
  throw Error(ErrorCode::kInvalidFile, in_quotes(path) + " is not the summary of a run of embed");
}

// Options that change no byte of the output, or that are described by what they name.
constexpr std::array<std::string_view, 11> kNotDescribed = {
    "--model",        "--revision",      "--input",   "--output", "--threads", "--shard",
    "--batch-tokens", "--check-tensors", "--summary", "--resume", "--report",
};

constexpr size_t kKeyDigits = 8;  // enough to detect another key, too few to guess it

constexpr std::array<std::pair<const char*, size_t RunCounts::*>, 9> kCounts = {{
    {"texts", &RunCounts::texts},
    {"results", &RunCounts::results},
    {"tokens", &RunCounts::tokens},
    {"truncated_texts", &RunCounts::cut_texts},
    {"truncated_tokens", &RunCounts::cut_tokens},
    {"largely_unknown_texts", &RunCounts::unknown_texts},
    {"coarse_texts", &RunCounts::coarse_texts},
    {"coarse_rows", &RunCounts::coarse_rows},
    {"failed", &RunCounts::failed},
}};

}  // namespace

Json describe_model(const Options& options) { return model_digests(options.model, options.revision.value_or("main")); }

Json describe_run(const Options& options, const Shard& shard, const std::optional<InputPart>& part) {
  Json given = Json::object();
  for (const auto& [name, value] : options.given) {
    if (std::find(kNotDescribed.begin(), kNotDescribed.end(), name) != kNotDescribed.end()) continue;
    given[name] = name == "--ranges"     ? file_sha256(value)
                  : name == "--key-file" ? file_sha256(value).substr(0, kKeyDigits)
                                         : value;
  }
  Json run = {{"program", "bert-infer " + std::string(version())},
              {"model", describe_model(options)},
              {"options", given},
              {"shard", shard_text(shard)}};
  if (part) {
    run["input"] = {{"bytes", fs::file_size(options.inputs.front())},
                    {"begin", part->begin},
                    {"end", part->end},
                    {"lines_before", part->lines_before}};
  }
  return run;
}

std::string difference(const Json& before, const Json& now) {
  const Json old_values = before.flatten(), new_values = now.flatten();
  const auto value = [](const Json& values, const std::string& key) {
    return values.contains(key) ? values[key].dump() : "none";
  };
  Json keys = old_values;
  keys.update(new_values);
  for (const auto& [key, unused] : keys.items()) {
    const std::string old_value = value(old_values, key), new_value = value(new_values, key);
    if (old_value != new_value) return key.substr(1) + " was " + old_value + " and is now " + new_value;
  }
  return {};
}

Json counts_to_json(const RunCounts& counts) {
  Json result = Json::object();
  for (const auto& [name, member] : kCounts) result[name] = counts.*member;
  if (counts.redacted_texts > 0) result["redacted_texts"] = counts.redacted_texts;
  if (!counts.replaced.empty()) result["replaced"] = counts.replaced;
  return result;
}

RunCounts counts_from_json(const Json& values) {
  RunCounts counts;
  for (const auto& [name, member] : kCounts) counts.*member = values.at(name).get<size_t>();
  counts.redacted_texts = values.value("redacted_texts", size_t{0});
  if (values.contains("replaced")) counts.replaced = values["replaced"].get<std::map<std::string, size_t>>();
  return counts;
}

std::string summary_path(const std::string& output) { return output + ".summary.json"; }

void write_summary(const std::string& output, const RunRecord& record) {
  nlohmann::ordered_json summary = nlohmann::ordered_json::object();
  for (const auto& [name, member] : kCounts) summary[name] = record.counts.*member;
  summary["seconds"] = std::round(record.seconds * 1000) / 1000;
  summary["format"] = name(record.format.file_format);
  summary["output_type"] = name(record.format.type);
  summary["dimensions"] = record.format.dimensions;
  summary["digest"] = record.digest;
  summary["run"] = record.run;
  Output file(summary_path(output), Output::Access::kStream);
  file.write(summary.dump(1) + "\n");
  file.commit();
}

RunRecord read_summary(const std::string& output) {
  const std::string path = summary_path(output);
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::kInvalidFile, in_quotes(output) + " has no summary " + in_quotes(path));
  try {
    const Json summary = Json::parse(file);
    RunRecord record;
    record.counts = counts_from_json(summary);
    record.seconds = summary.at("seconds");
    const auto file_format = output_format(summary.at("format").get<std::string>());
    if (!file_format) throw_not_a_summary(path);
    record.format.file_format = *file_format;
    const auto type = std::ranges::find(kNumberTypes, summary.at("output_type").get<std::string>(),
                                        [](NumberType one) { return name(one); });
    if (type == std::end(kNumberTypes)) throw_not_a_summary(path);
    record.format.type = *type;
    record.format.dimensions = summary.at("dimensions");
    record.digest = summary.at("digest");
    record.run = summary.at("run");
    return record;
  } catch (const Json::exception&) {
    throw_not_a_summary(path);
  }
}

}  // namespace bert::cli
