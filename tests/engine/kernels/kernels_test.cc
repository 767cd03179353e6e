#include "engine/kernels/kernels.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace bert {
namespace {

TEST(KernelTables, AreThoseOfTheInstructionSetAskedFor) {
  std::string not_run;
  for (const Isa isa : {Isa::kPortable, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > detect_isa()) {
      not_run += " " + std::string(name(isa));
      continue;
    }
    EXPECT_EQ(kernels_for(isa).name, name(isa));
    EXPECT_GT(kernels_for(isa).row_tile, 0u);
    EXPECT_GT(kernels_for(isa).output_tile, 0u);
  }
  std::cout << "instruction sets whose kernels were not run here:" << (not_run.empty() ? " none" : not_run) << "\n";
  RecordProperty("isas_not_run", not_run);
}

TEST(WeightTypes, AreTheIndicesOfTheTablesFunctions) {
  EXPECT_EQ(weight_type(DType::kF32), kWeightF32);
  EXPECT_EQ(weight_type(DType::kF16), kWeightF16);
  EXPECT_EQ(weight_type(DType::kBF16), kWeightBF16);
}

}  // namespace
}  // namespace bert
