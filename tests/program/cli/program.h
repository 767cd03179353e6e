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
  std::string standard_input = {};                      // written to a pipe; empty: the program reads /dev/null
  std::map<std::string, std::string> environment = {};  // added to the test's own variables, or replacing them
  std::string output_file = {};  // the file for standard output, such as "/dev/full"; empty: ProgramResult::out has it
  bool closed_pipe = false;      // standard output is a pipe that nobody reads
  bool terminal = false;         // standard error is a terminal
};

struct ProgramResult {
  int status = -1;  // the exit status; 128 + n if signal n ended the program
  std::string out;
  std::string err;        // standard error; with `terminal`, what the terminal got
  size_t peak_bytes = 0;  // the largest resident memory

  nlohmann::json json() const { return nlohmann::json::parse(out); }
  std::vector<nlohmann::json> json_lines() const;
};

// Runs the program and returns its result. BERT_INFER_… variables of this process are not passed on. Throws
// std::runtime_error if the program cannot be started.
ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramInput& input = {});

// A running program whose standard input is still open.
class OpenProgram {
 public:
  explicit OpenProgram(const std::vector<std::string>& arguments);
  ~OpenProgram();
  OpenProgram(const OpenProgram&) = delete;
  OpenProgram& operator=(const OpenProgram&) = delete;

  void write(const std::string& text) const;
  // Returns the next line of the program, or "" if none comes within this time.
  std::string read_line(std::chrono::milliseconds within) const;
  // Sends a signal, or closes standard input if `signal` is 0. Waits until the program ends, and returns the rest of
  // its output.
  ProgramResult end(int signal = 0);

 private:
  int child_ = -1, in_ = -1, out_ = -1, err_ = -1;
};

std::vector<std::string> lines_of(const std::string& text);

// The program's commands, as its own help lists them.
std::vector<std::string> command_names();

// Writes a file into the folder and returns its path.
std::string write_file(const TemporaryDirectory& folder, const std::string& name, const std::string& content);

// Copies a model's config.json and weights into the folder and adds a vocabulary of the right size, which the models of
// family/ lack. Returns the folder's path.
std::string with_vocabulary(const TemporaryDirectory& folder, const std::filesystem::path& model);

// Copies a model as with_vocabulary() does, but adds a tokenizer.json, for families that read no vocab.txt. Its tokens
// are words in lower case, separated by white space.
std::string with_word_tokenizer(const TemporaryDirectory& folder, const std::filesystem::path& model);

// Expects that the command ends with status 2 and one line, which contains `says`.
void expect_usage_error(const std::vector<std::string>& arguments, const std::string& says);

}  // namespace bert::test
