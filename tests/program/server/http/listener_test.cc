#include "program/server/http/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bert/error.h"
#include "tests/program/server/raw_client.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

TEST(Listener, OpensHostsAndPaths) {
  const int socket = server::listen_at("127.0.0.1:0");
  const std::string address = server::address_of(socket);
  EXPECT_TRUE(address.starts_with("127.0.0.1:"));
  EXPECT_NO_THROW(RawClient{address});
  EXPECT_THROW(server::listen_at(address), Error);  // the address is in use
  ::close(socket);

  const TemporaryDirectory folder;
  const std::string path = "unix:" + (folder.path() / "s").string();
  const int first = server::listen_at(path);
  EXPECT_EQ(server::address_of(first), path);
  EXPECT_NO_THROW(RawClient{path});
  EXPECT_THROW(server::listen_at(path), Error);  // a server listens there
  ::close(first);
  const int second = server::listen_at(path);  // the socket's file is left over
  EXPECT_NO_THROW(RawClient{path});
  ::close(second);
}

TEST(Listener, SaysWhatIsWrong) {
  for (const char* bad : {"", "8080", ":8080", "127.0.0.1:x", "unix:", "no.such.host.invalid:1", "127.0.0.1:99999",
                          "127.0.0.1:-1", "127.0.0.1: 1"}) {
    EXPECT_THROW(server::listen_at(bad), Error) << bad;
  }
  const TemporaryDirectory folder;
  const std::string file = folder.write("file", "mine").string();
  EXPECT_THROW(server::listen_at("unix:" + file), Error);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(Listener, RemovesTheFilesThatItMade) {
  const TemporaryDirectory folder;
  const std::string path = (folder.path() / "s").string(), replaced = (folder.path() / "t").string();
  server::SocketFiles files;
  for (const std::string& one : {path, replaced}) {
    ::close(server::listen_at("unix:" + one));
    files.add("unix:" + one);
  }
  std::filesystem::remove(replaced);
  folder.write("t", "another's");
  files.remove();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(std::filesystem::exists(replaced));
}

// The variables of systemd are set in a copy of this process, whose descriptor 3 does not come from systemd.
TEST(ListenerDeathTest, RefusesDescriptorsThatDoNotListen) {
  const auto passed = [](auto make) {
    ::setenv("LISTEN_FDS", "1", 1);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::close(3);
    make();
    try {
      server::systemd_sockets();
    } catch (const Error& error) {
      std::fputs(error.what(), stderr);
      ::_exit(1);
    }
    ::_exit(0);
  };
  const testing::ExitedWithCode refused(1), taken(0);
  EXPECT_EXIT(passed([] {}), refused, "descriptor 3 of LISTEN_FDS: Bad file descriptor, expected a listening");
  EXPECT_EXIT(passed([] { ::dup2(::open("/dev/null", O_RDONLY), 3); }), refused, "Socket operation on non-socket");
  EXPECT_EXIT(passed([] { ::dup2(::socket(AF_INET, SOCK_STREAM, 0), 3); }), refused, "another kind of socket");
  EXPECT_EXIT(passed([] { ::dup2(::socket(AF_INET, SOCK_DGRAM, 0), 3); }), refused, "another kind of socket");
  EXPECT_EXIT(passed([] { ::dup2(server::listen_at("127.0.0.1:0"), 3); }), taken, "");
}

TEST(Listener, TakesSocketsOfSystemdOnlyWhenTheyAreItsOwn) {
  ::setenv("LISTEN_FDS", "1", 1);
  ::setenv("LISTEN_PID", "1", 1);
  EXPECT_TRUE(server::systemd_sockets().empty());
  ::unsetenv("LISTEN_FDS");
  ::unsetenv("LISTEN_PID");
  EXPECT_TRUE(server::systemd_sockets().empty());
}

}  // namespace
}  // namespace bert::test
