// A connection: reads requests, one at a time, and writes their answers. Boost.Beast parses the heads. All sessions run
// in their owner's thread, so nothing here is locked; respond() posts to that thread.
//
// An idle connection has no buffer: it waits until its socket is readable. The owner checks the deadlines of all
// sessions together, so a session needs no timer.
//
// Each step of a session runs in attempt(): an exception ends only this connection. Ending a connection, and receiving
// its answer, needs no memory.
#pragma once

#include <array>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "program/server/base/memory_budget.h"
#include "program/server/http/body.h"
#include "program/server/http/handler.h"
#include "program/server/http/head.h"

namespace bert::server {

using NetworkError = boost::system::error_code;

class HttpSession;

// What sessions need from their server.
struct HttpSessionOwner {
  HttpSessionOwner(HttpHandler& given, const HttpLimits& given_limits)
      : handler(given), limits(given_limits), bodies(given_limits.all_bodies_bytes) {}
  virtual ~HttpSessionOwner() = default;
  HttpSessionOwner(const HttpSessionOwner&) = delete;
  HttpSessionOwner& operator=(const HttpSessionOwner&) = delete;

  virtual void remove(HttpSession* session) noexcept = 0;
  // Called when a session enters one of the lists below.
  virtual void became_idle() noexcept = 0;

  HttpHandler& handler;
  const HttpLimits limits;
  MemoryBudget bodies;
  boost::asio::io_context context{1};
  std::string date;  // for the answers
  bool is_draining = false;
  // Sessions without a request, and sessions whose request's head is incomplete; the oldest entry first.
  std::list<HttpSession*> idle, half_sent;
};

// The other end of a connection.
struct HttpPeer {
  int family;
  std::string client;  // HttpRequest::client
  Door door;
};

// Memory for one operation at a time, so that starting it cannot fail.
class OperationMemory {
 public:
  void* take(size_t bytes) {
    if (bytes > sizeof(bytes_)) throw std::bad_alloc();
    return bytes_;
  }

 private:
  alignas(std::max_align_t) std::byte bytes_[128];
};

template <class Object>
struct OperationAllocator {
  using value_type = Object;
  explicit OperationAllocator(OperationMemory& given) : memory(&given) {}
  template <class Other>
  OperationAllocator(const OperationAllocator<Other>& other) : memory(other.memory) {}

  Object* allocate(size_t count) { return static_cast<Object*>(memory->take(count * sizeof(Object))); }
  void deallocate(Object*, size_t) {}
  template <class Other>
  bool operator==(const OperationAllocator<Other>& other) const {
    return memory == other.memory;
  }

  OperationMemory* memory;
};

class HttpSession : public HttpExchange, public std::enable_shared_from_this<HttpSession> {
 public:
  using Clock = std::chrono::steady_clock;

  HttpSession(std::shared_ptr<HttpSessionOwner> owner, HttpPeer peer);

  ~HttpSession() override { end(); }

  // Takes the connected socket, which is closed even if this fails.
  void start(int socket) noexcept;
  const HttpRequest& request() const override { return request_; }
  void respond(HttpResponse response) noexcept override;
  void drop() noexcept override;
  void release_body() noexcept override;
  void on_abandoned(std::function<void()> abandoned) override { abandoned_ = std::move(abandoned); }

  // The owner forgets the session; an answer that arrives later is dropped.
  void close() noexcept;
  // Ends an operation that takes too long: with 408 while a request arrives.
  void check_deadline(Clock::time_point now) noexcept;
  // Closes the connection if it is idle or its request's head is incomplete, unless bytes wait to be read; returns
  // whether it did.
  bool close_if_idle() noexcept;

 private:
  enum class Phase { kIdle, kHead, kBody, kAnswering, kWriting, kLingering, kClosed };
  using Socket =
      boost::asio::basic_stream_socket<boost::asio::generic::stream_protocol, boost::asio::io_context::executor_type>;

  // Tells the session's thread that there is an answer, or none.
  struct AnswerIsReady {
    using allocator_type = OperationAllocator<std::byte>;
    allocator_type get_allocator() const { return allocator_type(session->answer_memory_); }
    void operator()() const { session->answer(); }
    std::shared_ptr<HttpSession> session;
  };

  template <class Step>
  void attempt(const Step& step) noexcept;
  void end() noexcept;
  void answer() noexcept;
  void set_phase(Phase phase) noexcept;
  void begin(Phase phase, HttpLimits::Time time) {
    set_phase(phase);
    deadline_ = Clock::now() + time;
  }
  std::string_view unread() const;
  void wait_for_request();
  // Processes the bytes that have arrived, and reads more if they are too few.
  void read();
  void read_more();
  void got_bytes(const NetworkError& error, size_t bytes);
  bool skip_empty_line();
  void read_head(size_t size);
  void begin_body(const BodyFraming& framing);
  void reserve_body();
  void got_body();
  // Answers with the error; the connection then ends.
  void end_with_fault(int status, const std::string& message);
  void watch_for_close();
  // Returns whether the client has closed its side. Does not consume bytes that it may have sent.
  bool has_left();
  void write(HttpResponse response);
  void written(const NetworkError& error);
  void linger();

  const std::shared_ptr<HttpSessionOwner> owner_;
  const int family_;
  Socket socket_;
  const std::string client_;
  const Door door_;
  boost::beast::flat_buffer buffer_;
  HeadScanner scanner_;
  std::optional<BodyReader> reader_;
  MemoryShare body_share_;
  HttpRequest request_;
  std::function<void()> abandoned_;
  std::optional<HttpResponse> answer_;  // from respond(), until the session's thread takes it
  OperationMemory answer_memory_;
  std::string head_, body_;              // of the answer
  std::shared_ptr<const void> kept_;     // kept alive with the body
  std::optional<HttpResponse> refusal_;  // sent when the body has been read
  std::array<char, 512> discarded_ = {};
  size_t discarded_bytes_ = 0;
  Phase phase_ = Phase::kIdle;
  Clock::time_point deadline_;
  bool timed_out_ = false;
  bool keep_alive_ = false;
  bool is_http_1_0_ = false;
  bool skipped_line_ = false;
  std::list<HttpSession*> own_place_;  // holds this session while it is in none of the owner's lists
  std::list<HttpSession*>::iterator place_;
  std::list<HttpSession*>* list_ = nullptr;  // the owner's list that place_ is in
};

}  // namespace bert::server
