// Tests the options of the command serve. tests/program/server tests the server itself.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "program/server/http/listener.h"
#include "tests/program/cli/program.h"

namespace bert::test {
namespace {

void expect_failure(const std::vector<std::string>& arguments, int status, const std::string& says) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
}

TEST(ServeCommand, SaysWhatIsWrongWithItsOptions) {
  expect_failure({"serve", "a text"}, 2, "serve takes no TEXT; found 'a text'");
  expect_failure({"serve", "--queue-texts", "5"}, 2, "--queue-texts 5 is less than the 2048 texts");
  expect_failure({"serve", "--port", "80000"}, 2, "--port");
  expect_failure({"serve", "--host", "192.0.2.1"}, 1, "cannot listen at '192.0.2.1:8080'");
  expect_failure({"serve", "--host", "2001:db8::1", "--port", "0"}, 1, "cannot listen at '[2001:db8::1]:0'");
  expect_failure({"serve", "--host", "a", "--listen", "127.0.0.1:0"}, 2, "--listen");
  expect_failure({"serve", "--listen", "nowhere"}, 1, "cannot listen at 'nowhere': expected HOST:PORT or unix:PATH");
  expect_failure({"serve", "--listen", "127.0.0.1:0", "--model", "a=no-such-directory"}, 1, "cannot load 'a': ");
  expect_failure({"serve", "--listen", "127.0.0.1:0", "--model", "a b="}, 1, "model name 'a b'");
  expect_failure({"serve", "--adapter", "a"}, 2, "--adapter 'a': expected NAME=DIR");
  expect_failure({"serve", "--model", "a=x", "--model", "b=y", "--adapter", "c=z"}, 2,
                 "--adapter 'c=z': 2 models, expected NAME=MODEL=DIR with the name of one of them");
  expect_failure({"serve", "--listen", "127.0.0.1:0", "--adapter", "c=built-in=no-such-adapter"}, 1,
                 "cannot load 'c': adapter (LoRA) 'no-such-adapter': not there");
  expect_failure({"serve", "--listen", "127.0.0.1:0", "--api-key-file", "no-such-file"}, 1, "'no-such-file'");
  expect_failure({"serve", "--listen", "127.0.0.1:99999"}, 1, "expected a port from 0 to 65535");
  expect_failure({"serve", "--listen", "127.0.0.1:0", "--api-key-file", "/dev/zero"}, 1, "'/dev/zero' is a device");
  expect_failure({"serve", "--listen", "127.0.0.1:0", "--redact-key-file", "/dev/zero"}, 1, "'/dev/zero' is a device");
  const TemporaryDirectory folder;
  expect_failure({"serve", "--listen", "127.0.0.1:0", "--redact-key-file", write_file(folder, "key", "short")}, 1,
                 "a key of 5 bytes for {hash}, expected at least 16");
}

TEST(ServeCommand, ChecksAnotherServer) {
  const int socket = server::listen_at("127.0.0.1:0");
  const std::string address = server::address_of(socket);
  std::thread answers([&] {
    for (const char* status : {"200 OK", "503 Service Unavailable"}) {
      pollfd wait = {socket, POLLIN, 0};
      ::poll(&wait, 1, 30'000);
      const int client = ::accept(socket, nullptr, nullptr);
      char bytes[512];
      (void)!::recv(client, bytes, sizeof bytes, 0);
      const std::string answer = std::string("HTTP/1.1 ") + status + "\r\n\r\n";
      ::send(client, answer.data(), answer.size(), MSG_NOSIGNAL);
      ::close(client);
    }
  });
  const ProgramResult ready = run_program({"serve", "--check", address});
  EXPECT_EQ(ready.status, 0) << ready.err;
  EXPECT_EQ(ready.out + ready.err, "");
  expect_failure({"serve", "--check", "http://" + address + "/ready"}, 1,
                 "answered 503, expected 200: it is not ready");
  answers.join();
  ::close(socket);
  expect_failure({"serve", "--check", address}, 1, "'" + address + "': Connection refused");
  expect_failure({"serve", "--check", "a", "b"}, 2, "--check takes one TEXT");
}

// Every line is JSON, from the first note to the error that ends the program.
TEST(ServeCommand, WritesNothingButJsonWithALogOfJson) {
  const ProgramResult result = run_program({"serve", "--log", "json", "--listen", "127.0.0.1:0", "--model",
                                            "built-in=", "--model", "a=no-such-\"directory"});
  EXPECT_EQ(result.status, 1);
  std::istringstream lines(result.err);
  nlohmann::json last;
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    last = nlohmann::json::parse(line, nullptr, false);
    ASSERT_TRUE(last.is_object()) << line;
    EXPECT_TRUE(last.contains("time") && last.contains("level") && last.contains("message")) << line;
  }
  EXPECT_GE(count, 2u) << result.err;
  EXPECT_EQ(last["level"], "error");
  EXPECT_NE(last["message"].get<std::string>().find("no-such-\"directory"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace bert::test
