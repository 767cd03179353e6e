#include "engine/kernels/kernels.h"

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "tests/support/isa.h"

namespace bert {
namespace {

TEST(KernelTables, AreThoseOfTheInstructionSetAskedFor) {
  std::string not_run;
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) not_run += std::string(" ") + isa;
    EXPECT_STREQ(kernels_for(allowed_cpu_features(isa)).name, isa);
  }
  std::cout << "instruction sets whose kernels were not run here:" << (not_run.empty() ? " none" : not_run) << "\n";
  RecordProperty("isas_not_run", not_run);
}

#if defined(__x86_64__)
TEST(KernelTables, AttendInBFloat16ByItsInstruction) {
  const KernelTable& plain = kernels_for(allowed_cpu_features("avx512"));
  const KernelTable& table = kernels_for(allowed_cpu_features("avx512bf16"));
  EXPECT_EQ(table.bfloat16_attention.context, kAvx512Bf16Attention.context);
  EXPECT_NE(plain.bfloat16_attention.context, kAvx512Bf16Attention.context);
  EXPECT_EQ(table.attention.context, plain.attention.context);
}
#endif

}  // namespace
}  // namespace bert
