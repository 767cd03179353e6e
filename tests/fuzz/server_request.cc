// Fuzzes the bytes on a connection. Requests may be broken, pipelined or cut. The server must answer each of them or
// close the connection.
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "program/server/http/listener.h"
#include "program/server/http/server.h"
#include "tests/fuzz/target.h"
#include "tests/program/server/raw_client.h"
#include "tests/support/temporary_directory.h"

namespace {

using namespace bert;

class EchoHandler : public server::HttpHandler {
 public:
  std::optional<server::HttpResponse> refuse(const server::HttpRequest& head) override {
    if (head.path == "/refused") return server::HttpResponse{.status = 401, .body = "no"};
    return std::nullopt;
  }
  void handle(std::shared_ptr<server::HttpExchange> exchange) override {
    const server::HttpRequest& request = exchange->request();
    fuzz::require(!request.method.empty() && !request.path.empty(), "a request has a method and a path");
    exchange->respond({.body = request.body});
  }
  server::HttpResponse fault(int status, const server::HttpRequest&, const std::string& message) override {
    fuzz::require(status >= 400 && !message.empty(), "a fault says what is wrong");
    return {.status = status, .body = message};
  }
  void connections_changed(size_t) override {}
};

// Starts a server that runs until the process ends, and returns its address. It listens at a path, because each of
// thousands of connections a second would keep a port in use for a minute.
std::string start_server() {
  static const test::TemporaryDirectory directory;
  static EchoHandler handler;
  static auto& server = *new server::HttpServer(handler, {});
  const int socket = server::listen_at("unix:" + (directory.path() / "socket").string());
  server.listen(socket);
  std::thread([] { server.run(); }).detach();
  return server::address_of(socket);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string address = start_server();
  test::RawClient client(address);
  client.send(fuzz::text_of(data, size));
  client.close_sending();
  const std::string answer = client.read_all();
  fuzz::require(answer.empty() || answer.starts_with("HTTP/1."), "an answer begins with a status line");
  return 0;
}
