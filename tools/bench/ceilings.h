// Measures the limits of the machine by loops independent of the engine: fused multiply-adds per second in registers,
// and bytes per second read from memory. Every program measures these limits among its own benchmarks, because a
// machine's speed varies, and reports its figures as shares of the limits. Only the main thread may call this.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <string>

namespace bert::bench {

inline constexpr size_t kMostThreads = 2;  // benchmarks run on one thread and on this many, if there are enough CPUs

// Registers benchmarks that take more samples, spread over the program's run: ceiling/fma/avx512/1, ceiling/read/2, ….
void register_ceilings();

// Adds a figure's counters: GFLOP/s and GB/s, the share of each ceiling, and `efficiency`: the time that the tighter
// ceiling allows, divided by the measured time.
struct Work {
  double flops = 0;
  double bytes = 0;  // bytes that must come from memory: the weights, read once
  std::string isa = "portable";
  size_t threads = 1;
};
void count_work(benchmark::State& state, const Work& work, double seconds);

}  // namespace bert::bench
