// A connection of the load generator sends one request at a time and reads its answer, with Boost.Beast. Only
// load_client.cc and load.cc include Boost. All calls are made on one thread.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace bert::bench {

using LoadClock = std::chrono::steady_clock;
using LoadSocket = boost::asio::generic::stream_protocol::socket;

// Returns the endpoint of "HOST:PORT" with a numeric host, or of "unix:PATH". Throws std::runtime_error for other text.
boost::asio::generic::stream_protocol::endpoint load_endpoint(const std::string& address);

// A request's bytes.
struct LoadRequest {
  std::string head, body;
};
// With expect_continue the head asks the server to answer 100 Continue before the body is sent.
LoadRequest load_request(const std::string& path, const std::string& body, bool expect_continue);

struct LoadAnswer {
  int status = 0;         // 0: the connection ended before the answer
  bool accepted = false;  // the server said 100 Continue, or answered
  bool connected = true;  // false: no connection could be made
  std::string body = {};
};

class LoadClient : public std::enable_shared_from_this<LoadClient> {
 public:
  using Done = std::function<void(LoadAnswer)>;

  LoadClient(boost::asio::io_context& context, boost::asio::generic::stream_protocol::endpoint server)
      : server_(std::move(server)), socket_(context) {}

  // Connects first if the connection is not open. `request` must live until `done` is called, which happens once.
  void ask(const LoadRequest& request, bool expect_continue, Done done);
  // Ends the connection. A request without an answer then gets the status 0.
  void close();

 private:
  using Failure = boost::system::error_code;
  using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

  void send();
  void read_head();
  void got_head(const Failure& failure);
  void read_body();
  void finish(const Failure& failure);

  const boost::asio::generic::stream_protocol::endpoint server_;
  LoadSocket socket_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  const LoadRequest* request_ = nullptr;
  bool waits_for_continue_ = false;
  LoadAnswer answer_;
  Done done_;
};

}  // namespace bert::bench
