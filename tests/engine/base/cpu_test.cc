#include "engine/base/cpu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bert/error.h"
#include "tests/support/environment.h"

namespace bert {
namespace {

constexpr const char* kVariable = "BERT_INFER_ISA";

// The kernel's own documentation of cpu.max (cgroup v2): "$MAX $PERIOD", MAX may be "max".
TEST(CgroupCpuLimit, IsQuotaByPeriod) {
  EXPECT_EQ(cgroup_cpu_limit("200000 100000"), 2);
  EXPECT_EQ(cgroup_cpu_limit("50000 100000"), 0.5);
  EXPECT_EQ(cgroup_cpu_limit("150000 100000\n"), 1.5);
}

TEST(CgroupCpuLimit, IsNoneForWhatSaysNone) {
  for (const char* text : {"", "max 100000", "max", "-1 100000", "0 100000", "100000", "100000 0", "abc def", " ",
                           "100000 -5", "nan 100000"}) {
    EXPECT_EQ(cgroup_cpu_limit(text), 0) << "'" << text << "'";
  }
}

TEST(AvailableCpus, IsAtLeastOne) { EXPECT_GE(available_cpus(), 1u); }

TEST(ChooseIsa, TakesWhatTheCpuHas) {
  for (const char* none : {static_cast<const char*>(nullptr), ""}) {
    const test::WithVariable with(kVariable, none);
    EXPECT_EQ(choose_isa().isa, detect_isa());
    EXPECT_EQ(choose_isa().reason, "the CPU has " + std::string(name(detect_isa())));
  }
}

TEST(ChooseIsa, IsLoweredByTheEnvironmentAndNeverRaised) {
  for (const Isa isa : {Isa::kPortable, Isa::kAvx2, Isa::kAvx512}) {
    const test::WithVariable with(kVariable, name(isa).data());
    EXPECT_EQ(choose_isa().isa, std::min(isa, detect_isa())) << name(isa);
    const char* said = isa < detect_isa() ? "lowered by BERT_INFER_ISA" : isa > detect_isa() ? "does not raise it" : "";
    EXPECT_NE(choose_isa().reason.find(said), std::string::npos) << choose_isa().reason;
  }
}

TEST(ChooseIsa, TakesAmxForAvx512) {
  const test::WithVariable with(kVariable, "amx");
  EXPECT_EQ(choose_isa().isa, std::min(Isa::kAvx512, detect_isa()));
}

TEST(ChooseIsa, RefusesAnyOtherName) {
  for (const char* wrong : {"sse", "AVX2", "avx", "avx2 "}) {
    const test::WithVariable with(kVariable, wrong);
    try {
      choose_isa();
      ADD_FAILURE() << "'" << wrong << "' was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
      EXPECT_EQ(std::string(error.what()),
                "BERT_INFER_ISA: found '" + std::string(wrong) + "', expected portable, avx2, avx512 or amx");
    }
  }
}

}  // namespace
}  // namespace bert
