#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/program/cli/program.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

TEST(PackCommand, AddsAFileThatInspectNamesAndABundleHas) {
  const TemporaryDirectory folder, out;
  write_tiny_model(folder);
  const std::string model = folder.path().string();
  const ProgramResult before = run_program({"embed", "--model", model, "a dog"});
  const ProgramResult packed = run_program({"pack", model});
  ASSERT_EQ(packed.status, 0) << packed.err;
  EXPECT_NE(packed.err.find("panels.float32-"), std::string::npos) << packed.err;
  const ProgramResult after = run_program({"embed", "--model", model, "a dog"});
  EXPECT_EQ(after.out, before.out);
  EXPECT_EQ(after.err, before.err);
  EXPECT_NE(run_program({"inspect", "--model", model}).out.find("packed weights      " + model + "/panels.float32-"),
            std::string::npos);

  const std::string bundle = (out.path() / "bundle").string();
  ASSERT_EQ(run_program({"bundle", model, bundle}).status, 0);
  EXPECT_NE(run_program({"inspect", "--model", bundle}).out.find("packed weights      " + bundle + "/panels.float32-"),
            std::string::npos);
}

TEST(PackCommand, WritesElsewhere) {
  const TemporaryDirectory folder, out;
  write_tiny_model(folder);
  const std::string model = folder.path().string(), place = out.path().string();
  ASSERT_EQ(run_program({"pack", model, "--output", place}).status, 0);
  EXPECT_EQ(run_program({"inspect", "--model", model}).out.find("packed weights"), std::string::npos);
  for (const auto& file : std::filesystem::directory_iterator(place)) {
    std::filesystem::copy(file.path(), folder.path() / file.path().filename());
  }
  EXPECT_NE(run_program({"inspect", "--model", model}).out.find("packed weights      " + model + "/panels.float32-"),
            std::string::npos);
  EXPECT_EQ(run_program({"pack", model, "--output", place + "/none"}).status, 1);
}

TEST(PackCommand, IsComparedByVerify) {
  const TemporaryDirectory folder, out;
  write_tiny_model(folder);
  const std::string model = (out.path() / "int8").string();
  ASSERT_EQ(run_program({"quantize", folder.path().string(), model}).status, 0);
  if (run_program({"pack", model}).status != 0) GTEST_SKIP() << "this CPU's products read 8-bit weights as stored";
  const ProgramResult same = run_program({"verify", "--model", model});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_NE(same.err.find("packed weights, the same as the model's"), std::string::npos) << same.err;

  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(model)) {
    if (entry.path().filename().string().starts_with("panels.")) path = entry.path().string();
  }
  std::string bytes = read_file(path);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
  const ProgramResult other = run_program({"verify", "--model", model});
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.err.find("are not those of the model's weights (see pack)"), std::string::npos) << other.err;
}

TEST(PackCommand, SaysWhatItNeeds) {
  expect_usage_error({"pack"}, "pack needs a model's directory (or --model)");
  expect_usage_error({"pack", "one", "two"}, "pack needs a model's directory (or --model)");
}

}  // namespace
}  // namespace bert::test
