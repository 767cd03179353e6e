// Measures the program as a user starts it. Each run of bert-infer is a process.
//   start/<model>           from start to the printed result of one sentence; wall time, peak resident memory
//   forward/<model>         one forward pass of the same sentence in this process, for comparison
//   memory/embed-lines/<n>  peak memory of `bert-infer embed --input - --format jsonl` over n lines, built-in model
//   memory/second-process/<model>   the memory of a second process on the same model that the two do not share
// The models are builtin, bert-base (random weights), bert-base-int8 (bert-base, quantised), and minilm if
// BERT_TEST_MINILM is set.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tools/bench/base_model.h"
#include "tools/bench/commands.h"
#include "tools/bench/measure.h"

extern char** environ;

namespace bert::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kStarts = 15;
constexpr double kMiB = 1 << 20;

// A child process with pipes, or files, as its standard input and output.
class Child {
 public:
  Child(std::vector<std::string> arguments, const std::string& input_file, const std::string& output_file) {
    int in[2] = {-1, -1};
    int out[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    attach(actions, STDIN_FILENO, input_file, O_RDONLY, in, 0);
    attach(actions, STDOUT_FILENO, output_file, O_WRONLY, out, 1);
    if (!input_file.empty() && !output_file.empty()) {
      // The messages of the program are discarded; a failure is reported with its command.
      posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const int problem = posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (in[0] >= 0) close(in[0]);
    if (out[1] >= 0) close(out[1]);
    to_child_ = in[1];
    from_child_ = out[0];
    if (problem != 0) throw std::runtime_error("cannot start '" + arguments[0] + "'");
  }
  ~Child() {
    if (pid_ > 0) wait();
    if (from_child_ >= 0) close(from_child_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }

  void write_line(const std::string& line) {
    const std::string text = line + "\n";
    if (write(to_child_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("the child does not read");
    }
  }

  std::string read_line() {
    std::string line;
    char byte = 0;
    while (read(from_child_, &byte, 1) == 1 && byte != '\n') line += byte;
    if (line.empty()) throw std::runtime_error("the child has ended");
    return line;
  }

  // Closes the process's input, and returns the resources it used. Throws for an exit status other than 0.
  rusage wait() {
    if (to_child_ >= 0) close(to_child_);
    to_child_ = -1;
    int status = 0;
    rusage usage{};
    wait4(pid_, &status, 0, &usage);
    pid_ = 0;
    exit_status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return usage;
  }
  int exit_status() const { return exit_status_; }

 private:
  static void attach(posix_spawn_file_actions_t& actions, int target, const std::string& file, int flags,
                     int (&ends)[2], int child_end) {
    if (!file.empty()) {
      posix_spawn_file_actions_addopen(&actions, target, file.c_str(), flags, 0);
      return;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_adddup2(&actions, ends[child_end], target);
  }

  pid_t pid_ = 0;
  int to_child_ = -1;
  int from_child_ = -1;
  int exit_status_ = 0;
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

struct Run {
  double wall = 0;
  double cpu = 0;
  double peak_mib = 0;
};

// Runs the program of `bench process --spawn INPUT PROGRAM ARGUMENT…` and prints the three numbers. This is a process
// of its own, because Linux counts the parent's memory in the peak of a child, and this parent has almost none.
int spawn_and_print(int argc, char** argv) {
  if (argc < 4) return 2;
  rusage usage{};
  int status = 0;
  const double wall = wall_time_of([&] {
    Child child(std::vector<std::string>(argv + 3, argv + argc), argv[2], "/dev/null");
    usage = child.wait();
    status = child.exit_status();
  });
  std::printf("%.6f %.6f %.3f\n", wall, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
              static_cast<double>(usage.ru_maxrss) / 1024);
  return status;
}

Run run_program(const std::vector<std::string>& command, const std::string& input) {
  std::vector<std::string> arguments = {fs::read_symlink("/proc/self/exe").string(), "process", "--spawn", input};
  arguments.insert(arguments.end(), command.begin(), command.end());
  Child spawner(std::move(arguments), "/dev/null", "");
  std::istringstream line(spawner.read_line());
  Run run;
  line >> run.wall >> run.cpu >> run.peak_mib;
  spawner.wait();
  if (spawner.exit_status() != 0) {
    std::string line_of_shell;
    for (const std::string& argument : command) line_of_shell += " '" + argument + "'";
    throw std::runtime_error("failed:" + line_of_shell);
  }
  return run;
}

struct NamedModel {
  std::string name;
  std::string directory;  // empty: the built-in one
};

std::vector<NamedModel> models() {
  std::vector<NamedModel> all = {{"builtin", ""},
                                 {"bert-base", base_model_directory(WeightFormat::kF32).string()},
                                 {"bert-base-int8", base_model_directory(WeightFormat::kI8).string()}};
  if (const char* minilm = std::getenv("BERT_TEST_MINILM")) {
    all.push_back({"minilm", minilm});
  } else {
    std::fprintf(stderr, "SKIPPED start/minilm: BERT_TEST_MINILM names no directory\n");
  }
  return all;
}

void register_start(const std::string& program, const NamedModel& model) {
  benchmark::RegisterBenchmark(("start/" + model.name).c_str(),
                               [=](benchmark::State& state) {
                                 std::vector<std::string> command = {program};
                                 if (!model.directory.empty())
                                   command.insert(command.end(), {"--model", model.directory});
                                 command.emplace_back(kSentence);
                                 for (auto _ : state) {
                                   const Run run = run_program(command, "/dev/null");
                                   state.SetIterationTime(run.wall);
                                   state.counters["cpu_ms"] = 1e3 * run.cpu;
                                   state.counters["peak_MiB"] = run.peak_mib;
                                 }
                                 const fs::path weights = fs::path(model.directory) / "model.safetensors";
                                 state.counters["file_MiB"] =
                                     model.directory.empty() ? 0 : static_cast<double>(fs::file_size(weights)) / kMiB;
                               })
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(kStarts)
      ->Unit(benchmark::kMillisecond);

  benchmark::RegisterBenchmark(
      ("forward/" + model.name).c_str(),
      [=](benchmark::State& state) {
        const Model loaded = model.directory.empty() ? Model::builtin() : Model::load(model.directory);
        for (int i = 0; i < 3; ++i) benchmark::DoNotOptimize(loaded.encode(kSentence));
        const size_t threads = loaded.describe().threads;
        for (auto _ : state) {
          state.SetIterationTime(time_of(threads, [&] { benchmark::DoNotOptimize(loaded.encode(kSentence)); }));
        }
        state.counters["threads"] = static_cast<double>(threads);
      })
      ->UseManualTime()
      ->Iterations(5)
      ->Repetitions(kStarts)
      ->Unit(benchmark::kMillisecond);
}

void register_lines(const std::string& program, size_t lines) {
  benchmark::RegisterBenchmark(
      ("memory/embed-lines/" + std::to_string(lines)).c_str(),
      [=](benchmark::State& state) {
        const fs::path input = fs::temp_directory_path() / ("bert-infer-bench-lines-" + std::to_string(getpid()));
        {
          std::ofstream file(input);
          for (size_t line = 0; line < lines; ++line) file << "Line " << line << ": " << kSentence << ".\n";
        }
        for (auto _ : state) {
          const Run run = run_program({program, "embed", "--input", "-", "--format", "jsonl"}, input.string());
          state.SetIterationTime(run.wall);
          state.counters["peak_MiB"] = run.peak_mib;
          state.counters["lines/s"] = static_cast<double>(lines) / run.wall;
        }
        fs::remove(input);
      })
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(1)
      ->Unit(benchmark::kMillisecond);
}

// Returns a field of another process's memory map, in MiB.
double memory_of(pid_t pid, const std::string& field) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
  }
  throw std::runtime_error("the kernel does not say '" + field + "'");
}

void register_second_process(const std::string& program, const NamedModel& model) {
  benchmark::RegisterBenchmark(
      ("memory/second-process/" + model.name).c_str(),
      [=](benchmark::State& state) {
        // --batch-tokens 1: each line is answered before the next one arrives.
        const std::vector<std::string> command = {program, "embed",    "--model", model.directory,  "--input",
                                                  "-",     "--format", "jsonl",   "--batch-tokens", "1"};
        for (auto _ : state) {
          Child first(command, "", "");
          Child second(command, "", "");
          for (Child* child : {&first, &second}) {
            child->write_line(kSentence);
            child->read_line();
          }
          const double own = memory_of(second.pid(), "Private_Clean") + memory_of(second.pid(), "Private_Dirty");
          state.counters["private_MiB"] = own;
          state.counters["shared_MiB"] = memory_of(second.pid(), "Rss") - own;
          state.SetIterationTime(1e-9);
        }
      })
      ->UseManualTime()
      ->Iterations(1)
      ->Repetitions(3);
}

}  // namespace

int run_process(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--spawn") return spawn_and_print(argc, argv);
  Options options(argc, argv,
                  {{"program", "bert-infer to start; default: the one of this build"},
                   {"lines", "lines of the long memory run; default 100000, 0 for none"}});
  signal(SIGPIPE, SIG_IGN);
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const std::string program = options.get("program", (folder / ".." / ".." / "bert-infer").lexically_normal().string());
  for (const NamedModel& model : models()) {
    register_start(program, model);
    if (!model.directory.empty()) register_second_process(program, model);
  }
  const size_t lines = std::stoul(options.get("lines", "100000"));
  if (lines > 0) {
    register_lines(program, 5000);
    register_lines(program, lines);
  }
  return run_benchmarks(options);
}

}  // namespace bert::bench
