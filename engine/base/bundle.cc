#include "engine/base/bundle.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/hash/xxh64.h"
#include "engine/base/json/json_object.h"
#include "engine/base/mapped_file.h"
#include "engine/base/program_file.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t kBundleAlignment = 4096;
constexpr uint64_t kMaxBundleIndex = 1 << 20;
constexpr size_t kMaxBundledFiles = 4096;
constexpr char kBundleMagic[8] = {'B', 'E', 'R', 'T', 'P', 'A', 'C', 'K'};

struct Footer {
  uint64_t program_bytes;
  uint64_t index_offset;
  uint64_t index_bytes;
  uint64_t index_digest;
  uint64_t bytes;
  char magic[8];
};
static_assert(sizeof(Footer) == 48);

uint64_t digest_of(std::string_view text) { return xxh64(std::as_bytes(std::span(text.data(), text.size()))); }

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw Error(ErrorCode::kInvalidFile, quote_path(utf8(path)) + ": " + what);
}

// Returns the size in bytes; 0 if the file is not regular.
uint64_t size_of(const Descriptor& descriptor, const fs::path& path) {
  const FileStatus status = status_of(descriptor, path);
  return status.type == fs::file_type::regular ? status.bytes : 0;
}

// Returns whether the name is plain names with '/' between them.
bool is_plain_relative(std::string_view name) {
  while (true) {
    const size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != part.npos) return false;
    if (slash == name.npos) return true;
    name.remove_prefix(slash + 1);
  }
}

Bundle parse_index(const std::string& text, const Footer& footer, const fs::path& path) {
  const JsonDocument document = parse_json(text, utf8(path));
  const JsonObject index(document.root(), utf8(path));
  Bundle bundle{.name = index.required_string("name"), .files = {}, .program_bytes = footer.program_bytes};
  for (const Json entry : index.required_array("files")) {
    const JsonObject object(entry, utf8(path), "files");
    BundledFile file{.name = object.required_string("name"),
                     .offset = object.required_integer("offset", footer.index_offset),
                     .bytes = object.required_integer("bytes", footer.index_offset)};
    const std::string digest = object.required_string("xxh64");
    const auto [end, error] = std::from_chars(digest.data(), digest.data() + digest.size(), file.digest, 16);
    if (error != std::errc() || end != digest.data() + digest.size()) object.refuse("xxh64", "hexadecimal digits");
    if (!is_plain_relative(file.name)) object.refuse("name", "a file's name, or a folder's and a file's");
    if (bundle.files.size() == kMaxBundledFiles) {
      refuse(path, "a bundle of more than " + std::to_string(kMaxBundledFiles) + " files");
    }
    if (file.offset < footer.program_bytes || file.bytes > footer.index_offset - file.offset) {
      object.refuse("offset", "a file between the program and the index");
    }
    bundle.files.push_back(std::move(file));
  }
  return bundle;
}

// Returns the size of a program without a bundle. Throws Error(kInvalidFile) if something else follows the program's
// end.
uint64_t bytes_without_bundle(const Descriptor& descriptor, const fs::path& path) {
  const uint64_t end = program_end(descriptor, path);
  const uint64_t bytes = size_of(descriptor, path);
  if (bytes == end) return bytes;
  refuse(path, std::to_string(bytes) + " bytes, and the program ends at " + std::to_string(end) +
                   ", expected nothing or a whole bundle after it: it was truncated or altered");
}

}  // namespace

const BundledFile* Bundle::find(const std::string& file) const {
  const auto place = std::find_if(files.begin(), files.end(), [&](const BundledFile& one) { return one.name == file; });
  return place == files.end() ? nullptr : &*place;
}

bool Bundle::has_folder(const std::string& folder) const {
  return folder.empty() || std::any_of(files.begin(), files.end(), [&](const BundledFile& file) {
           return file.name.starts_with(folder) && file.name.substr(folder.size()).starts_with('/');
         });
}

