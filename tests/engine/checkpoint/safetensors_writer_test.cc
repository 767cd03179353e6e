#include "engine/checkpoint/safetensors_writer.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "engine/base/mapped_file.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

TEST(SafetensorsWriter, WritesWhatTheReaderReads) {
  const test::TemporaryDirectory directory;
  const std::vector<float> small = {1, 2, 3}, large(64, 0.5f);
  const std::vector<int8_t> bytes(100, -7);
  const std::filesystem::path path = directory.path() / "model.safetensors";
  write_safetensors(path, {{"odd \"name\"\n", "I8", {10, 10}, std::as_bytes(std::span(bytes))},
                           {"small", "F32", {3}, std::as_bytes(std::span(small))},
                           {"none", "F32", {0}, {}},
                           {"large", "F32", {8, 8}, std::as_bytes(std::span(large))}});
  const MappedFile file = MappedFile::open(path);
  const Safetensors read = parse_safetensors(file.bytes(), "model.safetensors");
  ASSERT_EQ(read.tensors.size(), 4u);
  for (const StoredTensor& tensor : read.tensors) {
    const std::span<const std::byte> expected = tensor.name == "large"   ? std::as_bytes(std::span(large))
                                                : tensor.name == "small" ? std::as_bytes(std::span(small))
                                                : tensor.name == "none"  ? std::span<const std::byte>()
                                                                         : std::as_bytes(std::span(bytes));
    EXPECT_TRUE(std::equal(tensor.data.begin(), tensor.data.end(), expected.begin(), expected.end())) << tensor.name;
    if (tensor.name == "large") {
      EXPECT_EQ(shape_text(tensor.shape), "[8, 8]");
      EXPECT_EQ((tensor.data.data() - file.bytes().data()) % 64, 0);
    }
  }
  EXPECT_EQ(read.tensors.back().name, "small");
}

TEST(SafetensorsWriter, RefusesAFileThatCannotBeWritten) {
  EXPECT_NE(test::error_of(ErrorCode::kIo, [] { write_safetensors("/nonexistent/model.safetensors", {}); })
                .find("'/nonexistent/model.safetensors': cannot be written"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
