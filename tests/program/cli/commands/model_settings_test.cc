// Tests what inspect says about a model's vectors.
#include "program/cli/commands/model_settings.h"

#include <gtest/gtest.h>

#include "tests/program/cli/program.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

ProgramResult inspect(const TemporaryDirectory& directory, const std::string& format) {
  return run_program({"inspect", "--model", directory.path().string(), "--format", format});
}

TEST(VectorSettings, NamesEachKindThatTheFilesDescribe) {
  const TemporaryDirectory directory;
  write_tiny_m3(directory);
  const nlohmann::json inspected = inspect(directory, "json").json();
  EXPECT_EQ(inspected["pooling"]["modules"], nlohmann::json({"Pooling cls", "Normalize"}));
  EXPECT_EQ(inspected["sparse"], "Dense 24 to 1, Identity, of each token, max of relu");
  EXPECT_EQ(inspected["token_modules"],
            nlohmann::json({"Dense 24 to 24, Identity, of each token", "Normalize, of each token"}));
  const std::string text = inspect(directory, "text").out;
  EXPECT_NE(text.find("sparse vector       Dense 24 to 1, Identity, of each token, max of relu\n"), std::string::npos);
  EXPECT_NE(text.find("token vectors       Dense 24 to 24, Identity, of each token; Normalize"), std::string::npos);
}

TEST(VectorSettings, HasOnlyTheDenseVectorOfAPlainModel) {
  const TemporaryDirectory directory;
  write_tiny_model(directory);
  const nlohmann::json inspected = inspect(directory, "json").json();
  EXPECT_FALSE(inspected["pooling"]["declared"].get<bool>());
  EXPECT_FALSE(inspected.contains("sparse"));
  EXPECT_FALSE(inspected.contains("token_modules"));
  EXPECT_NE(inspect(directory, "text").out.find("the default: the model's files do not say"), std::string::npos);
}

}  // namespace
}  // namespace bert::test
