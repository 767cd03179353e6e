#include "program/cli/input/file_endings.h"

#include <unistd.h>

#include <CLI/StringTools.hpp>
#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "program/cli/common.h"
#include "program/cli/input/input.h"
#include "program/cli/output/output.h"
#include "program/common/terminal.h"

namespace bert::cli {
namespace {

// Returns "jsonl" for "a.jsonl" and for "a.JSONL.gz".
std::string ending_of(const std::string& file) {
  std::filesystem::path name(CLI::detail::to_lower(std::filesystem::path(file).filename().string()));
  if (name.extension() == ".gz" || name.extension() == ".zst") name = name.stem();
  const std::string suffix = name.extension().string();
  return suffix.empty() ? suffix : suffix.substr(1);
}

bool is_one_of(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::string_view kLinesOfText = "lines of text", kObjects = "objects", kCsv = "columns with commas",
                           kTsv = "columns with tabs";

std::string_view kind_of(const std::string& ending) {
  if (is_one_of(ending, {"jsonl", "ndjson"})) return kObjects;
  return ending == "csv" ? kCsv : ending == "tsv" ? kTsv : kLinesOfText;
}

// Returns the files in a directory and below whose names have endings of the kind, sorted. Hidden files are ignored.
// Counts the others, and links to folders or to nothing, in options.
std::vector<std::string> files_of(const std::string& directory, std::string_view kind, Options& options) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator at(directory, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code none;
    const std::string name = at->path().filename().string();
    if (name.starts_with('.')) {
      at.disable_recursion_pending();
    } else if (at->is_regular_file(none)) {
      const std::string ending = ending_of(name);
      const bool is_text = is_one_of(ending, {"txt", "text", "md", "markdown", "rst", "org", "adoc", "log"});
      const bool is_read = kind == kLinesOfText ? is_text : kind_of(ending) == kind;
      is_read ? files.push_back(at->path().string()) : void(++options.files_left_out);
    } else if (at->is_symlink(none)) {
      ++options.links_left_out;
    }
  }
  if (error) throw InputError("cannot read the directory " + in_quotes(directory) + ": " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

// Replaces directories by their files.
void open_directories(Options& options) {
  const std::string_view kind = options.jsonl ? kObjects : options.csv ? kCsv : options.tsv ? kTsv : kLinesOfText;
  std::vector<std::string> inputs;
  for (const std::string& input : options.inputs) {
    std::error_code none;
    if (!std::filesystem::is_directory(input, none)) {
      inputs.push_back(input);
      continue;
    }
    options.names_files = true;
    const std::vector<std::string> files = files_of(input, kind, options);
    if (files.empty()) {
      throw InputError(
          "the directory " + in_quotes(input) + " has no file with " + std::string(kind) + " by its name" +
          (kind == kLinesOfText ? ", expected .txt, .md, .rst, .org, .adoc or .log; or --jsonl, --csv or --tsv" : ""));
    }
    inputs.insert(inputs.end(), files.begin(), files.end());
  }
  options.inputs = std::move(inputs);
  options.names_files = options.names_files || options.inputs.size() > 1;
}

}  // namespace

void settle_input(Options& options, const std::string& option) {
  open_directories(options);
  std::string_view kind;
  for (const std::string& input : options.inputs) {
    const std::string ending = ending_of(input);
    if (is_one_of(ending, {"parquet", "arrow", "feather"})) {
      throw UsageError(option + " " + in_quotes(input) + ": a ." + ending +
                       " is not read here, expected lines; `python -m bert_infer embed` reads Parquet");
    }
    if (options.has_records()) continue;
    if (ending == "json") {
      throw UsageError(
          option + " " + in_quotes(input) +
          ": a .json is not read, expected an object a line: `jq -c '.[]'` writes the items of an array so, "
          "and --jsonl reads them");
    }
    if (!kind.empty() && kind_of(ending) != kind) {
      throw UsageError(option + " " + in_quotes(options.inputs.front()) + " has " + std::string(kind) + " and " +
                       option + " " + in_quotes(input) + ' ' + std::string(kind_of(ending)) +
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
  if (is_binary && is_standard_output(options.output) && common::is_terminal(STDOUT_FILENO)) {
    throw UsageError(std::string("--format ") + name(options.format) +
                     " writes bytes, and standard output is a terminal; expected --output FILE, or a pipe");
  }
}

}  // namespace bert::cli
