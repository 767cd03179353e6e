#include "tests/program/cli/program.h"
#include "tests/support/build_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

#include "tests/support/test_data.h"

extern char** environ;

namespace bert::test {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    read_end = ends[0];
    write_end = ends[1];
  }
};

std::string read_to_end(int file) {
  std::string text;
  char chunk[65536];
  // If the other side is closed, read() returns the error EIO for a terminal, and the end of the file for a pipe.
  for (ssize_t count; (count = ::read(file, chunk, sizeof(chunk))) > 0;) text.append(chunk, static_cast<size_t>(count));
  ::close(file);
  return text;
}

void write_and_close(int file, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t count = ::write(file, text.data() + at, text.size() - at);
    if (count <= 0) break;  // the program has stopped reading, which a test may expect
    at += static_cast<size_t>(count);
  }
  ::close(file);
}

std::vector<std::string> child_environment(const ProgramInput& input) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    const bool is_given = input.environment.contains(variable.substr(0, variable.find('=')));
    if (is_given || variable.starts_with("BERT_INFER_") || variable.starts_with("NO_COLOR=")) continue;
    result.push_back(variable);
  }
  for (const auto& [name, value] : input.environment) result.push_back(name + "=" + value);
  return result;
}

int exit_status(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

OpenProgram::OpenProgram(const std::vector<std::string>& arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  const Pipe in, out, err;
  std::vector<std::string> words = {program_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = child_environment({});
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  child_ = ::fork();
  if (child_ < 0) throw std::runtime_error("fork failed");
  if (child_ == 0) {
    ::dup2(in.read_end, STDIN_FILENO);
    ::dup2(out.write_end, STDOUT_FILENO);
    ::dup2(err.write_end, STDERR_FILENO);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::close(in.read_end);
  ::close(out.write_end);
  ::close(err.write_end);
  in_ = in.write_end;
  out_ = out.read_end;
  err_ = err.read_end;
}

OpenProgram::~OpenProgram() {
  if (child_ >= 0) end();
}

ProgramResult OpenProgram::end(int signal) {
  if (signal != 0) ::kill(child_, signal);
  ::close(in_);
  ProgramResult result;
  result.out = read_to_end(out_);
  result.err = read_to_end(err_);
  int status = 0;
  ::waitpid(std::exchange(child_, -1), &status, 0);
  result.status = exit_status(status);
  return result;
}

void OpenProgram::write(const std::string& text) const {
  if (::write(in_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) throw std::runtime_error("no write");
}

std::string OpenProgram::read_line(std::chrono::milliseconds within) const {
  std::string line;
  struct pollfd file = {out_, POLLIN, 0};
  while (!line.ends_with('\n') && ::poll(&file, 1, static_cast<int>(within.count())) > 0) {
    char byte = 0;
    if (::read(out_, &byte, 1) != 1) break;
    line += byte;
  }
  return line;
}

std::vector<nlohmann::json> ProgramResult::json_lines() const {
  std::vector<nlohmann::json> result;
  for (const std::string& line : lines_of(out)) result.push_back(nlohmann::json::parse(line));
  return result;
}

ProgramResult run_program(const std::vector<std::string>& arguments, const ProgramInput& input) {
  ::signal(SIGPIPE, SIG_IGN);
  Pipe in;
  Pipe out;
  Pipe err;
  if (input.terminal) {
    ::close(err.read_end);
    ::close(err.write_end);
    if (::openpty(&err.read_end, &err.write_end, nullptr, nullptr, nullptr) != 0) throw std::runtime_error("no pty");
    ::fcntl(err.read_end, F_SETFD, FD_CLOEXEC);
  }
  if (input.standard_input.empty()) {
    ::close(in.read_end);
    in.read_end = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
  if (input.closed_pipe) ::close(out.read_end);
  if (!input.output_file.empty()) {
    ::close(out.write_end);
    out.write_end = ::open(input.output_file.c_str(), O_WRONLY | O_CLOEXEC);
  }
  std::vector<std::string> words = {program_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = child_environment(input);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    ::dup2(in.read_end, STDIN_FILENO);
    ::dup2(out.write_end, STDOUT_FILENO);
    ::dup2(err.write_end, STDERR_FILENO);
    ::signal(SIGPIPE, SIG_DFL);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::close(in.read_end);
  ::close(out.write_end);
  ::close(err.write_end);

  ProgramResult result;
  std::thread writer([&] { write_and_close(in.write_end, input.standard_input); });
  std::thread reader([&] { result.err = read_to_end(err.read_end); });
  if (!input.closed_pipe) result.out = read_to_end(out.read_end);
  writer.join();
  reader.join();
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  result.status = exit_status(status);
  if (result.status == 127) throw std::runtime_error("cannot run " + program_path());
  result.peak_bytes = static_cast<size_t>(usage.ru_maxrss) * 1024;
  return result;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> command_names() {
  const std::string help = run_program({"--help-all"}).out;
  const size_t begin = help.find('\n', help.find("\nCommands") + 1);
  std::vector<std::string> names;
  for (const std::string& line : lines_of(help.substr(begin, help.find("\n\n", begin) - begin))) {
    if (line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

std::string write_file(const TemporaryDirectory& folder, const std::string& name, const std::string& content) {
  folder.write(name, content);
  return (folder.path() / name).string();
}

std::string with_vocabulary(const TemporaryDirectory& folder, const std::filesystem::path& model) {
  for (const char* name : {"config.json", "model.safetensors"})
    std::filesystem::copy(model / name, folder.path() / name);
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n";
  const size_t words = nlohmann::json::parse(read_file(model / "config.json"))["vocab_size"];
  for (size_t i = 7; i < words; ++i) vocabulary += "word" + std::to_string(i) + "\n";
  folder.write("vocab.txt", vocabulary);
  return folder.path().string();
}

std::string with_word_tokenizer(const TemporaryDirectory& folder, const std::filesystem::path& model) {
  for (const char* name : {"config.json", "model.safetensors"})
    std::filesystem::copy(model / name, folder.path() / name);
  nlohmann::json vocabulary = {{"[PAD]", 0}, {"[UNK]", 1}, {"[CLS]", 2}, {"[SEP]", 3}, {"[MASK]", 4}};
  for (const char* word : {"the", "dog", "bit", "man", "in", "park", "a", "fox", "saw"})
    vocabulary[word] = vocabulary.size();
  nlohmann::json special = nlohmann::json::array();
  for (const char* word : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) {
    special.push_back({{"id", vocabulary[word]},
                       {"content", word},
                       {"single_word", false},
                       {"lstrip", false},
                       {"rstrip", false},
                       {"normalized", false},
                       {"special", true}});
  }
  const nlohmann::json tokenizer = {
      {"version", "1.0"},
      {"added_tokens", special},
      {"normalizer", {{"type", "Lowercase"}}},
      {"pre_tokenizer", {{"type", "Whitespace"}}},
      {"post_processor", {{"type", "BertProcessing"}, {"sep", {"[SEP]", 3}}, {"cls", {"[CLS]", 2}}}},
      {"decoder", nullptr},
      {"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "[UNK]"}}}};
  folder.write("tokenizer.json", tokenizer.dump());
  return folder.path().string();
}

void expect_usage_error(const std::vector<std::string>& arguments, const std::string& says) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  ASSERT_EQ(lines_of(result.err).size(), 1u) << result.err;
  EXPECT_TRUE(result.err.starts_with("bert-infer: error: ")) << result.err;
  EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
}

}  // namespace bert::test
