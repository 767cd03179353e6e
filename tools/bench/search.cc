// Measures exact search with one query over all rows: 10^6 x 384 floats, 10^6 x 384 8-bit integers, or 10^7 x 384
// signs. Reports the share of the machine's read bandwidth. The measured part reads every row once. It does not score
// the candidates again, but their number is printed.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/cpu.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/products.h"
#include "tasks/search/scan.h"
#include "tools/bench/base_model.h"
#include "tools/bench/ceilings.h"
#include "tools/bench/commands.h"
#include "tools/bench/measure.h"

namespace bert::bench {
namespace {

constexpr size_t kSize = 384;
constexpr size_t kTop = 10;

std::vector<float> unit_vector(Random& random) {
  std::vector<float> vector(kSize);
  for (float& value : vector) value = random.number();
  const double norm = norm_of(vector);
  for (float& value : vector) value = static_cast<float>(value / norm);
  return vector;
}

struct Rows {
  AlignedBuffer<float> floats;
  AlignedBuffer<std::byte> small;
  std::vector<Int8Row> int8_rows;
  RowsView view;
};

Rows make_rows(ScanRows scan, size_t count) {
  Rows rows;
  Random random;
  const size_t small_bytes = small_row_bytes(scan, kSize);
  rows.small = AlignedBuffer<std::byte>(count * small_bytes);
  if (scan == ScanRows::kBinary) {
    auto* words = reinterpret_cast<uint64_t*>(rows.small.data());
    for (size_t i = 0; i < count * small_bytes / sizeof(uint64_t); ++i) words[i] = random.bits();
    rows.view = {.scan = scan, .rows = count, .size = kSize, .small = rows.small.data(), .limits = {}};
    return rows;
  }
  RowBuilder builder(scan, kSize);
  const bool is_float = scan == ScanRows::kFloat32;
  rows.floats = AlignedBuffer<float>(is_float ? count * padded_floats(kSize) : 0);
  for (size_t row = 0; row < count; ++row) {
    builder.convert(unit_vector(random), row);
    if (is_float) {
      std::copy(builder.floats().begin(), builder.floats().end(), rows.floats.data() + row * padded_floats(kSize));
    } else {
      std::copy(builder.small().begin(), builder.small().end(), rows.small.data() + row * small_bytes);
      rows.int8_rows.push_back(builder.int8_row());
    }
  }
  rows.view = {.scan = scan,
               .rows = count,
               .size = kSize,
               .floats = rows.floats.data(),
               .small = rows.small.data(),
               .int8_rows = rows.int8_rows.data(),
               .limits = builder.limits()};
  return rows;
}

void run(benchmark::State& state, ScanRows scan, size_t count, size_t threads) {
  static std::map<ScanRows, Rows> made;  // 2.4 GB in all
  if (!made.contains(scan)) made.emplace(scan, make_rows(scan, count));
  const RowsView& rows = made.at(scan).view;
  const CpuFeatures features = choose_cpu_features().features;
  const ScanKernels& kernels = scans_for(features);
  Random random;
  for (int i = 0; i < 1000; ++i) random.bits();
  const std::vector<float> query = unit_vector(random);
  ThreadPool pool(threads);
  const size_t each = scan == ScanRows::kFloat32
                          ? kSize * sizeof(float)
                          : small_row_bytes(scan, kSize) + (scan == ScanRows::kInt8 ? sizeof(Int8Row) : 0);
  double seconds = 0;
  size_t candidates = 0;
  for (auto _ : state) {
    const double round =
        time_of(threads, [&] { candidates = find_candidates(kernels, rows, query, kTop, pool)[0].size(); });
    state.SetIterationTime(round);
    seconds += round;
  }
  Work work{.bytes = static_cast<double>(count * each), .isa = kernels_for(features).name, .threads = threads};
  count_work(state, work, seconds / static_cast<double>(state.iterations()));
  state.counters["candidates"] = static_cast<double>(candidates);
}

// Measures a query of 32 vectors with documents of 128 vectors.
void run_max_sim(benchmark::State& state, size_t documents, size_t threads) {
  constexpr size_t kQuery = 32, kDocument = 128, kWidth = 128;
  Random random;
  std::vector<float> query(kQuery * kWidth), vectors(documents * kDocument * kWidth);
  for (float& value : query) value = random.number();
  for (float& value : vectors) value = random.number();
  std::vector<size_t> starts;
  for (size_t i = 0; i <= documents; ++i) starts.push_back(i * kDocument);
  std::vector<double> scores(documents);
  const MaxSim max_sim(threads);
  double seconds = 0;
  for (auto _ : state) {
    const double round = time_of(threads, [&] { max_sim.scores(query, vectors, starts, kWidth, scores); });
    state.SetIterationTime(round);
    seconds += round;
  }
  Work work{.flops = 2.0 * kQuery * kWidth * kDocument * static_cast<double>(documents),
            .bytes = static_cast<double>(vectors.size() * sizeof(float)),
            .isa = kernels_for(choose_cpu_features().features).name,
            .threads = threads};
  count_work(state, work, seconds / static_cast<double>(state.iterations()));
}

void register_max_sims() {
  constexpr size_t kDocuments = 1000;
  for (size_t threads = 1; threads <= std::min(kMostThreads, available_cpus()); ++threads) {
    const std::string title = "max_sim/" + std::to_string(kDocuments) + "x128x128/" + std::to_string(threads);
    benchmark::RegisterBenchmark(title.c_str(),
                                 [=](benchmark::State& state) { run_max_sim(state, kDocuments, threads); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

void register_searches() {
  struct Case {
    ScanRows scan;
    size_t rows;
  };
  for (const Case c :
       {Case{ScanRows::kFloat32, 1000000}, Case{ScanRows::kInt8, 1000000}, Case{ScanRows::kBinary, 10000000}}) {
    for (size_t threads = 1; threads <= std::min(kMostThreads, available_cpus()); ++threads) {
      const std::string title = "search/" + std::to_string(c.rows) + "x" + std::to_string(kSize) + "/" +
                                std::string(name(c.scan)) + "/" + std::to_string(threads);
      benchmark::RegisterBenchmark(title.c_str(), [=](benchmark::State& state) { run(state, c.scan, c.rows, threads); })
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace

int run_search(int argc, char** argv) {
  Options options(argc, argv, {});
  register_ceilings();
  register_searches();
  register_max_sims();
  return run_benchmarks(options);
}

}  // namespace bert::bench
