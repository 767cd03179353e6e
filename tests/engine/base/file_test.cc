#include "engine/base/file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "bert/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TemporaryDirectory;

std::string read_error(const fs::path& path, ErrorCode code, size_t max_bytes = 1000) {
  const std::string error = error_of(code, [&] { read_text_file(path, max_bytes); });
  return error;
}

TEST(File, ReadsAWholeFile) {
  const TemporaryDirectory directory;
  const std::string content = std::string("a\0b\xff\n", 5);
  EXPECT_EQ(read_text_file(directory.write("x", content), 5), content);
  EXPECT_EQ(read_text_file(directory.write("empty", ""), 0), "");
  EXPECT_EQ(read_text_file_if_there(directory.path() / "x", 5), content);
}

TEST(File, SaysThatNothingIsThere) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "x";
  EXPECT_EQ(read_text_file_if_there(path, 5), std::nullopt);
  EXPECT_EQ(read_error(path, ErrorCode::kNotFound), "'" + path.string() + "': no such file");
  const fs::path below_a_file = directory.write("file", "") / "x";
  EXPECT_EQ(read_text_file_if_there(below_a_file, 5), std::nullopt);
}

TEST(File, RefusesMoreThanTheLimitBeforeReading) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", "123456");
  EXPECT_EQ(read_error(path, ErrorCode::kInvalidFile, 5), "'" + path.string() + "': 6 bytes, expected at most 5");
  const fs::path sparse = directory.write("sparse", "");
  fs::resize_file(sparse, uintmax_t{1} << 42);  // 4 TB without allocated blocks
  EXPECT_NE(read_error(sparse, ErrorCode::kInvalidFile).find("4398046511104 bytes"), std::string::npos);
}

TEST(File, RefusesWhatIsNoRegularFileWithoutWaiting) {
  const TemporaryDirectory directory;
  const fs::path fifo = directory.path() / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(read_error(fifo, ErrorCode::kInvalidFile), "'" + fifo.string() + "': is a FIFO, expected a regular file");
  EXPECT_EQ(read_error(directory.path(), ErrorCode::kInvalidFile),
            "'" + directory.path().string() + "': is a directory, expected a regular file");
  EXPECT_EQ(read_error("/dev/zero", ErrorCode::kInvalidFile),
            "'/dev/zero': is a character device, expected a regular file");
  const fs::path link = directory.path() / "link";
  fs::create_symlink("/dev/zero", link);
  EXPECT_NE(read_error(link, ErrorCode::kInvalidFile).find("is a character device"), std::string::npos);

  const fs::path path = directory.path() / "socket";
  const int socket_descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.native().size(), sizeof(address.sun_path));
  path.native().copy(address.sun_path, path.native().size());
  ASSERT_EQ(bind(socket_descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_NE(read_error(path, ErrorCode::kInvalidFile).find("is a socket"), std::string::npos);
  close(socket_descriptor);
}

TEST(File, RefusesBrokenLinksLoopsAndImpossibleNames) {
  const TemporaryDirectory directory;
  const fs::path link = directory.path() / "link";
  fs::create_symlink("nowhere", link);
  const auto open = [&] { read_text_file_if_there(link, 5); };
  EXPECT_EQ(error_of(ErrorCode::kNotFound, open), "'" + link.string() + "': is a link to a file that is not there");
  const fs::path loop = directory.path() / "loop";
  fs::create_symlink("loop", loop);
  EXPECT_NE(read_error(loop, ErrorCode::kIo).find("cannot be opened"), std::string::npos);
  EXPECT_NE(read_error(directory.path() / std::string(4096, 'a'), ErrorCode::kIo).find("too long"), std::string::npos);
  const std::string with_nul("a\0b", 3);
  EXPECT_EQ(read_error(with_nul, ErrorCode::kInvalidArgument), "'a\\x00b': a NUL in a file's name");
}

TEST(File, SaysWhyAFileCannotBeRead) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", "1");
  chmod(path.c_str(), 0);
  if (access(path.c_str(), R_OK) == 0) GTEST_SKIP() << "SKIPPED, runs as root: every file can be read";
  EXPECT_NE(read_error(path, ErrorCode::kIo).find("Permission denied"), std::string::npos);
}

