// Writes the random model of BERT-base's shape that the benchmarks use: bench_make_model DIRECTORY [f32|f16|bf16]
#include <cstdio>
#include <exception>
#include <string_view>

#include "tools/bench/base_model.h"

int main(int argc, char** argv) {
  const std::string_view type = argc > 2 ? argv[2] : "f32";
  if (argc < 2 || argc > 3 || argv[1][0] == '-' || (type != "f32" && type != "f16" && type != "bf16")) {
    std::fputs("usage: bench_make_model DIRECTORY [f32|f16|bf16]\n", stderr);
    return 2;
  }
  try {
    using bert::WeightFormat;
    bert::bench::write_base_model(argv[1], type == "f32"   ? WeightFormat::kF32
                                           : type == "f16" ? WeightFormat::kF16
                                                           : WeightFormat::kBF16);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_make_model: %s\n", error.what());
    return 1;
  }
  return 0;
}
