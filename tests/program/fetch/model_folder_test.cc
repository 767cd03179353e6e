#include "program/fetch/model_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert::fetch {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TemporaryDirectory;

// The digests are those that git hash-object and sha256sum give for this content.
const std::string kContent = "what is up, doc?";
const RemoteFile kGitFile = {"1_Pooling/config.json", kContent.size(), "bd9dbf5aae1a3862dd1526723246b20206e5fc37"};

class ModelFolderTest : public ::testing::Test {
 protected:
  ModelFolder open() {
    return {cache_.path(), "org/name", [this](const std::string& line) { notes_.push_back(line); }};
  }
  fs::path place(const std::string& path) const { return cache_.path() / "models--org--name" / path; }
  std::string text(const std::string& path) const {
    std::ifstream file(place(path));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void read_all(FileSink& sink) { sink.add(kContent); }

  TemporaryDirectory cache_;
  std::vector<std::string> notes_;
};

TEST_F(ModelFolderTest, GivesAFileItsNameWhenItsDigestIsRight) {
  ModelFolder folder = open();
  EXPECT_FALSE(folder.has(kGitFile));
  folder.fill(kGitFile, [&](FileSink& sink) {
    sink.add(kContent.substr(0, 5));
    EXPECT_TRUE(fs::exists(place("blobs/" + kGitFile.digest + ".incomplete")));
    EXPECT_FALSE(fs::exists(folder.blob(kGitFile)));
    sink.add(kContent.substr(5));
  });
  EXPECT_TRUE(folder.has(kGitFile));
  EXPECT_EQ(text("blobs/" + kGitFile.digest), kContent);
  EXPECT_FALSE(fs::exists(place("blobs/" + kGitFile.digest + ".incomplete")));
}

TEST_F(ModelFolderTest, RemovesContentOfTheRightSizeWithOtherBytes) {
  ModelFolder folder = open();
  folder.fill(kGitFile, read_all);
  EXPECT_TRUE(folder.keep_if_intact(kGitFile));
  cache_.write("models--org--name/blobs/" + kGitFile.digest, "what is up, cat?");
  EXPECT_TRUE(folder.has(kGitFile));
  EXPECT_FALSE(folder.keep_if_intact(kGitFile));
  EXPECT_FALSE(folder.has(kGitFile));
  EXPECT_EQ(notes_,
            std::vector<std::string>{"'1_Pooling/config.json': the git digest of '" + folder.blob(kGitFile).string() +
                                     "' is f58a9ca4c57478ef185653d59b55abb3e2b1733d, expected " + kGitFile.digest +
                                     "; it is fetched anew"});
}

TEST_F(ModelFolderTest, RefusesOtherBytesAndForgetsThem) {
  ModelFolder folder = open();
  EXPECT_EQ(error_of([&] { folder.fill(kGitFile, [](FileSink& sink) { sink.add("what is up, cat?"); }); }),
            "'1_Pooling/config.json': found bytes whose git digest is f58a9ca4c57478ef185653d59b55abb3e2b1733d, "
            "expected " +
                kGitFile.digest);
  EXPECT_EQ(folder.begun_bytes(kGitFile), 0u);
  EXPECT_FALSE(folder.has(kGitFile));
}

TEST_F(ModelFolderTest, ReadsAllAgainWhereTheBytesOfAnEarlierRunAreOthers) {
  ModelFolder folder = open();
  std::ofstream(place("blobs/" + kGitFile.digest + ".incomplete")) << "WHAT";
  EXPECT_EQ(folder.begun_bytes(kGitFile), 4u);
  folder.fill(kGitFile, [](FileSink& sink) { sink.add(kContent.substr(sink.size())); });
  EXPECT_TRUE(folder.has(kGitFile));
  EXPECT_EQ(notes_, std::vector<std::string>{"'1_Pooling/config.json': the bytes of an earlier try are not the file's; "
                                             "it is fetched anew"});
}

TEST_F(ModelFolderTest, PublishesTheSnapshotAndThenTheRevision) {
  ModelFolder folder = open();
  folder.fill(kGitFile, read_all);
  const fs::path snapshot = folder.publish("c0ffee", "refs/pr/1", {kGitFile});
  EXPECT_EQ(snapshot, place("snapshots/c0ffee"));
  EXPECT_EQ(fs::read_symlink(snapshot / kGitFile.path), "../../../blobs/" + kGitFile.digest);
  EXPECT_EQ(text("snapshots/c0ffee/1_Pooling/config.json"), kContent);
  EXPECT_EQ(text("refs/refs/pr/1"), "c0ffee");
  EXPECT_FALSE(fs::exists(place(".unfinished")));
}

TEST_F(ModelFolderTest, SaysWhatItNeedsWhereTheDiskIsTooSmall) {
  const std::string error = error_of([&] { open().require_room(uint64_t{1} << 62); });
  EXPECT_TRUE(error.starts_with("the disk of '" + cache_.path().string() + "' has ")) << error;
  EXPECT_TRUE(error.ends_with(" bytes free, expected 4611686018427387904 for the files to fetch")) << error;
}

TEST_F(ModelFolderTest, WaitsForTheOneThatHoldsTheLock) {
  const fs::path path = cache_.path() / "lock";
  std::atomic<bool> waits = false, first_has_ended = false, was_alone = false;
  std::thread second;
  {
    const FileLock first(path, [] { ADD_FAILURE() << "nobody else has it"; });
    second = std::thread([&] {
      const FileLock lock(path, [&] {
        waits = true;
        waits.notify_one();
      });
      was_alone = first_has_ended.load();
    });
    waits.wait(false);
    first_has_ended = true;
  }
  second.join();
  EXPECT_TRUE(was_alone);
}

}  // namespace
}  // namespace bert::fetch