TEST(File, NoticesThatItWasWritten) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", "12345");
  const RegularFile file = RegularFile::open(path);
  const auto error = [&] { return error_of([&] { file.check_is_unchanged(); }); };
  const fs::file_time_type written = fs::last_write_time(path);
  fs::rename(path, directory.path() / "y");
  fs::rename(directory.path() / "y", path);
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  file.check_is_unchanged();
  fs::resize_file(path, 3);
  EXPECT_EQ(error(), "'" + path.string() + "': truncated at byte 3 while it was read, expected 5");
  fs::resize_file(path, 9);
  EXPECT_EQ(error(), "'" + path.string() + "': grew to byte 9 while it was read, expected 5");
  fs::resize_file(path, 5);
  fs::last_write_time(path, written + std::chrono::seconds(1));
  EXPECT_EQ(error(),
            "'" + path.string() + "': written while it was read, expected a file that is replaced by a rename");
}

TEST(File, LeavesNoDescriptorOpen) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", "12345");
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  rlimit low = limit;
  low.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(read_text_file(path, 5), "12345");
    EXPECT_NE(error_of([&] { read_text_file(path, 4); }), "");
    EXPECT_NE(error_of([&] { read_text_file("/dev/zero", 4); }), "");
  }
  setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(File, KnowsPlainFileNames) {
  for (const std::string name : {"a", "model-00001-of-00002.safetensors", "1_Pooling", "A.b_c-d"}) {
    EXPECT_TRUE(is_plain_file_name(name)) << name;
  }
  EXPECT_TRUE(is_plain_file_name(std::string(255, 'a')));
  for (const std::string name :
       {"", ".", "..", ".hidden", "-rf", "_x", "a/b", "/a", "a\\b", "a b", "a\n", "é", "~", "a:b"}) {
    EXPECT_FALSE(is_plain_file_name(name)) << name;
  }
  EXPECT_FALSE(is_plain_file_name(std::string(256, 'a')));
  EXPECT_FALSE(is_plain_file_name(std::string("a\0b", 3)));
}

TEST(File, ConfinesNamesToTheirDirectory) {
  const TemporaryDirectory directory;
  directory.write("outside", "secret");
  directory.write("model/inside", "weights");
  directory.write("model-of-another/file", "weights");  // the path begins with the directory's name
  const fs::path model = directory.path() / "model";
  EXPECT_EQ(resolve_confined(model, "inside", "index"), model / "inside");

  fs::create_symlink("inside", model / "alias");
  EXPECT_EQ(resolve_confined(model, "alias", "index"), model / "inside");
  fs::create_symlink(model, directory.path() / "shortcut");  // a link given by the user may lead anywhere
  EXPECT_EQ(resolve_confined(directory.path() / "shortcut", "inside", "index"), model / "inside");

  fs::create_symlink("../outside", model / "relative");
  fs::create_symlink(directory.path() / "outside", model / "absolute");
  fs::create_symlink("../model-of-another/file", model / "sibling");
  fs::create_symlink("relative", model / "twice");
  fs::create_directory_symlink("..", model / "up");
  for (const char* name : {"relative", "absolute", "sibling", "twice", "up/outside", "../outside", "."}) {
    const std::string error = error_of(ErrorCode::kInvalidFile, [&] { resolve_confined(model, name, "index"); });
    EXPECT_NE(error.find("'index' names '" + std::string(name) + "', which leads to "), std::string::npos) << error;
    EXPECT_NE(error.find("expected a file in '" + model.string() + "'"), std::string::npos) << error;
  }
  EXPECT_NE(error_of([&] { resolve_confined(model, "missing", "index"); }).find("which is not there"),
            std::string::npos);
}

TEST(File, LetsSnapshotsOfTheHubsCacheLinkToTheirBlobsOnly) {
  const TemporaryDirectory directory;
  directory.write("models--a--b/blobs/1234", "weights");
  directory.write("models--c--d/blobs/1234", "weights of another model");
  const fs::path snapshot = directory.path() / "models--a--b/snapshots/main";
  fs::create_directories(snapshot);
  fs::create_symlink("../../blobs/1234", snapshot / "x");
  fs::create_symlink("../../../models--c--d/blobs/1234", snapshot / "y");
  EXPECT_EQ(resolve_confined(snapshot, "x", "index"), directory.path() / "models--a--b/blobs/1234");
  EXPECT_NE(error_of([&] { resolve_confined(snapshot, "y", "index"); }).find("which leads to"), std::string::npos);
}

}  // namespace
}  // namespace bert
