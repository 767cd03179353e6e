// An HTTP request and its answer as plain data, so that everything behind the sockets can be tested without them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bert::server {

using HttpFields = std::vector<std::pair<std::string, std::string>>;

// The kind of address at which a request arrived. kOther: an address of the network, or all addresses.
enum class Door { kLoopback, kUnixSocket, kOther };

struct HttpRequest {
  std::string method = {};
  std::string path = {};   // the target's, without the query
  std::string query = {};  // without "?"
  HttpFields fields = {};  // names are in lower case
  std::string body = {};
  std::string host = {};    // the host of the request, "name:port" in lower case; "" if an HTTP/1.0 request does not
                            // name it
  std::string client = {};  // address of the connection's other end: "192.0.2.1", "::1", "unix"
  Door door = Door::kOther;

  // Returns the first field of this name (in lower case); "" if there is none.
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
  std::string content_type = "application/json";  // not sent with an empty body
  HttpFields fields = {};                         // besides Content-Type, Content-Length, Connection and Date
  std::shared_ptr<const void> kept = {};          // kept alive until the body is sent: its share of a budget
};

// One request that is being answered; whoever answers keeps it alive. Either respond() or drop() must be called, once,
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
  // Ends the connection without an answer, if there is no memory for one.
  virtual void drop() noexcept = 0;
  // Frees the request's body, which has been read and is no longer needed.
  virtual void release_body() noexcept {}
  // Sets a function that is called at most once, when the client leaves before the answer. Only call this in
  // HttpHandler::handle.
  virtual void on_abandoned(std::function<void()> abandoned) = 0;
};

}  // namespace bert::server
