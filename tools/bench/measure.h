// Measures time, and prints what every benchmark program says about the machine. Only the main thread may call this.
//
// Machines are seldom idle. A run on one thread is measured in CPU time, which other processes do not increase. A run
// on several threads is measured in wall time, and repeated if a thread had to wait for a CPU. Google Benchmark repeats
// and interleaves the benchmarks of a program, and medians are shown.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace bert::bench {

// Returns the seconds of one call of `body`, which computes on `threads` threads of this process.
double time_of(size_t threads, const std::function<void()>& body);

// Returns the seconds of wall time of one call, for work in other processes.
double wall_time_of(const std::function<void()>& body);

// Returns the share of time_of's results since the last call for which every try was disturbed.
double take_disturbed_share();

// Takes the program's own options, "--name=value" or "--name value", out of argv. The rest is for Google Benchmark.
class Options {
 public:
  Options(int argc, char** argv, const std::vector<std::pair<std::string, std::string>>& names_and_help);
  std::string get(const std::string& name, const std::string& fallback) const;
  std::vector<char*>& rest() { return rest_; }

 private:
  std::vector<std::pair<std::string, std::string>> values_;
  std::vector<char*> rest_;
};

// Runs the registered benchmarks with this project's defaults (repetitions in random order, medians shown); flags in
// `options` have priority. Returns the program's exit status.
int run_benchmarks(Options& options);

}  // namespace bert::bench
