#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/tiny_model.h"
#include "tests/tools/cli/program.h"

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

TEST(PackCommand, SaysWhatItNeeds) {
  expect_usage_error({"pack"}, "pack needs a model's directory (or --model)");
  expect_usage_error({"pack", "one", "two"}, "pack needs a model's directory (or --model)");
}

}  // namespace
}  // namespace bert::test
