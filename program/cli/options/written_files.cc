#include "program/cli/options/written_files.h"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "bert/error.h"
#include "bert/model.h"
#include "program/cli/common.h"
#include "program/cli/output/console.h"
#include "program/cli/output/output.h"
#include "program/common/system_files.h"

namespace bert::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kModelDepth = 2;  // folders of modules, and the folders in these

using common::FileFacts;

// Returns nullopt for what is no regular file.
std::optional<FileFacts> regular(const std::string& file) {
  const auto facts = is_standard_output(file) ? std::nullopt : common::facts_of(file);
  return facts && facts->is_regular() ? facts : std::nullopt;
}

[[noreturn]] void refuse(const FileOption& written, const std::string& other) {
  throw UsageError(written.option + " " + in_quotes(written.file) + " is " + other + ", expected another file");
}

// Returns whether the file is part of a model, since a model's directory may also contain results.
bool is_model_file(const fs::path& file) {
  static const std::set<std::string> kEndings = {".safetensors", ".json", ".model", ".txt", ".jinja", ".bin"};
  return kEndings.contains(file.extension().string());
}

void check_model(const FileOption& written, const FileFacts& output, const FileOption& model) {
  fs::path directory;
  try {
    directory = find_model(model.file);
  } catch (const Error&) {
    return;
  }
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (entry.depth() == kModelDepth) entry.disable_recursion_pending();
    const auto facts = is_model_file(entry->path()) ? regular(entry->path().string()) : std::nullopt;
    if (facts && facts->is_same_file(output)) {
      refuse(written, "a file of " + model.option + " " + in_quotes(model.file));
    }
  }
}

}  // namespace

void check_written_files(const std::vector<FileOption>& written, const std::vector<FileOption>& read,
                         const std::vector<FileOption>& models) {
  for (const FileOption& output : written) {
    for (const FileOption& other : written) {
      if (&other == &output) break;
      const auto facts = common::facts_of(other.file);
      const bool is_device = facts && facts->type == fs::file_type::character;  // such as /dev/null
      if (!is_standard_output(output.file) && !is_device && is_same_target(output.file, other.file)) {
        refuse(output, "the file of " + other.option + " too");
      }
    }
    const auto target = regular(output.file);
    if (!target) continue;
    for (const FileOption& input : read) {
      const auto source = input.file == "-" ? common::facts_of(STDIN_FILENO) : regular(input.file);
      if (source && source->is_same_file(*target)) {
        refuse(output, input.file == "-" ? "standard input" : "the file of " + input.option + " too");
      }
    }
    for (const FileOption& model : models) check_model(output, *target, model);
  }
}

}  // namespace bert::cli
