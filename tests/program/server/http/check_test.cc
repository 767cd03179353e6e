#include "program/server/http/check.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "bert/error.h"
#include "program/server/http/listener.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert::test {
namespace {

// A server that accepts one connection, reads a request and writes this answer.
class OneAnswer {
 public:
  explicit OneAnswer(std::string answer, const std::string& at = "127.0.0.1:0")
      : socket_(server::listen_at(at)), address_(server::address_of(socket_)), thread_([this, answer] {
          pollfd wait = {socket_, POLLIN, 0};
          ::poll(&wait, 1, 10'000);
          const int client = ::accept(socket_, nullptr, nullptr);
          if (client < 0) return;
          char bytes[512];
          const ssize_t read = ::recv(client, bytes, sizeof bytes, 0);
          request_.assign(bytes, read > 0 ? static_cast<size_t>(read) : 0);
          if (!answer.empty()) ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
          if (answer.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(300));
          ::close(client);
        }) {}
  ~OneAnswer() {
    if (thread_.joinable()) thread_.join();
    ::close(socket_);
  }
  const std::string& address() const { return address_; }
  std::string request() {
    thread_.join();
    return request_;
  }

 private:
  int socket_;
  std::string address_, request_;
  std::thread thread_;
};

TEST(Check, AsksWhetherTheServerIsReady) {
  OneAnswer ready("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(server::status_of(ready.address()), 200);
  EXPECT_TRUE(ready.request().starts_with("GET /ready HTTP/1.1\r\nHost: 127.0.0.1:"));
  OneAnswer loading("HTTP/1.1 503 Service Unavailable\r\n\r\n");
  EXPECT_EQ(server::status_of("http://" + loading.address() + "/models/a/info"), 503);
  EXPECT_TRUE(loading.request().starts_with("GET /models/a/info HTTP/1.1\r\n"));
}

TEST(Check, AsksAtASocketsFile) {
  const TemporaryDirectory folder;
  const std::string path = "unix:" + (folder.path() / "s").string();
  OneAnswer ready("HTTP/1.1 200 OK\r\n\r\n", path);
  EXPECT_EQ(server::status_of(path), 200);
}

TEST(Check, NamesWhatIsWrong) {
  using std::chrono::milliseconds;
  for (const char* address :
       {"", "localhost", ":8080", "host:", "host:http", "https://host:1", "unix:", "127.0.0.1:99999"}) {
    EXPECT_NE(error_of(ErrorCode::kInvalidArgument, [&] { server::status_of(address); }).find("expected "),
              std::string::npos)
        << address;
  }
  std::string closed;
  {
    const int socket = server::listen_at("127.0.0.1:0");
    closed = server::address_of(socket);
    ::close(socket);
  }
  EXPECT_EQ(error_of(ErrorCode::kIo, [&] { server::status_of(closed); }), "'" + closed + "': Connection refused");
  OneAnswer silent("");
  EXPECT_EQ(error_of(ErrorCode::kIo, [&] { server::status_of(silent.address(), milliseconds(50)); }),
            "'" + silent.address() + "': no answer in time");
  OneAnswer other("220 mail\r\n");
  EXPECT_EQ(error_of(ErrorCode::kIo, [&] { server::status_of(other.address()); }),
            "'" + other.address() + "': the answer is not one of HTTP");
}

}  // namespace
}  // namespace bert::test
