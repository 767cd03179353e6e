#include "engine/base/mapped_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstring>
#include <string>

#include "bert/error.h"
#include "bert/missing_pages.h"
#include "engine/base/file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TemporaryDirectory;

TEST(MappedFile, ShowsTheFilesBytesOnAPage) {
  const TemporaryDirectory directory;
  const std::string content(10000, 'x');
  const MappedFile file = MappedFile::open(directory.write("x", content));
  ASSERT_EQ(file.bytes().size(), content.size());
  EXPECT_EQ(std::memcmp(file.bytes().data(), content.data(), content.size()), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file.bytes().data()) % 4096, 0u);
}

TEST(MappedFile, MapsAnEmptyFileAsNothing) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(MappedFile::open(directory.write("x", "")).bytes().empty());
}

TEST(MappedFile, StaysAtItsAddressWhenMoved) {
  const TemporaryDirectory directory;
  MappedFile first = MappedFile::open(directory.write("x", "12345"));
  const std::byte* address = first.bytes().data();
  MappedFile second = std::move(first);
  EXPECT_EQ(second.bytes().data(), address);
  MappedFile third = MappedFile::open(directory.write("y", "1"));
  third = std::move(second);
  EXPECT_EQ(third.bytes().data(), address);
  EXPECT_EQ(third.bytes().size(), 5u);
}

TEST(MappedFile, OutlivesTheFilesName) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", "old");
  const MappedFile file = MappedFile::open(path);
  fs::rename(directory.write("y", "newer"), path);  // the converter replaces files so
  EXPECT_EQ(std::memcmp(file.bytes().data(), "old", 3), 0);
}

TEST(MappedFile, ShowsZerosWhereAHandlerReplacedMissingPages) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", std::string(100000, 'x'));
  const MappedFile file = MappedFile::open(path),
                   other = MappedFile::open(directory.write("y", std::string(9000, 'y')));
  struct sigaction action = {}, before = {};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t* info, void*) {
    if (!replace_missing_pages(info->si_addr)) _exit(1);
  };
  sigaction(SIGBUS, &action, &before);
  fs::resize_file(path, 65536);
  EXPECT_EQ(file.bytes()[65535], std::byte{'x'});
  EXPECT_EQ(file.bytes()[99999], std::byte{0});
  sigaction(SIGBUS, &before, nullptr);
  fs::resize_file(path, 100000);  // the time stays the same, as after an error of the disk
  EXPECT_THROW(file.check_is_unchanged(), Error);
  other.check_is_unchanged();
  EXPECT_FALSE(replace_missing_pages(path.c_str()));
}

TEST(MappedFile, RefusesAFileThatWasCutAfterOpening) {
  const TemporaryDirectory directory;
  const fs::path path = directory.write("x", std::string(10000, 'x'));
  RegularFile file = RegularFile::open(path);
  fs::resize_file(path, 4);
  EXPECT_NE(
      error_of([&] { MappedFile::map(std::move(file)); }).find("truncated at byte 4 while it was read, expected 10000"),
      std::string::npos);
}

TEST(MappedFile, RefusesWhatIsNoRegularFile) {
  EXPECT_NE(error_of([] { MappedFile::open("/dev/zero"); }).find("is a character device"), std::string::npos);
  EXPECT_NE(error_of([] { MappedFile::open("/"); }).find("is a directory"), std::string::npos);
  EXPECT_NE(error_of([] { MappedFile::open("/no/such/file"); }).find("no such file"), std::string::npos);
}

}  // namespace
}  // namespace bert
