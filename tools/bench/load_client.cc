#include "tools/bench/load_client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>
#include <charconv>
#include <limits>
#include <stdexcept>
#include <utility>

namespace bert::bench {

namespace asio = boost::asio;
namespace http = boost::beast::http;

asio::generic::stream_protocol::endpoint load_endpoint(const std::string& address) {
  if (address.starts_with("unix:")) return asio::local::stream_protocol::endpoint(address.substr(5));
  const size_t colon = address.rfind(':');
  unsigned short port = 0;
  boost::system::error_code failure;
  if (colon != std::string::npos) std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  const auto host = asio::ip::make_address(address.substr(0, colon), failure);
  if (failure || port == 0) {
    throw std::runtime_error("address '" + address +
                             "', expected a number and port such as 127.0.0.1:8080, or unix:PATH");
  }
  return asio::ip::tcp::endpoint(host, port);
}

LoadRequest load_request(const std::string& path, const std::string& body, bool expect_continue) {
  LoadRequest request;
  request.head = (body.empty() ? "GET " : "POST ") + path + " HTTP/1.1\r\nHost: localhost\r\n";
  if (!body.empty()) {
    request.head += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  }
  if (expect_continue) request.head += "Expect: 100-continue\r\n";
  request.head += "\r\n";
  request.body = body;
  return request;
}

void LoadClient::ask(const LoadRequest& request, bool expect_continue, Done done) {
  request_ = &request;
  waits_for_continue_ = expect_continue;
  done_ = std::move(done);
  answer_ = {};
  buffer_.clear();
  if (socket_.is_open()) return send();
  socket_.async_connect(server_, [self = shared_from_this()](const Failure& failure) {
    if (failure) {
      self->answer_.connected = false;
      return self->finish(failure);
    }
    if (self->server_.protocol().family() != AF_UNIX) {
      Failure ignored;
      self->socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    }
    self->send();
  });
}

void LoadClient::send() {
  std::array<asio::const_buffer, 2> buffers = {asio::buffer(request_->head), asio::buffer(request_->body)};
  if (waits_for_continue_) buffers[1] = {};
  asio::async_write(socket_, buffers, [self = shared_from_this()](const Failure& failure, size_t) {
    if (failure) return self->finish(failure);
    self->read_head();
  });
}

void LoadClient::read_head() {
  parser_.emplace();
  parser_->body_limit(std::numeric_limits<uint64_t>::max());
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const Failure& failure, size_t) { self->got_head(failure); });
}

void LoadClient::got_head(const Failure& failure) {
  if (failure) return finish(failure);
  answer_.accepted = true;
  if (parser_->get().result() != http::status::continue_) return read_body();
  asio::async_write(socket_, asio::buffer(request_->body), [self = shared_from_this()](const Failure& failed, size_t) {
    if (failed) return self->finish(failed);
    self->read_head();
  });
}

void LoadClient::read_body() {
  http::async_read(socket_, buffer_, *parser_,
                   [self = shared_from_this()](const Failure& failure, size_t) { self->finish(failure); });
}

void LoadClient::finish(const Failure& failure) {
  if (!failure) {
    answer_.status = static_cast<int>(parser_->get().result_int());
    answer_.body = std::move(parser_->get().body());
  }
  if (failure || !parser_->keep_alive()) close();
  if (done_) std::exchange(done_, nullptr)(std::move(answer_));
}

void LoadClient::close() {
  Failure ignored;
  socket_.close(ignored);
}

}  // namespace bert::bench
