#include "engine/base/file_source.h"

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"

namespace bert {
namespace fs = std::filesystem;

std::optional<std::string> DirectorySource::read(const std::string& name, size_t max_bytes) const {
  const fs::path path = directory_ / path_of(name);
  if (name.find('/') == std::string::npos) return read_text_file_if_there(path, max_bytes);
  if (!is_there(path)) return std::nullopt;
  return read_text_file_if_there(resolve_confined(directory_, path_of(name), utf8(directory_)), max_bytes);
}

std::string DirectorySource::display_name(const std::string& name) const { return utf8(directory_ / path_of(name)); }

std::optional<std::string> MemorySource::read(const std::string& name, size_t max_bytes) const {
  const auto place = files_.find(name);
  if (place == files_.end()) return std::nullopt;
  if (place->second.size() > max_bytes) {
    throw Error(ErrorCode::kInvalidFile, quote_path(display_name(name)) + ": " + std::to_string(place->second.size()) +
                                             " bytes, expected at most " + std::to_string(max_bytes));
  }
  return std::string(place->second);
}

std::string MemorySource::display_name(const std::string& name) const {
  return name_.empty() ? name : name_ + "/" + name;
}

}  // namespace bert
