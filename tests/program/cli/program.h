// Runs the program bert-infer as a user does, with arguments, standard input and an environment. Returns its outputs
// and its status.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace bert::test {

struct ProgramInput {
  std::string standard_input = {};                      // of a pipe; empty: /dev/null
  std::map<std::string, std::string> environment = {};  // beside the test's own, or instead
  std::string output_file = {};  // where standard output goes, "/dev/full" say; empty: it is caught
  bool closed_pipe = false;      // standard output is a pipe that nobody reads
  bool terminal = false;         // standard error is a terminal
};

struct ProgramResult {
  int status = -1;  // the exit status; 128 + n after signal n
  std::string out;
  std::string err;        // with `terminal`: what the terminal got
  size_t peak_bytes = 0;  // resident

  nlohmann::json json() const { return nlohmann::json::parse(out); }
  std::vector<nlohmann::json> json_lines() const;
};

// Throws std::runtime_error when the program cannot be started. A BERT_INFER_… variable of the caller's is not passed
// on.
ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramInput& input = {});

// The program while its standard input stays open.
class OpenProgram {
 public:
  explicit OpenProgram(const std::vector<std::string>& arguments);
  ~OpenProgram();
  OpenProgram(const OpenProgram&) = delete;
  OpenProgram& operator=(const OpenProgram&) = delete;

  void write(const std::string& text) const;
  // "" where nothing comes within so long.
  std::string read_line(std::chrono::milliseconds within) const;
  // Closes standard input, or sends a signal, and waits for the end; the rest of what the program prints.
  ProgramResult end(int signal = 0);

 private:
  int child_ = -1, in_ = -1, out_ = -1, err_ = -1;
};

std::vector<std::string> lines_of(const std::string& text);

// The program's commands, as its own help lists them.
std::vector<std::string> command_names();

// Writes a file into the folder and gives its path.
std::string write_file(const TemporaryDirectory& folder, const std::string& name, const std::string& content);

// Copies a model's config.json and weights into the folder, with a vocabulary of as many words: the models of
// family/ have none. Gives the folder's path.
std::string with_vocabulary(const TemporaryDirectory& folder, const std::filesystem::path& model);

// The same with a tokenizer.json: words separated by white space, in lower case, for families that read no vocab.txt.
std::string with_word_tokenizer(const TemporaryDirectory& folder, const std::filesystem::path& model);

// The command fails with status 2 and one line, which has `says`.
void expect_usage_error(const std::vector<std::string>& arguments, const std::string& says);

}  // namespace bert::test
