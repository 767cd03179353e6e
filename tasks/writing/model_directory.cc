#include "tasks/writing/model_directory.h"

#include <algorithm>

#include "bert/error.h"
#include "bert/new_file.h"
#include "bert/quantize.h"
#include "engine/base/descriptor.h"
#include "engine/base/file.h"
#include "engine/base/mapped_file.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "models/files/model_files.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr int kPartialNames = 9;
constexpr std::string_view kIndexEnding = ".safetensors.index.json";

bool is_copied(const fs::path& relative) {
  const std::string name = utf8(relative.filename());
  if (name == "verify.json" || name.ends_with(kIndexEnding)) return false;
  for (const char* ending : {".json", ".txt", ".md"}) {
    if (name.ends_with(ending)) return true;
  }
  if (is_model_file(name) || name.starts_with("LICENSE") || name.starts_with("NOTICE")) return true;
  // The weights of a module after the encoder.
  return name == "model.safetensors" && relative.has_parent_path();
}

// Waits until a file, or the names in a directory, are on the disk.
void sync_to_disk(const fs::path& path) {
  std::error_code error;
  Descriptor file = Descriptor::open(path, error);
  if (!error) error = file.sync();
  if (!error) return;
  throw Error(ErrorCode::kIo, quote_path(utf8(path)) + ": cannot be written to its disk: " + error.message());
}

// Creates a new directory, DIRECTORY.partial or DIRECTORY.partial.2 and so on, named as NewFile names files: existing
// ones may belong to other runs, killed runs or the user.
fs::path make_partial(const fs::path& directory) {
  fs::path first = directory;
  first += ".partial";
  if (fs::create_directories(first)) return first;
  for (int n = 2; n <= kPartialNames; ++n) {
    fs::path next = first;
    next += "." + std::to_string(n);
    if (fs::create_directory(next)) return next;
  }
  throw Error(ErrorCode::kInvalidArgument,
              quote_path(utf8(first)) + ": exists, and .2 to ." + std::to_string(kPartialNames) +
                  " of it: other runs are writing them, or killed ones have left them, which have to be removed");
}

void remove_unfinished(const fs::path& directory) {
  if (directory.empty()) return;
  std::error_code ignored;  // the error that is being reported matters
  fs::remove_all(directory, ignored);
}

}  // namespace

void write_directory(const fs::path& directory, const std::function<void(const fs::path& partial)>& fill) {
  if (is_there(directory)) {
    throw Error(ErrorCode::kInvalidArgument,
                quote_path(utf8(directory)) + ": exists, expected the name of a new directory");
  }
  fs::path partial;
  try {
    partial = make_partial(directory);
    fill(partial);
    publish_directory(partial, directory);
  } catch (const fs::filesystem_error& error) {
    remove_unfinished(partial);
    throw Error(ErrorCode::kIo, quote_path(utf8(directory)) + ": " + error.code().message());
  } catch (...) {
    remove_unfinished(partial);
    throw;
  }
}

void require_directory(const fs::path& place) {
  if (fs::is_directory(place)) return;
  throw Error(ErrorCode::kUnsupported,
              quote_path(utf8(place)) + ": a program with a model in it, expected a model's directory");
}

ModelFiles find_files(const fs::path& directory, const fs::path& encoder, const std::vector<std::string>& weights) {
  require_directory(directory);
  ModelFiles files;
  const auto is_taken = [&](const fs::path& path) {
    return std::find(weights.begin(), weights.end(), utf8(path)) != weights.end();
  };
  for (auto entry = fs::recursive_directory_iterator(directory); entry != fs::recursive_directory_iterator(); ++entry) {
    const fs::path relative = entry->path().lexically_relative(directory);
    if (entry->is_directory()) {
      // Skips other forms of the same weights, and files of tools.
      const std::string name = utf8(relative.filename());
      const bool is_part = fs::exists(entry->path() / "config.json") || name == "labels_tokenizer";
      if (is_part && entry.depth() == 0 && entry->is_symlink()) {
        throw Error(ErrorCode::kInvalidFile, quote_path(utf8(entry->path())) + ": a link, expected a folder");
      }
      if (entry.depth() > 0 || name.starts_with('.') || !is_part) {
        entry.disable_recursion_pending();
        files.not_copied.push_back(utf8(relative) + "/");
      }
      continue;
    }
    const bool is_index = utf8(relative).ends_with(kIndexEnding) && weights.size() > 1;
    const bool is_encoders_weights =
        entry->path().extension() == ".safetensors" && fs::equivalent(entry->path().parent_path(), encoder);
    if (is_taken(entry->path()) || is_index || (is_copied(relative) && !is_encoders_weights)) {
      files.all.push_back(relative);
    } else if (!is_encoders_weights && relative.filename() != "verify.json") {
      files.not_copied.push_back(utf8(relative));
    }
  }
  std::sort(files.all.begin(), files.all.end());
  std::sort(files.not_copied.begin(), files.not_copied.end());
  return files;
}

std::vector<std::string> copy_files(const fs::path& from, const fs::path& encoder, const fs::path& to) {
  ModelFiles files = find_files(from, encoder);
  for (const fs::path& file : files.all) copy_side_file(from, file, to);
  std::erase(files.not_copied, utf8(fs::relative(to, from)) + "/");
  return std::move(files.not_copied);
}

void copy_side_file(const fs::path& directory, const fs::path& file, const fs::path& to) {
  const MappedFile mapped = MappedFile::open(resolve_confined(directory, file, utf8(directory)));
  const fs::path folder = (to / file).parent_path();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(ErrorCode::kIo, quote_path(utf8(folder)) + ": cannot be made: " + error.message());
  NewFile copy(to / file);
  copy.write(mapped.bytes());
  mapped.check_is_unchanged();
  copy.publish();
}

void write_text_file(const fs::path& path, const std::string& text) {
  NewFile file(path, NewFile::Existing::kReplace);
  file.write(text);
  file.publish();
}

void publish_directory(const fs::path& partial, const fs::path& directory) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(partial, error), end; !error && entry != end; entry.increment(error)) {
    sync_to_disk(entry->path());
  }
  if (!error) {
    sync_to_disk(partial);
    fs::rename(partial, directory, error);
  }
  if (error) throw Error(ErrorCode::kIo, quote_path(utf8(directory)) + ": " + error.message());
  try {
    sync_to_disk(fs::absolute(directory).parent_path());
  } catch (...) {
    fs::rename(directory, partial, error);  // renamed back, so that the caller can remove it
    throw;
  }
}

}  // namespace bert
