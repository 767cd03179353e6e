#include "engine/base/file.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "bert/error.h"
#include "engine/base/bundle.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

std::string name_of(const fs::path& path) { return quote_path(utf8(path)); }

std::string_view kind_of(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a directory";
    case fs::file_type::fifo:
      return "a FIFO";
    case fs::file_type::character:
      return "a character device";
    case fs::file_type::block:
      return "a block device";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "something else";
  }
}

[[noreturn]] void refuse_kind(const fs::path& path, fs::file_type type) {
  throw Error(ErrorCode::kInvalidFile,
              name_of(path) + ": is " + std::string(kind_of(type)) + ", expected a regular file");
}

// Returns the file's type. `error`: the error of reading `status`.
fs::file_type known_type(const fs::path& path, const fs::file_status& status, const std::error_code& error) {
  const bool is_known = status.type() != fs::file_type::none || error == std::errc::filename_too_long;
  if (!is_known) throw Error(ErrorCode::kIo, name_of(path) + ": cannot be examined: " + error.message());
  return status.type();
}

fs::file_type own_type(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  return known_type(path, status, error);
}

// Returns the folder models--org--name of the hub's local cache that contains this real directory; empty if there is
// none.
fs::path hub_folder_of(const fs::path& real_directory) {
  for (fs::path folder = real_directory; folder.has_relative_path(); folder = folder.parent_path()) {
    if (utf8(folder.filename()).starts_with("models--")) return folder;
  }
  return {};
}

// Returns whether a path is a folder in a bundle, or a bundle itself.
bool is_bundled_folder(const fs::path& path) {
  const std::optional<BundlePath> found = find_bundle(path);
  return found && found->bundle.has_folder(found->inside);
}

// Returns whether a path is a folder or a file in a bundle, or a bundle itself.
bool is_bundled(const fs::path& path) {
  const std::optional<BundlePath> found = find_bundle(path);
  return found && (found->bundle.find(found->inside) != nullptr || found->bundle.has_folder(found->inside));
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() && rest != path.end();
}

}  // namespace

std::optional<RegularFile> RegularFile::open_if_there(const fs::path& path) {
  if (utf8(path).find('\0') != std::string::npos) {
    throw Error(ErrorCode::kInvalidArgument, name_of(path) + ": a NUL in a file's name");
  }
  std::error_code error;
  RegularFile file(path, Descriptor::open(path, error));
  if (error) {
    if (error == std::errc::no_such_device_or_address) refuse_kind(path, fs::file_type::socket);
    if (error == std::errc::not_a_directory) return open_in_bundle(path);
    if (error != std::errc::no_such_file_or_directory) {
      throw Error(ErrorCode::kIo, name_of(path) + ": cannot be opened: " + error.message());
    }
    if (own_type(path) == fs::file_type::symlink) {
      throw Error(ErrorCode::kNotFound, name_of(path) + ": is a link to a file that is not there");
    }
    return std::nullopt;
  }
  file.opened_ = status_of(file.descriptor_, path);
  if (file.opened_.type != fs::file_type::regular) refuse_kind(path, file.opened_.type);
  file.size_ = file.opened_.bytes;
  return file;
}

std::optional<RegularFile> RegularFile::open_in_bundle(const fs::path& path) {
  const std::optional<BundlePath> found = find_bundle(path);
  const BundledFile* bundled = found ? found->bundle.find(found->inside) : nullptr;
  if (bundled == nullptr) return std::nullopt;
  RegularFile file = open(found->file);
  file.path_ = path;
  file.begin_ = bundled->offset;
  file.size_ = bundled->bytes;
  return file;
}

RegularFile RegularFile::open(const fs::path& path) {
  std::optional<RegularFile> file = open_if_there(path);
  if (!file) throw Error(ErrorCode::kNotFound, name_of(path) + ": no such file");
  return std::move(*file);
}

void RegularFile::check_is_unchanged() const {
  const FileStatus now = status_of(descriptor_, path_);
  if (now.bytes != opened_.bytes) {
    throw Error(ErrorCode::kInvalidFile,
                name_of(path_) + (now.bytes < opened_.bytes ? ": truncated at byte " : ": grew to byte ") +
                    std::to_string(now.bytes) + " while it was read, expected " + std::to_string(opened_.bytes));
  }
  if (now.modified_ns == opened_.modified_ns) return;
  throw Error(ErrorCode::kInvalidFile,
              name_of(path_) + ": written while it was read, expected a file that is replaced by a rename");
}

