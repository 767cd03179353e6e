#include "models/files/builtin_files.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "bert/error.h"
#include "engine/checkpoint/checkpoint.h"
#include "models/config/config.h"
#include "tests/support/expect_error.h"

namespace bert {
namespace {

TEST(BuiltinFiles, AreAWholeModelOrRefusedByName) {
  if (const std::string error = test::error_of(ErrorCode::kNotFound, [] { builtin_files(); }); !error.empty()) {
    EXPECT_NE(error.find("built without its built-in model"), std::string::npos) << error;
    EXPECT_NE(test::error_of([] { builtin_safetensors(); }), "");
    GTEST_SKIP() << "SKIPPED, the library was built without its built-in model";
  }
  const MemorySource files = builtin_files();
  EXPECT_GT(read_config(files).hidden_size, 0u);
  EXPECT_TRUE(files.read("vocab.txt", 1u << 20));
  EXPECT_FALSE(files.read("no-such-file", 1));
  const auto image = builtin_safetensors();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(image.data()) % 64, 0u);
  EXPECT_GT(Checkpoint::from_memory(image, "built-in").tensors().size(), 0u);
}

}  // namespace
}  // namespace bert
