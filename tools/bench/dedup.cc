// Measures the search for near-duplicates among random vectors of 384 numbers. Each 20th vector is an earlier one with
// noise (a cosine of about 0.96). Prints the wall time, the CPU time, and how many of the noisy copies were found.
//
//   bench dedup ROWS [PART]       ends after PART of the pairs, 0 to 1, and computes the whole time from that
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "bert/clusters.h"
#include "tools/bench/base_model.h"
#include "tools/bench/commands.h"

namespace bert::bench {
namespace {

constexpr size_t kSize = 384;
constexpr size_t kEvery = 20;
constexpr float kNoise = 0.3f;
constexpr double kThreshold = 0.9;

// Sets `source` to the row of which each noisy copy was made.
std::vector<float> planted_vectors(size_t rows, std::vector<size_t>& source) {
  Random random;
  std::vector<float> vectors(rows * kSize);
  for (float& value : vectors) value = random.number();
  source.assign(rows, 0);
  for (size_t i = kEvery; i < rows; i += kEvery) {
    source[i] = random.bits() % i;
    if (source[i] % kEvery == 0) ++source[i];  // the source must not be a noisy copy itself
    for (size_t c = 0; c < kSize; ++c) {
      vectors[i * kSize + c] = vectors[source[i] * kSize + c] + kNoise * vectors[i * kSize + c];
    }
  }
  return vectors;
}

struct Enough {
  double done;
};

int run(size_t rows, double part) {
  std::vector<size_t> source;
  const std::vector<float> vectors = planted_vectors(rows, source);
  const auto begun = std::chrono::steady_clock::now();
  const std::clock_t cpu_begun = std::clock();
  const auto report = [&](const char* what, double done) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    const double cpu = static_cast<double>(std::clock() - cpu_begun) / CLOCKS_PER_SEC;
    std::printf("%s: %.1f s, %.1f s of CPU time\n", what, seconds / done, cpu / done);
  };
  try {
    const auto stop = [&](double done) {
      if (part < 1 && done >= part) throw Enough{done};
    };
    const std::vector<Duplicate> found =
        find_duplicates(vectors, kSize, {.threshold = kThreshold, .run = {.progress = stop}});
    report("measured", 1);
    const auto is_planted = [&](const Duplicate& one) { return one.row % kEvery == 0 && source[one.row] == one.kept; };
    std::printf("%zu rows, %zu planted, %zu found, %td of them planted\n", rows, (rows - 1) / kEvery, found.size(),
                std::count_if(found.begin(), found.end(), is_planted));
  } catch (const Enough& enough) {
    std::printf("%zu rows, ended after %.4f of the pairs\n", rows, enough.done);
    report("computed from it", enough.done);
  }
  return 0;
}

}  // namespace

int run_dedup(int argc, char** argv) {
  if (argc < 2 || argc > 3) return usage("dedup", "ROWS [PART]");
  return run(std::strtoull(argv[1], nullptr, 10), argc > 2 ? std::atof(argv[2]) : 1);
}

}  // namespace bert::bench
