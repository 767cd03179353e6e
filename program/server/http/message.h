// An HTTP request and its answer as plain data, so that everything behind the sockets is tested without them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bert::server {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

// The kind of address at which a request came in. kOther: of the network, or of every network.
enum class Door { kLoopback, kUnixSocket, kOther };

struct HttpRequest {
  std::string method = {};
  std::string path = {};   // of the target, without the query
  std::string query = {};  // without "?"
  HttpFields fields = {};  // names in lower case
  std::string body = {};
  std::string host = {};    // for which it is, "name:port" in lower case; "" if an HTTP/1.0 request does not say it
  std::string client = {};  // the address of its connection's other end: "192.0.2.1", "::1", "unix"
  Door door = Door::kOther;

  // The first field of this name (in lower case); "" if there is none.
  std::string_view field(std::string_view name) const {
    for (const auto& [known, value] : fields) {
      if (known == name) return value;
    }
    return {};
  }
};

struct HttpResponse {
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";  // with an empty body none is sent
  HttpFields fields = {};                         // besides Content-Type, Content-Length, Connection and Date
  std::shared_ptr<const void> kept = {};          // until the body is sent: its share of a budget
};

// One request that is being answered. Kept alive by whoever answers it. Either respond() or drop() is called, once,
// from any thread.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;
  HttpExchange() = default;
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  // Valid until respond() or drop() is called.
  virtual const HttpRequest& request() const = 0;
  // Answers the request. Allocates nothing.
  virtual void respond(HttpResponse response) noexcept = 0;
  // Ends the connection without an answer, for want of memory for one.
  virtual void drop() noexcept = 0;
  // The request's body is read and no longer needed: frees it.
  virtual void release_body() noexcept {}
  // `abandoned` is called, at most once, when the client leaves before the answer. Only from HttpHandler::handle.
  virtual void on_abandoned(std::function<void()> abandoned) = 0;
};

}  // namespace bert::server
