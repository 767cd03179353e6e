// What a run records about itself, as JSON: its description (the program's version, the model's files with their
// SHA-256, the options that affect the output, the input's size and part), and its summary. Two runs with equal
// descriptions write the same bytes. docs/commands/embed.md has the keys. Stateless.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "program/cli/options/options.h"
#include "program/cli/output/embed_writer.h"
#include "program/cli/run/run_summary.h"
#include "program/cli/run/shard.h"

namespace bert::cli {

// Returns the SHA-256 of each file from which the model can be loaded; for the built-in model the program's version.
// Throws Error for a model that is not found.
nlohmann::json describe_model(const Options& options);

// part: of the input, if it is a regular file. Throws Error for a model that is not found.
nlohmann::json describe_run(const Options& options, const Shard& shard, const std::optional<InputPart>& part);

// Returns the first difference of two descriptions, for a message; "": they are equal.
std::string difference(const nlohmann::json& before, const nlohmann::json& now);

nlohmann::json counts_to_json(const RunCounts& counts);
RunCounts counts_from_json(const nlohmann::json& json);  // throws nlohmann::json::exception

struct RunRecord {
  RunCounts counts;
  double seconds = 0;  // total time of all runs that wrote the output
  EmbedFormat format;
  std::string digest;  // SHA-256 of the output
  nlohmann::json run;  // the description
};

std::string summary_path(const std::string& output);  // OUTPUT.summary.json

// Writes the summary of this output, replacing an existing one. Throws OutputError.
void write_summary(const std::string& output, const RunRecord& record);
// Throws Error(kInvalidFile) if there is no summary, or if write_summary() did not write it.
RunRecord read_summary(const std::string& output);

}  // namespace bert::cli
