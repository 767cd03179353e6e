#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include "bert/bundle.h"
#include "bert/model.h"
#include "bert/quantize.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

TEST(ModelDigests, AreOfTheFilesThatDecideTheNumbers) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  directory.write("1_Pooling/config.json", "{}");
  directory.write("README.md", "no numbers");
  const std::string path = directory.path().string();
  const std::map<std::string, std::string> digests = model_digests(path);
  EXPECT_EQ(digests.size(), 4u);
  for (const char* name : {"1_Pooling/config.json", "config.json", "model.safetensors", "vocab.txt"}) {
    ASSERT_TRUE(digests.contains(name)) << name;
    EXPECT_EQ(digests.at(name), file_sha256(directory.path() / name));
  }
  const std::string before = model_digest(path);
  EXPECT_EQ(before.size(), 64u);
  directory.write("1_Pooling/config.json", "{ }");
  EXPECT_NE(model_digest(path), before);
}

// A bundle's digest is still valid after the file is moved.
TEST(ModelDigests, OfABundleAreByItsName) {
  const test::TemporaryDirectory directory, folder;
  test::write_tiny_model(directory);
  const std::filesystem::path bundle = folder.path() / "fox", moved = folder.path() / "other" / "fox";
  write_bundle(directory.path().string(), bundle, {}, "/bin/true");
  const std::map<std::string, std::string> digests = model_digests(bundle.string());
  EXPECT_EQ(digests, (std::map<std::string, std::string>{{"fox", file_sha256(bundle)}}));
  std::filesystem::create_directory(moved.parent_path());
  std::filesystem::rename(bundle, moved);
  EXPECT_EQ(model_digests(moved.string()), digests);
}

TEST(ModelDigests, SayWhichFileCannotBeExamined) {
  const test::TemporaryDirectory directory;
  test::write_tiny_model(directory);
  std::filesystem::create_symlink("loop.json", directory.path() / "loop.json");
  const std::string error = test::error_of(ErrorCode::kIo, [&] { model_digests(directory.path().string()); });
  EXPECT_EQ(error, "'" + (directory.path() / "loop.json").string() + "': cannot be examined: " +
                       std::make_error_code(std::errc::too_many_symbolic_link_levels).message());
}

TEST(ModelDigests, OfTheBuiltInModelAreTheVersion) {
  EXPECT_EQ(model_digests(""), (std::map<std::string, std::string>{{"built-in", std::string(version())}}));
  const std::string error = test::error_of(ErrorCode::kNotFound, [] { model_digest("/no/such/model"); });
  EXPECT_NE(error.find("'/no/such/model'"), std::string::npos) << error;
}

}  // namespace
}  // namespace bert
