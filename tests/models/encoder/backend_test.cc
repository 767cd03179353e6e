#include "models/encoder/backend.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/base/cpu.h"
#include "tests/support/environment.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

constexpr WorkspaceShape kShape = {.tokens = 8, .longest = 8, .hidden = 16, .wide = 48, .head_dim = 16, .threads = 1};

bool has_kernels() { return &kernels_for(detect_cpu_features()) != &kPortableKernels; }

ModelDescription describe(GemmProvider provider) {
  ModelDescription description;
  Backend({.threads = 1, .gemm = provider}).describe(description);
  return description;
}

TEST(Backend, TakesOurKernelsForACpuThatHasSome) {
  const test::WithVariable isa("BERT_INFER_ISA", nullptr);
  if (!has_kernels()) GTEST_SKIP() << "SKIPPED, the CPU has no kernels of ours";
  const ModelDescription description = describe(GemmProvider::kAuto);
  EXPECT_EQ(description.gemm, "native");
  EXPECT_EQ(description.isa, kernels_for(detect_cpu_features()).name);
  EXPECT_TRUE(description.reproducible);
}

TEST(Backend, TakesThePortableKernelsWhereTheyAreAskedFor) {
  const ModelDescription description = describe(GemmProvider::kPortable);
  EXPECT_EQ(description.gemm, "portable");
  EXPECT_EQ(description.isa, "portable");
  EXPECT_TRUE(description.reproducible);
}

// The portable kernels are the oracle, so BERT_INFER_ISA=portable never selects OpenBLAS.
TEST(Backend, TakesThePortableKernelsWhereTheEnvironmentLowersTheInstructionSet) {
  if (!has_kernels()) GTEST_SKIP() << "SKIPPED, nothing to lower: the CPU has no kernels of ours";
  const test::WithVariable isa("BERT_INFER_ISA", "portable");
  EXPECT_EQ(describe(GemmProvider::kAuto).gemm, "portable");
}

TEST(Backend, SaysThatOpenBlasIsNotReproducible) {
  try {
    const ModelDescription description = describe(GemmProvider::kOpenBlas);
    EXPECT_EQ(description.gemm, "openblas");
    EXPECT_FALSE(description.reproducible);
    EXPECT_NE(description.gemm_reason.find("OpenBLAS"), std::string::npos);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    GTEST_SKIP() << "SKIPPED, " << error.what();
  }
}

TEST(Backend, RefusesOpenBlasForBFloat16Arithmetic) {
  const WeightView weight{.arithmetic = ProductArithmetic::kBFloat16};
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument,
                           [&] { Backend({.threads = 1, .gemm = GemmProvider::kOpenBlas}, weight); }),
            "OpenBLAS requested with bfloat16 arithmetic, which it cannot multiply; expected the native kernels");
}

TEST(Backend, RefusesAnInstructionSetThatIsNone) {
  const test::WithVariable isa("BERT_INFER_ISA", "sse9");
  EXPECT_THROW(Backend({.threads = 1}), Error);
}

TEST(Backend, HasTheThreadsAskedForOrTheCpusAllowed) {
  EXPECT_EQ(Backend({.threads = 3}).threads(), 3u);
  EXPECT_EQ(Backend({}).threads(), available_cores());
  EXPECT_THROW(Backend({.threads = 1'000'000}), Error);
}

TEST(Backend, SharesTheThreadsOfARuntime) {
  const Runtime runtime({.threads = 3});
  EXPECT_EQ(Backend({.runtime = runtime}).threads(), 3u);
  EXPECT_EQ(test::error_of(ErrorCode::kInvalidArgument, [&] { Backend({.threads = 2, .runtime = runtime}); }),
            "2 threads requested beside a runtime of 3, expected one of the two options");
}

TEST(Backend, LendsAWorkspaceAgainAndNeverToTwo) {
  Backend backend({.threads = 1});
  std::set<const Workspace*> lent;
  {
    Backend::Lease one(backend, kShape), two(backend, kShape);
    lent = {&one.context().workspace, &two.context().workspace};
    EXPECT_EQ(lent.size(), 2u);
  }
  Backend::Lease again(backend, kShape);
  EXPECT_TRUE(lent.contains(&again.context().workspace));
}

}  // namespace
}  // namespace bert
