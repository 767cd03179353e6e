#include "program/cli/options/written_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "bert/error.h"
#include "bert/model.h"
#include "program/cli/common.h"
#include "program/cli/output/console.h"
#include "program/cli/output/output.h"

namespace bert::cli {
namespace fs = std::filesystem;
namespace {

constexpr int kModelDepth = 2;  // folders of modules, and the folders in these

bool is_regular(const std::string& file, struct stat& status) {
  return !is_standard_output(file) && ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

bool is_same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

[[noreturn]] void refuse(const FileOption& written, const std::string& other) {
  throw UsageError(written.option + " " + in_quotes(written.file) + " is " + other + ", expected another file");
}

// Returns whether the file is part of a model, since a model's directory may also contain results.
bool is_model_file(const fs::path& file) {
  static const std::set<std::string> kEndings = {".safetensors", ".json", ".model", ".txt", ".jinja", ".bin"};
  return kEndings.contains(file.extension().string());
}

void check_model(const FileOption& written, const struct stat& output, const FileOption& model) {
  fs::path directory;
  try {
    directory = find_model(model.file);
  } catch (const Error&) {
    return;
  }
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (entry.depth() == kModelDepth) entry.disable_recursion_pending();
    struct stat status = {};
    if (is_model_file(entry->path()) && is_regular(entry->path().string(), status) && is_same_file(output, status)) {
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
      struct stat status = {};
      const bool is_device = ::stat(other.file.c_str(), &status) == 0 && S_ISCHR(status.st_mode);  // such as /dev/null
      if (!is_standard_output(output.file) && !is_device && is_same_target(output.file, other.file)) {
        refuse(output, "the file of " + other.option + " too");
      }
    }
    struct stat target = {}, source = {};
    if (!is_regular(output.file, target)) continue;
    for (const FileOption& input : read) {
      const bool is_file = input.file == "-" ? ::fstat(STDIN_FILENO, &source) == 0 : is_regular(input.file, source);
      if (is_file && is_same_file(target, source)) {
        refuse(output, input.file == "-" ? "standard input" : "the file of " + input.option + " too");
      }
    }
    for (const FileOption& model : models) check_model(output, target, model);
  }
}

}  // namespace bert::cli
