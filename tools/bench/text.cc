// Measures how long the library takes for short texts, for comparison with a server:
//   bench text MODEL_DIRECTORY THREADS BODIES
// BODIES is a file in the form that bench load reads, with a line {"inputs": "text"} for each text. Prints one JSON
// object: the median time of a call with one text, the CPU time of a text in batches of 64 on all threads, and the time
// of one such batch.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bert/model.h"

#include "tools/bench/commands.h"

namespace bert::bench {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

std::vector<TokenSequence> sequences_of(const Model& model, const std::vector<Encoding>& encodings) {
  std::vector<TokenSequence> sequences;
  for (const Encoding& encoding : encodings) sequences.push_back(model.sequence(encoding));
  return sequences;
}

constexpr size_t kCalls = 400;
constexpr size_t kBatches = 15;

void measure(const std::string& directory, size_t threads, const std::string& bodies) {
  const Model model = Model::load(directory, {.threads = threads});
  std::ifstream file(bodies);
  if (!file) throw std::runtime_error("cannot read '" + bodies + "'");
  std::vector<std::string> texts;
  for (std::string line; std::getline(file, line);) texts.push_back(nlohmann::json::parse(line).at("inputs"));
  if (texts.empty()) throw std::runtime_error("'" + bodies + "' is empty, expected a body a line");
  const auto embed = [&](size_t begin, size_t count) {
    std::vector<Encoding> encodings;
    for (size_t i = begin; i < begin + count; ++i) {
      encodings.push_back(model.tokenizer().tokenize(texts[i % texts.size()], {.max_length = model.max_length()}));
    }
    model.embed(sequences_of(model, encodings));
  };
  embed(0, 64);
  std::vector<double> calls, batches;
  const double call_cpu = cpu_seconds();
  for (size_t i = 0; i < kCalls; ++i) {
    const Clock::time_point begin = Clock::now();
    embed(i, 1);
    calls.push_back(milliseconds_since(begin));
  }
  const double cpu = cpu_seconds();
  for (size_t i = 0; i < kBatches; ++i) {
    const Clock::time_point begin = Clock::now();
    embed(i * 64, 64);
    batches.push_back(milliseconds_since(begin));
  }
  const nlohmann::json report = {{"call_ms", median(calls)},
                                 {"cpu_us_of_a_call", 1e6 * (cpu - call_cpu) / kCalls},
                                 {"batch_of_64_ms", median(batches)},
                                 {"cpu_us_of_a_text_in_batches", 1e6 * (cpu_seconds() - cpu) / (kBatches * 64)}};
  std::printf("%s\n", report.dump(1).c_str());
}

}  // namespace

int run_text(int argc, char** argv) {
  if (argc != 4) return usage("text", "MODEL_DIRECTORY THREADS BODIES");
  measure(argv[1], std::stoul(argv[2]), argv[3]);
  return 0;
}

}  // namespace bert::bench
