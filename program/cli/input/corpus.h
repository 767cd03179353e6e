// The lines that the command search ranks: they are embedded once, and read again for the results. Lines of standard
// input, which can be read only once, are kept in memory. Used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "program/cli/input/input.h"
#include "program/cli/options/options.h"

namespace bert::cli {

class Corpus {
 public:
  // Opens the lines that options.inputs and the kind of its records name. Throws InputError.
  explicit Corpus(const Options& options);

  // Returns the SHA-256 of each file, and how its lines are read. Throws InputError unless all are regular files.
  std::string digest() const;

  // Returns the lines, for one pass over all of them. Blank lines are marked.
  Input& input() { return *lines_; }

  // Returns the lines with these numbers, from 0. Throws InputError if the file was written to since this object was
  // made.
  std::map<size_t, Item> lines(const std::set<size_t>& numbers) const;

 private:
  class Lines;
  struct FileState {
    bool is_regular = false;
    uintmax_t bytes = 0;
    std::filesystem::file_time_type modified = {};
    bool operator==(const FileState&) const = default;
  };

  static FileState state_of(const std::string& path);
  void check_is_unchanged() const;

  Options options_;
  std::vector<FileState> files_;
  bool are_files_;  // regular files, which can be read again
  std::unique_ptr<Input> input_;
  std::vector<Item> kept_;
  std::unique_ptr<Input> lines_;
};

}  // namespace bert::cli
