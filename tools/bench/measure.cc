#include "tools/bench/measure.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "bert/model.h"
#include "engine/kernels/kernels.h"

namespace bert::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kTries = 6;
constexpr double kTriesSeconds = 2;   // no try is started when the tries together took this long
constexpr double kQuietShare = 0.01;  // threads may wait for a CPU for this share of a run

size_t timed_runs = 0;
size_t disturbed_runs = 0;

double clock_seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns the seconds that this process's threads waited for a CPU, or 0 if the kernel does not report it.
double waited_for_cpu() {
  double nanoseconds = 0;
  std::error_code gone;
  for (const auto& task : fs::directory_iterator("/proc/self/task", gone)) {
    std::ifstream file(task.path() / "schedstat");
    double running = 0;
    double waiting = 0;
    if (file >> running >> waiting) nanoseconds += waiting;
  }
  return 1e-9 * nanoseconds;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

constexpr const char* kCommit =
#include "commit.inc"
    ;

// Google Benchmark 1.8 gave the member another name and type.
template <class Run>
bool has_failed(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return run.skipped != decltype(run.skipped){};
  }
}

// Prints only the medians; all runs are in the JSON of --benchmark_out.
class MedianReporter final : public benchmark::ConsoleReporter {
 public:
  MedianReporter() : ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& reports) override {
    std::vector<Run> shown;
    for (const Run& run : reports) {
      if (run.aggregate_name == "median" || has_failed(run) || run.repetitions <= 1) shown.push_back(run);
    }
    if (!shown.empty()) ConsoleReporter::ReportRuns(shown);
  }
};

// Returns the CPU's name from /proc/cpuinfo, with family, model and stepping.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string name = "unknown CPU";
  std::string numbers;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || colon + 2 > line.size()) continue;
    const std::string value = line.substr(colon + 2);
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    if (key == "model name") name = value;
    if (key == "cpu family" || key == "model" || key == "stepping")
      numbers += (numbers.empty() ? "" : ", ") + key + " " + value;
  }
  return name + (numbers.empty() ? "" : " (" + numbers + ")");
}

}  // namespace

double wall_time_of(const std::function<void()>& body) {
  const double start = clock_seconds(CLOCK_MONOTONIC);
  body();
  return clock_seconds(CLOCK_MONOTONIC) - start;
}

double time_of(size_t threads, const std::function<void()>& body) {
  ++timed_runs;
  if (threads == 1) {
    const double start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    body();
    return clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
  }
  double best = 0;
  double least_waited = -1;
  double spent = 0;
  for (int attempt = 0; attempt < kTries && spent < kTriesSeconds; ++attempt) {
    const double waited_before = waited_for_cpu();
    const double seconds = wall_time_of(body);
    const double waited = waited_for_cpu() - waited_before;
    spent += seconds;
    if (least_waited < 0 || waited / seconds < least_waited) {
      least_waited = waited / seconds;
      best = seconds;
    }
    if (least_waited <= kQuietShare) return best;
  }
  ++disturbed_runs;
  return best;
}

double take_disturbed_share() {
  const double share = timed_runs == 0 ? 0 : static_cast<double>(disturbed_runs) / static_cast<double>(timed_runs);
  timed_runs = disturbed_runs = 0;
  return share;
}

Options::Options(int argc, char** argv, const std::vector<std::pair<std::string, std::string>>& names_and_help) {
  rest_.push_back(argv[0]);
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-h") {
      std::printf("Options of this program (the others are Google Benchmark's, see --benchmark_help):\n");
      for (const auto& [name, help] : names_and_help) std::printf("  --%s=VALUE  %s\n", name.c_str(), help.c_str());
      std::exit(0);
    }
    if (argument == "--benchmark_help") argv[i] = const_cast<char*>("--help");
    bool mine = false;
    for (const auto& entry : names_and_help) {
      const std::string flag = "--" + entry.first;
      if (argument == flag && i + 1 < argc) {
        values_.emplace_back(entry.first, argv[++i]);
        mine = true;
      } else if (argument.starts_with(flag + "=")) {
        values_.emplace_back(entry.first, argument.substr(flag.size() + 1));
        mine = true;
      }
      if (mine) break;
    }
    if (!mine) rest_.push_back(argv[i]);
  }
}

std::string Options::get(const std::string& name, const std::string& fallback) const {
  const auto found =
      std::find_if(values_.rbegin(), values_.rend(), [&](const auto& value) { return value.first == name; });
  return found == values_.rend() ? fallback : found->second;
}

int run_benchmarks(Options& options) {
  static char repetitions[] = "--benchmark_repetitions=5";
  static char interleaving[] = "--benchmark_enable_random_interleaving=true";
  static char min_time[] = "--benchmark_min_time=0.05";
  std::vector<char*>& arguments = options.rest();
  arguments.insert(arguments.begin() + 1, {repetitions, interleaving, min_time});
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  const CpuFeatureChoice cpu = choose_cpu_features();
  benchmark::AddCustomContext("cpu", cpu_model());
  benchmark::AddCustomContext("isa", std::string(kernels_for(cpu.features).name) + ": " + cpu.reason);
  benchmark::AddCustomContext("compiler", compiler());
  benchmark::AddCustomContext("commit", kCommit);
  benchmark::AddCustomContext("bert-infer", std::string(version()));
  MedianReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return 0;
}

}  // namespace bert::bench
