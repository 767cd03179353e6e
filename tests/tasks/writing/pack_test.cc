#include "bert/pack.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "bert/error.h"
#include "bert/quantize.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TEST(Pack, AddsOneFileForEachPrecision) {
  const test::TemporaryDirectory folder, other;
  test::write_tiny_model(folder);
  const PackedFile floats = pack(folder.path().string(), {.gemm = GemmProvider::kNative});
  EXPECT_EQ(floats.bytes, std::filesystem::file_size(floats.path));
  EXPECT_EQ(floats.path.parent_path(), folder.path());
  EXPECT_TRUE(floats.path.filename().string().starts_with("panels.float32-")) << floats.path;

  const PackedFile rounded =
      pack(folder.path().string(), {.gemm = GemmProvider::kNative, .precision = Precision::kBFloat16});
  EXPECT_TRUE(rounded.path.filename().string().starts_with("panels.bfloat16-")) << rounded.path;
  EXPECT_EQ(Model::load(folder.path().string(), {.gemm = GemmProvider::kNative, .precision = Precision::kBFloat16})
                .describe()
                .panel_file,
            rounded.path.string());

  const std::string int8 = (other.path() / "int8").string();
  quantize(folder.path().string(), int8, SmallWeights::kInt8);
  EXPECT_FALSE(std::filesystem::exists(int8 / floats.path.filename()));  // the panels belong to the float weights
  try {
    const PackedFile packed = pack(int8, {.gemm = GemmProvider::kNative});
    EXPECT_TRUE(packed.path.filename().string().starts_with("panels.int8-")) << packed.path;
    EXPECT_EQ(Model::load(int8, {.gemm = GemmProvider::kNative}).describe().panel_file, packed.path.string());
  } catch (const Error& error) {  // this CPU's products need no panels of 8-bit weights
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported) << error.what();
  }
}

TEST(Pack, RefusesToMakeEightBits) {
  const test::TemporaryDirectory folder;
  test::write_tiny_model(folder);
  EXPECT_NE(test::error_of(ErrorCode::kInvalidArgument,
                           [&] { pack(folder.path().string(), {.precision = Precision::kInt8}); })
                .find("precision int8 requested of packed weights"),
            std::string::npos);
}

TEST(Pack, RefusesWhatHasNoPackedWeights) {
  const test::TemporaryDirectory folder;
  EXPECT_THROW(pack((folder.path() / "none").string()), Error);
  test::write_tiny_model(folder, {.layers = 0});
  EXPECT_THROW(pack(folder.path().string()), Error);
}

}  // namespace
}  // namespace bert
