// Encodes on request, so that tools/bench/peers.py can run engines in turns, each in its own process:
//   bench_worker MODEL_DIRECTORY THREADS PROVIDER      (native, portable or openblas)
// One command per line of standard input; one line on standard output for each:
//   load NAME FILE   a batch of texts, one per line, as ids               -> ok
//   run NAME         one forward pass                                     -> milliseconds
//   first                                                                 -> first token's vector of the last pass
//   memory           of this process                                      -> private and resident MiB
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "bert/model.h"
#include "tools/bench/base_model.h"

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

// A field of /proc/self/smaps_rollup, in MiB.
double memory(const std::string& field) {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
  }
  return 0;
}

void serve(const bert::Model& model) {
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
      std::vector<std::vector<bert::TokenSequence>> views;
      for (const Texts& texts : loaded.at(name)) views.push_back(bert::bench::sequences_of(texts));
      const double start = milliseconds();
      for (size_t i = 0; i < views.size(); ++i) {
        const std::vector<bert::EncodedSequence> encoded = model.encode(views[i]);
        if (i == 0)
          first.assign(encoded[0].last_hidden_state.begin(),
                       encoded[0].last_hidden_state.begin() + static_cast<long>(encoded[0].hidden));
      }
      std::printf("%.4f\n", milliseconds() - start);
    } else if (command == "first") {
      for (const float value : first) std::printf("%.9g ", static_cast<double>(value));
      std::puts("");
    } else if (command == "memory") {
      std::printf("%.1f %.1f\n", memory("Private_Clean") + memory("Private_Dirty"), memory("Rss"));
    } else {
      throw std::runtime_error("unknown command '" + command + "'");
    }
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string provider = argc == 4 ? argv[3] : "";
  if (provider != "native" && provider != "portable" && provider != "openblas") {
    std::fputs("usage: bench_worker MODEL_DIRECTORY THREADS native|portable|openblas\n", stderr);
    return 2;
  }
  try {
    using bert::GemmProvider;
    const GemmProvider gemm = provider == "native"     ? GemmProvider::kNative
                              : provider == "portable" ? GemmProvider::kPortable
                                                       : GemmProvider::kOpenBlas;
    bert::LoadOptions options;
    options.threads = std::stoul(argv[2]);
    options.gemm = gemm;
    serve(bert::Model::load(argv[1], options));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_worker: %s\n", error.what());
    return 1;
  }
  return 0;
}
