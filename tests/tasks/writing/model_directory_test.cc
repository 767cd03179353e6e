// Checks that a directory appears completely or not at all.
#include "tasks/writing/model_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "bert/quantize.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

namespace fs = std::filesystem;

TEST(ModelDirectory, AppearsWhenItIsComplete) {
  const test::TemporaryDirectory folder;
  const fs::path directory = folder.path() / "model";
  write_directory(directory, [&](const fs::path& partial) {
    EXPECT_FALSE(fs::exists(directory));
    write_text_file(partial / "config.json", "{}");
  });
  EXPECT_EQ(test::read_file(directory / "config.json"), "{}");
  EXPECT_FALSE(fs::exists(directory.string() + ".partial"));
  EXPECT_NE(test::error_of(ErrorCode::kInvalidArgument, [&] { write_directory(directory, [](const fs::path&) {}); })
                .find("model': exists, expected the name of a new directory"),
            std::string::npos);
}

TEST(ModelDirectory, LeavesNothingOfAFailure) {
  const test::TemporaryDirectory folder;
  const fs::path directory = folder.path() / "model";
  EXPECT_THROW(write_directory(directory,
                               [](const fs::path& partial) {
                                 write_text_file(partial / "config.json", "{}");
                                 throw std::runtime_error("no");
                               }),
               std::runtime_error);
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_NE(test::error_of(ErrorCode::kIo, [&] { write_text_file(folder.path() / "no" / "file", ""); })
                .find("file': cannot be written: No such file"),
            std::string::npos);
}

TEST(ModelDirectory, HasTheFilesBesidesTheWeights) {
  const test::TemporaryDirectory from, to;
  for (const char* file : {"config.json", "vocab.txt", "verify.json", "model.safetensors", "notes.bin"}) {
    from.write(file, file);
  }
  from.write("1_Dense/config.json", "{}");
  from.write("1_Dense/model.safetensors", "dense");
  from.write("onnx/model.onnx", "other");
  EXPECT_EQ(copy_files(from.path(), from.path(), to.path()), (std::vector<std::string>{"notes.bin", "onnx/"}));
  for (const char* file : {"config.json", "vocab.txt", "1_Dense/config.json", "1_Dense/model.safetensors"}) {
    EXPECT_TRUE(fs::exists(to.path() / file)) << file;
  }
  EXPECT_FALSE(fs::exists(to.path() / "verify.json"));
  EXPECT_FALSE(fs::exists(to.path() / "model.safetensors"));
}

TEST(ModelDirectory, CopiesNothingFromOutside) {
  const test::TemporaryDirectory outside, from, to;
  const fs::path key = outside.write("id_rsa", "a key");
  from.write("config.json", "{}");
  for (const char* name : {"README.md", "LICENSE", "vocab.txt"}) {
    fs::create_symlink(key, from.path() / name);
    const std::string error =
        test::error_of(ErrorCode::kInvalidFile, [&] { copy_files(from.path(), from.path(), to.path()); });
    EXPECT_NE(error.find(std::string("names '") + name + "', which leads to "), std::string::npos) << error;
    EXPECT_FALSE(fs::exists(to.path() / name));
    fs::remove(from.path() / name);
  }
  outside.write("module/config.json", "{}");
  fs::create_directory_symlink(outside.path() / "module", from.path() / "1_Dense");
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { copy_files(from.path(), from.path(), to.path()); })
                .find("1_Dense': a link, expected a folder"),
            std::string::npos);
}

TEST(ModelDirectory, SaysWhichFolderCannotBeMade) {
  const test::TemporaryDirectory from, to;
  from.write("1_Dense/config.json", "{}");
  const fs::path file = to.write("1_Dense", "no folder");
  EXPECT_EQ(test::error_of(ErrorCode::kIo, [&] { copy_side_file(from.path(), "1_Dense/config.json", to.path()); }),
            "'" + file.string() + "': cannot be made: Not a directory");
}

TEST(ModelDirectory, CopiesTheBlobsOfTheHubsCache) {
  const test::TemporaryDirectory cache, to;
  cache.write("models--a--b/blobs/0123", "{}");
  const fs::path snapshot = cache.path() / "models--a--b" / "snapshots" / "main";
  fs::create_directories(snapshot);
  fs::create_symlink("../../blobs/0123", snapshot / "config.json");
  copy_files(snapshot, snapshot, to.path());
  EXPECT_EQ(test::read_file(to.path() / "config.json"), "{}");
  EXPECT_FALSE(fs::is_symlink(to.path() / "config.json"));
}

}  // namespace
}  // namespace bert