std::optional<Bundle> read_bundle(const Descriptor& descriptor, const fs::path& path) {
  const uint64_t bytes = size_of(descriptor, path);
  Footer footer = {};
  const std::span<char> into(reinterpret_cast<char*>(&footer), sizeof(footer));
  if (bytes < sizeof(footer) || !read_at(descriptor, path, bytes - sizeof(footer), into)) return std::nullopt;
  if (std::memcmp(footer.magic, kBundleMagic, sizeof(kBundleMagic)) != 0) return std::nullopt;
  const uint64_t end = bytes - sizeof(footer);
  if (footer.bytes != bytes) {
    refuse(path, "a bundle of " + std::to_string(bytes) + " bytes, expected " + std::to_string(footer.bytes));
  }
  if (footer.index_bytes > kMaxBundleIndex || footer.index_bytes > end ||
      footer.index_offset != end - footer.index_bytes || footer.program_bytes > footer.index_offset) {
    refuse(path, "the footer of a bundle is damaged");
  }
  std::string index(footer.index_bytes, '\0');
  if (!read_at(descriptor, path, footer.index_offset, index) || digest_of(index) != footer.index_digest) {
    refuse(path, "the index of a bundle is damaged");
  }
  return parse_index(index, footer, path);
}

std::optional<BundlePath> find_bundle(const fs::path& path) {
  fs::path file = path, inside;
  std::error_code error;
  while (true) {
    const fs::file_type type = fs::status(file, error).type();
    if (type == fs::file_type::regular) break;
    if (error != std::errc::not_a_directory || !file.has_parent_path() || file.parent_path() == file)
      return std::nullopt;
    inside = inside.empty() ? file.filename() : file.filename() / inside;
    file = file.parent_path();
  }
  const Descriptor descriptor = Descriptor::open(file, error);
  if (error) return std::nullopt;
  std::optional<Bundle> bundle = read_bundle(descriptor, file);
  if (!bundle) return std::nullopt;
  std::string name = generic_utf8(inside.lexically_normal());
  if (name.ends_with('/')) name.pop_back();
  return BundlePath{std::move(file), std::move(*bundle), name == "." ? "" : std::move(name)};
}

std::string bundle_end(const Bundle& bundle, uint64_t bytes) {
  std::string index = "{\"name\": " + json_string(bundle.name) + ", \"files\": [";
  for (const BundledFile& file : bundle.files) {
    index += std::string(&file == &bundle.files.front() ? "" : ",") + "\n{\"name\": " + json_string(file.name) +
             ", \"offset\": " + std::to_string(file.offset) + ", \"bytes\": " + std::to_string(file.bytes) +
             ", \"xxh64\": \"" + hexadecimal(file.digest) + "\"}";
  }
  index += "]}\n";
  Footer footer{.program_bytes = bundle.program_bytes,
                .index_offset = bytes,
                .index_bytes = index.size(),
                .index_digest = digest_of(index),
                .bytes = bytes + index.size() + sizeof(Footer),
                .magic = {}};
  std::memcpy(footer.magic, kBundleMagic, sizeof(kBundleMagic));
  return index + std::string(reinterpret_cast<const char*>(&footer), sizeof(footer));
}

uint64_t bundled_offset(uint64_t bytes) { return (bytes + kBundleAlignment - 1) / kBundleAlignment * kBundleAlignment; }

void check_bundle(const fs::path& path) {
  const std::optional<BundlePath> found = find_bundle(path);
  if (!found || !found->inside.empty()) refuse(path, "expected a program with a bundle");
  const MappedFile whole = MappedFile::open(found->file);
  for (const BundledFile& file : found->bundle.files) {
    if (xxh64(whole.bytes().subspan(file.offset, file.bytes)) != file.digest) {
      refuse(found->file / path_of(file.name),
             "damaged: its XXH64 is not the " + hexadecimal(file.digest) + " of the index");
    }
  }
}

uint64_t program_bytes(const fs::path& path) {
  std::error_code error;
  const Descriptor descriptor = Descriptor::open(path, error);
  if (error) {
    const bool is_missing = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
    throw Error(is_missing ? ErrorCode::kNotFound : ErrorCode::kIo,
                quote_path(utf8(path)) + ": cannot be opened: " + error.message());
  }
  if (const std::optional<Bundle> bundle = read_bundle(descriptor, path)) return bundle->program_bytes;
  return bytes_without_bundle(descriptor, path);
}

std::optional<fs::path> own_bundle() {
  fs::path program = own_program();
  std::error_code error;
  const Descriptor descriptor = Descriptor::open(program, error);
  if (error) return std::nullopt;  // the program's file was removed, and there is no /proc
  if (read_bundle(descriptor, program)) return program;
  if (kProgramsHaveAnEnd) bytes_without_bundle(descriptor, program);
  return std::nullopt;
}

}  // namespace bert
