#include "engine/checkpoint/other_formats.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

std::optional<std::string> format_of(const fs::path& file) {
  const std::string suffix = utf8(file.extension());
  if (suffix != ".gguf" && suffix != ".onnx") return std::nullopt;
  return quote_path(utf8(file.filename())) + (suffix == ".gguf" ? " is a GGUF file" : " is an ONNX file") +
         ", which is not read; use the model that it was converted from: a directory with config.json and "
         "model.safetensors" +
         (suffix == ".onnx" ? ", or what tools/convert_weights.py makes of an encoder's export" : "");
}

std::optional<std::string> archive_of(const fs::path& file) {
  static constexpr std::string_view kSuffixes[] = {".gz", ".tgz", ".tar", ".zip", ".zst", ".xz", ".bz2", ".7z"};
  const std::string suffix = utf8(file.extension());
  if (std::find(std::begin(kSuffixes), std::end(kSuffixes), suffix) == std::end(kSuffixes)) return std::nullopt;
  return quote_path(utf8(file.filename())) +
         " is an archive, which is not read; unpack it: expected a directory "
         "with config.json and model.safetensors";
}

// Returns the files in the order of their names; none if the directory cannot be read.
std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::optional<std::string> other_format(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return format_of(path);
  for (const fs::path& directory : {path, path / "onnx"}) {
    for (const fs::path& file : files_in(directory)) {
      if (const auto found = format_of(file)) return found;
    }
  }
  for (const fs::path& file : files_in(path)) {
    if (const auto found = archive_of(file)) return found;
  }
  return std::nullopt;
}

}  // namespace bert