FileStatus status_of(const Descriptor& descriptor, const fs::path& path) {
  std::error_code error;
  const FileStatus status = descriptor.status(error);
  if (error) throw Error(ErrorCode::kIo, name_of(path) + ": cannot be examined: " + error.message());
  return status;
}

bool read_at(const Descriptor& descriptor, const fs::path& path, uint64_t offset, std::span<char> bytes) {
  std::error_code error;
  const size_t read = descriptor.read_at(offset, bytes, error);
  if (error) throw Error(ErrorCode::kIo, name_of(path) + ": cannot be read: " + error.message());
  return read == bytes.size();
}

void read_file(const RegularFile& file, std::span<char> bytes) {
  const bool is_whole = read_at(file.descriptor(), file.path(), file.begin(), bytes);
  file.check_is_unchanged();
  if (is_whole) return;
  throw Error(ErrorCode::kInvalidFile,
              name_of(file.path()) + ": truncated, expected " + std::to_string(bytes.size()) + " bytes");
}

namespace {

std::string read_all(const RegularFile& file, size_t max_bytes) {
  if (file.size() > max_bytes) {
    throw Error(ErrorCode::kInvalidFile, name_of(file.path()) + ": " + std::to_string(file.size()) +
                                             " bytes, expected at most " + std::to_string(max_bytes));
  }
  std::string text(file.size(), '\0');
  read_file(file, text);
  return text;
}

}  // namespace

std::string read_text_file(const fs::path& path, size_t max_bytes) {
  return read_all(RegularFile::open(path), max_bytes);
}

std::optional<std::string> read_text_file_if_there(const fs::path& path, size_t max_bytes) {
  const std::optional<RegularFile> file = RegularFile::open_if_there(path);
  if (!file) return std::nullopt;
  return read_all(*file, max_bytes);
}

bool directory_exists(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const fs::file_type type = known_type(path, status, error);
  if (type == fs::file_type::regular || type == fs::file_type::not_found) return is_bundled_folder(path);
  return type == fs::file_type::directory;
}

bool is_there(const fs::path& path) {
  const fs::file_type type = own_type(path);
  return type == fs::file_type::not_found ? is_bundled(path) : type != fs::file_type::none;
}

bool is_plain_file_name(std::string_view name) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto is_allowed = [&](char c) { return is_word(c) || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= 255 && is_word(name[0]) && std::all_of(name.begin(), name.end(), is_allowed);
}

fs::path resolve_confined(const fs::path& directory, const fs::path& relative, std::string_view source) {
  const std::string named = quote_path(source) + " names " + quote(utf8(relative));
  if (find_bundle(directory)) {
    const fs::path inside = (directory / relative).lexically_normal();
    if (!is_inside(inside, directory.lexically_normal())) {
      throw Error(ErrorCode::kInvalidFile, named + ", expected a file in " + name_of(directory));
    }
    if (is_bundled(inside)) return inside;
    throw Error(ErrorCode::kNotFound, named + ", which is not there");
  }
  std::error_code error;
  const fs::path root = fs::canonical(directory, error);
  if (error) throw Error(ErrorCode::kIo, name_of(directory) + ": cannot be examined: " + error.message());
  const fs::path real = fs::canonical(root / relative, error);
  if (error) {
    const bool is_missing = error != std::errc::not_enough_memory && error != std::errc::io_error;
    throw Error(is_missing ? ErrorCode::kNotFound : ErrorCode::kIo,
                named + (is_missing ? ", which is not there: " : ", which cannot be examined: ") + error.message());
  }
  const fs::path hub_folder = hub_folder_of(root);
  if (is_inside(real, root) || (!hub_folder.empty() && is_inside(real, hub_folder))) return real;
  throw Error(ErrorCode::kInvalidFile,
              named + ", which leads to " + name_of(real) + ", expected a file in " + name_of(root));
}

}  // namespace bert
