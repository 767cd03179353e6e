// Encodes on request, so that tools/bench/peers.py can run engines in turns, each in its own process:
//   bench worker MODEL_DIRECTORY THREADS PROVIDER PRECISION
// PROVIDER is native, packed (native with packed weights), portable or openblas. PRECISION is float32, bfloat16 or
// int8. Reads one command from each line of standard input, and prints one line for each:
//   load NAME FILE   a batch of texts, one per line, as ids               -> ok
//   run NAME         one forward pass                                     -> milliseconds
//   first                                                    -> vectors of the first text of the last run
//   alone NAME       one text in the largest batch and alone -> the largest difference of its vectors
//   memory           of this process                                      -> private and resident MiB
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tools/bench/base_model.h"
#include "tools/bench/commands.h"

namespace bert::bench {
namespace {

using Texts = std::vector<std::vector<int32_t>>;

// A batch that is too large for one forward pass is divided into passes of about this many tokens.
constexpr size_t kBatchTokens = 2048;

std::vector<Texts> read_batches(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  std::vector<Texts> batches(1);
  size_t tokens = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    std::vector<int32_t> ids;
    for (int32_t id = 0; numbers >> id;) ids.push_back(id);
    if (!batches.back().empty() && tokens + ids.size() > kBatchTokens) {
      batches.emplace_back();
      tokens = 0;
    }
    tokens += ids.size();
    batches.back().push_back(std::move(ids));
  }
  return batches;
}

double milliseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// Returns a field of /proc/self/smaps_rollup in MiB.
double memory(const std::string& field) {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
  }
  return 0;
}

// Returns the largest difference between a text's vectors in a batch and alone. Takes the batch with the most texts,
// and its shortest text.
double difference_alone(const Model& model, const std::vector<Texts>& batches) {
  const auto fewer = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  const Texts& texts = *std::max_element(batches.begin(), batches.end(), fewer);
  const auto row = static_cast<size_t>(std::min_element(texts.begin(), texts.end(), fewer) - texts.begin());
  const std::vector<TokenSequence> views = sequences_of(texts);
  const std::vector<float> together = model.encode(views)[row].last_hidden_state;
  const std::vector<float> alone = model.encode({&views[row], 1}).front().last_hidden_state;
  double largest = 0;
  for (size_t i = 0; i < alone.size(); ++i) {
    largest = std::max(largest, std::abs(double{together[i]} - double{alone[i]}));
  }
  return largest;
}

void serve(const Model& model) {
  std::map<std::string, std::vector<Texts>> loaded;
  std::vector<float> first;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command;
    std::string name;
    std::string path;
    words >> command >> name >> path;
    if (command == "load") {
      loaded[name] = read_batches(path);
      std::puts("ok");
    } else if (command == "run") {
      std::vector<std::vector<TokenSequence>> views;
      for (const Texts& texts : loaded.at(name)) views.push_back(sequences_of(texts));
      const double start = milliseconds();
      for (size_t i = 0; i < views.size(); ++i) {
        const std::vector<EncodedSequence> encoded = model.encode(views[i]);
        if (i == 0) first = encoded[0].last_hidden_state;
      }
      std::printf("%.4f\n", milliseconds() - start);
    } else if (command == "first") {
      for (const float value : first) std::printf("%.9g ", static_cast<double>(value));
      std::puts("");
    } else if (command == "alone") {
      std::printf("%.9g\n", difference_alone(model, loaded.at(name)));
    } else if (command == "memory") {
      std::printf("%.1f %.1f\n", memory("Private_Clean") + memory("Private_Dirty"), memory("Rss"));
    } else {
      throw std::runtime_error("unknown command '" + command + "'");
    }
    std::fflush(stdout);
  }
}

}  // namespace

int run_worker(int argc, char** argv) {
  const std::string provider = argc == 5 ? argv[3] : "", precision = argc == 5 ? argv[4] : "";
  if ((provider != "native" && provider != "packed" && provider != "portable" && provider != "openblas") ||
      (precision != "float32" && precision != "bfloat16" && precision != "int8")) {
    return usage("worker", "MODEL_DIRECTORY THREADS native|packed|portable|openblas float32|bfloat16|int8");
  }
  LoadOptions options;
  options.packing = provider == "packed" ? Packing::kAlways : Packing::kNever;
  options.threads = std::stoul(argv[2]);
  options.gemm = provider == "portable"   ? GemmProvider::kPortable
                 : provider == "openblas" ? GemmProvider::kOpenBlas
                                          : GemmProvider::kNative;
  options.precision = precision == "int8"       ? Precision::kInt8
                      : precision == "bfloat16" ? Precision::kBFloat16
                                                : Precision::kFloat32;
  serve(Model::load(argv[1], options));
  return 0;
}

}  // namespace bert::bench
