#include "program/cli/input/file_endings.h"

#include <unistd.h>

#include <CLI/StringTools.hpp>
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "program/cli/common.h"
#include "program/cli/output/output.h"

namespace bert::cli {
namespace {

// "jsonl" of "a.jsonl" and of "a.JSONL.gz".
std::string ending_of(const std::string& file) {
  std::filesystem::path name(CLI::detail::to_lower(std::filesystem::path(file).filename().string()));
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  const std::string suffix = name.extension().string();
  return suffix.empty() ? suffix : suffix.substr(1);
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

void settle_input(Options& options) {
  constexpr std::string_view kLinesOfText = "lines of text", kObjects = "objects", kCsv = "columns with commas",
                             kTsv = "columns with tabs";
  const auto kind_of = [&](const std::string& ending) {
    if (is_one_of(ending, {"jsonl", "ndjson"})) return kObjects;
    return ending == "csv" ? kCsv : ending == "tsv" ? kTsv : kLinesOfText;
  };
  std::string_view kind;
  for (const std::string& input : options.inputs) {
    const std::string ending = ending_of(input);
    if (is_one_of(ending, {"parquet", "arrow", "feather"})) {
      throw UsageError("--input " + in_quotes(input) + ": a ." + ending +
                       " is not read here, expected lines; `python -m bert_infer embed` reads Parquet");
    }
    if (options.has_records()) continue;
    if (!kind.empty() && kind_of(ending) != kind) {
      throw UsageError("--input " + in_quotes(options.inputs.front()) + " has " + std::string(kind) + " and --input " +
                       in_quotes(input) + ' ' + std::string(kind_of(ending)) +
                       ", expected one kind; --jsonl, --csv or --tsv says what all are");
    }
    kind = kind_of(ending);
  }
  options.jsonl = options.jsonl || kind == kObjects;
  options.csv = options.csv || kind == kCsv;
  options.tsv = options.tsv || kind == kTsv;
}

void settle_format(Options& options, bool has_format) {
  const std::vector<OutputFormat>& formats = options.formats;
  if (formats.empty()) return;
  const std::string suffix = CLI::detail::to_lower(std::filesystem::path(options.output).extension().string());
  const std::string ending = suffix.empty() ? suffix : suffix.substr(1);
  const std::optional<OutputFormat> format = output_format(ending);
  const std::string names = joined(formats, ", ", [](OutputFormat one) { return name(one); });
  const bool is_known = is_one_of(ending, {"json", "jsonl", "csv", "npy", "npz", "safetensors", "html"});
  const bool is_plain = is_one_of(ending, {"", "txt", "text", "log", "out", "md"});
  if (!is_known && !is_plain && !has_format) {
    throw UsageError("--output " + in_quotes(options.output) + ": " + suffix + " names no format, expected one of " +
                     names + ", or a --format");
  }
  if (is_known) {
    if (!format || std::find(formats.begin(), formats.end(), *format) == formats.end()) {
      throw UsageError("--output " + in_quotes(options.output) + ": the command does not write " + ending +
                       ", expected one of " + names);
    }
    if (has_format && options.format != *format) {
      throw UsageError("--output " + in_quotes(options.output) + " ends with " + suffix + ", but --format is " +
                       name(options.format));
    }
    options.format = *format;
  }
  const bool is_binary = options.format == OutputFormat::kNpy || options.format == OutputFormat::kNpz ||
                         options.format == OutputFormat::kSafetensors;
  if (is_binary && is_standard_output(options.output) && ::isatty(STDOUT_FILENO) == 1) {
    throw UsageError(std::string("--format ") + name(options.format) +
                     " writes bytes, and standard output is a terminal; expected --output FILE, or a pipe");
  }
}

}  // namespace bert::cli
