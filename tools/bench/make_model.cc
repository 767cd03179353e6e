#include <string_view>

#include "tools/bench/base_model.h"
#include "tools/bench/commands.h"

namespace bert::bench {

int run_make_model(int argc, char** argv) {
  const std::string_view type = argc > 2 ? argv[2] : "f32";
  if (argc < 2 || argc > 3 || argv[1][0] == '-' || (type != "f32" && type != "f16" && type != "bf16")) {
    return usage("make-model", "DIRECTORY [f32|f16|bf16]");
  }
  write_base_model(argv[1], type == "f32"   ? WeightFormat::kF32
                            : type == "f16" ? WeightFormat::kF16
                                            : WeightFormat::kBF16);
  return 0;
}

}  // namespace bert::bench
