// Writing a directory of a model so that it appears when it is complete, and the files besides the weights. Stateless.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bert {

// `fill` writes into a new directory beside it, which then gets this name; nothing stays if it throws. Throws
// Error(kInvalidArgument) if there is one of this name; Error(kIo).
void write_directory(const std::filesystem::path& directory,
                     const std::function<void(const std::filesystem::path& partial)>& fill);

// Throws Error(kUnsupported) for another place that find_model gives: a program's file with a model.
void require_directory(const std::filesystem::path& place);

// What a model consists of besides its weights: configuration, tokenizer, modules, words about it. Paths are relative.
struct ModelFiles {
  std::vector<std::filesystem::path> all;
  std::vector<std::string> not_copied;  // the others of the directory
};
// encoder: the folder in `directory` with the encoder, whose weights, without `weights`, are in neither list. weights:
// files to take too, with the index that names them. Throws Error as require_directory().
ModelFiles find_files(const std::filesystem::path& directory, const std::filesystem::path& encoder,
                      const std::vector<std::string>& weights = {});

// Copies them, as copy_side_file does; returns the files that were not copied.
std::vector<std::string> copy_files(const std::filesystem::path& from, const std::filesystem::path& encoder,
                                    const std::filesystem::path& to);

// Throws Error(kIo).
void write_text_file(const std::filesystem::path& path, const std::string& text);

}  // namespace bert
