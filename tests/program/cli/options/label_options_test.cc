// Tests --labels and --label as the command zero-shot reads them.
#include "program/cli/options/label_options.h"

#include <gtest/gtest.h>

#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

std::string labels_of(const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {"tag"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.push_back("a text");
  return run_program(arguments).err;
}

TEST(LabelOptions, RefuseLabelsWithoutText) {
  EXPECT_NE(labels_of({"--label", ""}).find("--label"), std::string::npos);
  EXPECT_NE(labels_of({"--labels", " , ,"}).find("--labels: expected at least one label"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
