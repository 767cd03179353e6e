// Writes a model's directory so that it appears when it is complete; finds and copies the files besides the weights.
// Stateless.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bert {

// Calls `fill` to write a new directory next to it, then renames it; after an exception nothing stays. Throws
// Error(kInvalidArgument) if the name is taken; Error(kIo).
void write_directory(const std::filesystem::path& directory,
                     const std::function<void(const std::filesystem::path& partial)>& fill);

// Throws Error(kUnsupported) for a program's file with a model, which find_model may also return.
void require_directory(const std::filesystem::path& place);

// The files of a model besides its weights: configuration, tokenizer, modules, descriptions. Paths are relative.
struct ModelFiles {
  std::vector<std::filesystem::path> all;
  std::vector<std::string> not_copied;  // the other files of the directory
};
// Finds the files. encoder: the folder in `directory` with the encoder. Its weights are in neither list, unless named
// in weights: these files are included, with the index that names them. Throws Error as require_directory() does.
ModelFiles find_files(const std::filesystem::path& directory, const std::filesystem::path& encoder,
                      const std::vector<std::string>& weights = {});

// Copies the files as copy_side_file does; returns the files that were not copied, without `to` if it is in `from`.
std::vector<std::string> copy_files(const std::filesystem::path& from, const std::filesystem::path& encoder,
                                    const std::filesystem::path& to);

// Throws Error(kIo).
void write_text_file(const std::filesystem::path& path, const std::string& text);

}  // namespace bert
