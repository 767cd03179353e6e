#include "tools/cli/run_record.h"

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

using nlohmann::json;

// These change no byte of the output, or are described by what they name.
constexpr std::array<std::string_view, 10> kNotDescribed = {
    "--model", "--revision",     "--input",         "--output",  "--threads",
    "--shard", "--batch-tokens", "--check-tensors", "--summary", "--resume",
};

json describe_model(const Options& options) {
  json files = json::object();
  if (options.model.empty()) {
    files["built-in"] = version();
    return files;
  }
  const fs::path folder = find_model(options.model, options.revision.value_or("main"));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const std::string suffix = entry.path().extension().string();
    const bool is_read = suffix == ".json" || suffix == ".safetensors" || suffix == ".txt" || suffix == ".model";
    if (is_read && entry.is_regular_file()) {
      files[entry.path().lexically_relative(folder).generic_string()] = file_sha256(entry.path());
    }
  }
  return files;
}

constexpr std::array<std::pair<const char*, size_t RunCounts::*>, 7> kCounts = {{
    {"texts", &RunCounts::texts},
    {"results", &RunCounts::results},
    {"tokens", &RunCounts::tokens},
    {"truncated_texts", &RunCounts::cut_texts},
    {"truncated_tokens", &RunCounts::cut_tokens},
    {"largely_unknown_texts", &RunCounts::unknown_texts},
    {"failed", &RunCounts::failed},
}};

}  // namespace

json describe_run(const Options& options, const Shard& shard, const std::optional<InputPart>& part) {
  json given = json::object();
  for (const auto& [name, value] : options.given) {
    if (std::find(kNotDescribed.begin(), kNotDescribed.end(), name) == kNotDescribed.end()) given[name] = value;
  }
  json run = {{"program", "bert-infer " + std::string(version())},
              {"model", describe_model(options)},
              {"options", given},
              {"shard", shard_text(shard)}};
  if (part) {
    run["input"] = {{"bytes", fs::file_size(options.input)},
                    {"begin", part->begin},
                    {"end", part->end},
                    {"lines_before", part->lines_before}};
  }
  return run;
}

std::string difference(const json& before, const json& now) {
  const json old_values = before.flatten(), new_values = now.flatten();
  const auto value = [](const json& values, const std::string& key) {
    return values.contains(key) ? values[key].dump() : "none";
  };
  json keys = old_values;
  keys.update(new_values);
  for (const auto& [key, unused] : keys.items()) {
    const std::string old_value = value(old_values, key), new_value = value(new_values, key);
    if (old_value != new_value) return key.substr(1) + " was " + old_value + " and is now " + new_value;
  }
  return {};
}

json counts_to_json(const RunCounts& counts) {
  json result;
  for (const auto& [name, member] : kCounts) result[name] = counts.*member;
  return result;
}

RunCounts counts_from_json(const json& values) {
  RunCounts counts;
  for (const auto& [name, member] : kCounts) counts.*member = values.at(name).get<size_t>();
  return counts;
}

std::string summary_path(const std::string& output) { return output + ".summary.json"; }

void write_summary(const std::string& output, const RunRecord& record) {
  nlohmann::ordered_json summary;
  for (const auto& [name, member] : kCounts) summary[name] = record.counts.*member;
  summary["seconds"] = std::round(record.seconds * 1000) / 1000;
  summary["format"] = record.format.name;
  summary["output_type"] = record.format.type == NumberType::kFloat32 ? "float32" : "float16";
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
    const json summary = json::parse(file);
    RunRecord record;
    record.counts = counts_from_json(summary);
    record.seconds = summary.at("seconds");
    record.format.name = summary.at("format");
    record.format.type = summary.at("output_type") == "float16" ? NumberType::kFloat16 : NumberType::kFloat32;
    record.format.dimensions = summary.at("dimensions");
    record.digest = summary.at("digest");
    record.run = summary.at("run");
    return record;
  } catch (const json::exception&) {
    throw Error(ErrorCode::kInvalidFile, in_quotes(path) + " is not the summary of a run of embed");
  }
}

}  // namespace bert::cli
