#include "engine/checkpoint/other_formats.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

constexpr char kInstead[] =
    ", which is not read; use the model that it was converted from: a directory with config.json and model.safetensors";

constexpr char kExport[] = ", or what tools/convert_weights.py makes of an encoder's export";

TEST(OtherFormats, NamesAFileByItsSuffix) {
  EXPECT_EQ(other_format("some/m.Q8_0.gguf"), "'m.Q8_0.gguf' is a GGUF file" + std::string(kInstead));
  EXPECT_EQ(other_format("model.onnx"), "'model.onnx' is an ONNX file" + std::string(kInstead) + kExport);
  EXPECT_EQ(other_format("model.safetensors"), std::nullopt);
}

TEST(OtherFormats, LooksIntoADirectoryAndItsFolderOnnx) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(other_format(directory.path()), std::nullopt);
  directory.write("README.md", "x");
  directory.write("onnx/model.onnx", "x");
  EXPECT_EQ(other_format(directory.path()), "'model.onnx' is an ONNX file" + std::string(kInstead) + kExport);
  directory.write("b.gguf", "x");
  directory.write("a.gguf", "x");
  EXPECT_EQ(other_format(directory.path()), "'a.gguf' is a GGUF file" + std::string(kInstead));
}

TEST(OtherFormats, NamesAnArchiveWhereThereIsNothingElse) {
  const test::TemporaryDirectory directory;
  directory.write("model.tar.gz", "x");
  EXPECT_EQ(other_format(directory.path()),
            "'model.tar.gz' is an archive, which is not read; unpack it: expected a directory with config.json and "
            "model.safetensors");
  directory.write("z.gguf", "x");
  EXPECT_EQ(other_format(directory.path()), "'z.gguf' is a GGUF file" + std::string(kInstead));
}

}  // namespace
}  // namespace bert
