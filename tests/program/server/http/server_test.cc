// Tests sockets and bytes: the answers to well-behaved, slow, broken and hostile clients.
#include "program/server/http/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <future>
#include <new>
#include <stdexcept>
#include <thread>

#include "program/server/http/listener.h"
#include "tests/program/server/raw_client.h"
#include "tests/support/random.h"

namespace bert::test {
namespace {

using server::HttpExchange;
using server::HttpLimits;
using server::HttpRequest;
using server::HttpResponse;

// Answers with the request's body. The exchange of "/later" is kept for the test.
class EchoHandler : public server::HttpHandler {
 public:
  std::optional<HttpResponse> refuse(const HttpRequest& head) override {
    if (head.path == "/refused") return HttpResponse{.status = 401, .body = "no"};
    return std::nullopt;
  }
  void handle(std::shared_ptr<HttpExchange> exchange) override {
    const HttpRequest& request = exchange->request();
    if (request.path == "/later") {
      exchange->on_abandoned([this] { ++abandoned; });
      kept.set_value(std::move(exchange));
      return;
    }
    if (request.path == "/last") {
      last = std::move(exchange);
      return;
    }
    if (request.path == "/dropped") return exchange->drop();
    if (request.path == "/thrown") throw std::bad_alloc();
    exchange->respond({.body = request.method + request.path + "?" + request.query + ":" + request.body});
  }
  HttpResponse fault(int status, const HttpRequest&, const std::string& message) override {
    return {.status = status, .body = message};
  }
  void connections_changed(size_t now) override { connections = now; }
  void caught_up() override {
    if (last) std::exchange(last, nullptr)->respond({.body = "caught up"});
  }

  std::shared_ptr<HttpExchange> last;
  std::promise<std::shared_ptr<HttpExchange>> kept;
  std::atomic<int> abandoned{0};
  std::atomic<size_t> connections{0};
};

class HttpServerTest : public ::testing::Test {
 protected:
  void start(const HttpLimits& limits = {}) {
    const int socket = server::listen_at("127.0.0.1:0");
    address_ = server::address_of(socket);
    server_ = std::make_unique<server::HttpServer>(handler_, limits);
    server_->listen(socket);
    thread_ = std::thread([this] {
      server_->run();
      has_ended_ = true;
    });
  }
  ~HttpServerTest() override {
    server_->stop();
    thread_.join();
  }
  void wait_until(const std::function<bool()>& holds) const {
    for (int i = 0; i < 6000 && !holds(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(holds());
  }
  // Returns the exchange of the request for "/later".
  std::shared_ptr<HttpExchange> kept_exchange() {
    std::future<std::shared_ptr<HttpExchange>> kept = handler_.kept.get_future();
    if (kept.wait_for(std::chrono::minutes(1)) != std::future_status::ready) {
      throw std::runtime_error("no request for /later within a minute");
    }
    return kept.get();
  }
  static std::string body_of(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }
  static std::string status_of(const std::string& answer) { return answer.substr(0, answer.find("\r\n")); }

  EchoHandler handler_;
  std::unique_ptr<server::HttpServer> server_;
  std::thread thread_;
  std::string address_;
  std::atomic<bool> has_ended_{false};
};

constexpr const char* kPost = "POST /a?b=c HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nxyz";

TEST_F(HttpServerTest, KeepsAConnectionAndAnswersPipelinedRequestsInOrder) {
  start();
  RawClient client(address_);
  client.send(kPost);
  const std::string answer = client.read_answer();
  EXPECT_EQ(status_of(answer), "HTTP/1.1 200 OK");
  EXPECT_EQ(body_of(answer), "POST/a?b=c:xyz");
  std::string many;
  for (int i = 0; i < 50; ++i) many += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(many);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(body_of(client.read_answer()), "GET/" + std::to_string(i) + "?:");
}

TEST_F(HttpServerTest, TellsItsHandlerWhenItHasCaughtUp) {
  start();
  RawClient client(address_);
  client.send("GET /last HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(body_of(client.read_answer()), "caught up");
}

TEST_F(HttpServerTest, ReadsARequestByteByByteAndInChunks) {
  start();
  RawClient client(address_);
  for (const char* byte = kPost; *byte != '\0'; ++byte) client.send({byte, 1});
  EXPECT_EQ(body_of(client.read_answer()), "POST/a?b=c:xyz");
  client.send("POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n");
  EXPECT_EQ(body_of(client.read_answer()), "POST/c?:abcde");
  client.send("POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_answer(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");
  EXPECT_EQ(body_of(client.read_answer()), "POST/e?:ok");
}

TEST_F(HttpServerTest, ClosesWhenAskedAndForHttp10) {
  start();
  RawClient closing(address_);
  closing.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  EXPECT_NE(closing.read_all().find("Connection: close\r\n"), std::string::npos);
  RawClient old(address_);
  old.send("GET / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.read_all().starts_with("HTTP/1.0 200 OK\r\n"));
  RawClient head(address_);
  head.send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string answer = head.read_all();
  EXPECT_TRUE(answer.ends_with("\r\n\r\n")) << answer;
  EXPECT_NE(answer.find("Content-Length: 7\r\n"), std::string::npos) << answer;  // the length of "HEAD/?:"
}

TEST_F(HttpServerTest, RefusesByTheHeadAlone) {
  start();
  RawClient small(address_);
  small.send("POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nxyz" + std::string(kPost));
  EXPECT_EQ(status_of(small.read_answer()), "HTTP/1.1 401 Unauthorized");
  EXPECT_EQ(body_of(small.read_answer()), "POST/a?b=c:xyz");  // the connection stays open
  RawClient large(address_);
  large.send("POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_NE(large.read_answer().find("Connection: close\r\n"), std::string::npos);
}

TEST_F(HttpServerTest, LimitsHeadersAndBodies) {
  start({.header_bytes = 1000, .body_bytes = 100});
  RawClient header(address_);
  header.send("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(2000, 'a') + "\r\n\r\n");
  EXPECT_EQ(status_of(header.read_all()), "HTTP/1.1 431 Request Header Fields Too Large");
  RawClient body(address_);
  body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n" + std::string(101, 'a'));
  EXPECT_EQ(status_of(body.read_all()), "HTTP/1.1 413 Payload Too Large");
  RawClient chunked(address_);
  chunked.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n80\r\n" + std::string(128, 'a') +
               "\r\n0\r\n\r\n");
  EXPECT_EQ(status_of(chunked.read_all()), "HTTP/1.1 413 Payload Too Large");
}

TEST_F(HttpServerTest, ReadsEachFormOfATarget) {
  start();
  const std::pair<std::string, std::string> cases[] = {
      {"/a?b=c", "GET/a?b=c:"}, {"http://x:1/a?b=c", "GET/a?b=c:"},
      {"HTTPS://x", "GET/?:"},  {"http://x?b=c?d", "GET/?b=c?d:"},
      {"*", "GET*?:"},          {"//x/a", "GET//x/a?:"},
  };
  for (const auto& [target, expected] : cases) {
    RawClient client(address_);
    client.send("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(body_of(client.read_answer()), expected) << target;
  }
  for (const std::string target : {"?b=c", "a", "x:443", "ftp://x/a", "http:/x"}) {
    RawClient client(address_);
    client.send("CONNECT " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
    const std::string answer = client.read_all();
    EXPECT_EQ(status_of(answer), "HTTP/1.1 400 Bad Request") << target;
    EXPECT_NE(body_of(answer).find("neither a path nor an address"), std::string::npos) << answer;
  }
}

TEST_F(HttpServerTest, AnswersGarbageWith400) {
  start();
  const std::string cases[] = {
      "hello\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nNo colon\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
      // A body has two lengths, of which a proxy and a server may choose different ones.
      "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11) + "\r\n\r\n",  // TLS
  };
  for (const std::string& bytes : cases) {
    RawClient client(address_);
    client.send(bytes);
    EXPECT_EQ(status_of(client.read_all()), "HTTP/1.1 400 Bad Request") << bytes;
  }
  RawClient client(address_);
  client.send(kPost);
  EXPECT_EQ(body_of(client.read_answer()), "POST/a?b=c:xyz");
}

TEST_F(HttpServerTest, EndsSlowAndIdleClients) {
  start({.header_time = std::chrono::milliseconds(100),
         .body_time = std::chrono::milliseconds(100),
         .idle_time = std::chrono::seconds(1)});  // longer than the test's thread may pause before it sends
  RawClient idle(address_), header(address_), body(address_);
  header.send("GET / HT");
  body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nx");
  EXPECT_EQ(status_of(header.read_all()), "HTTP/1.1 408 Request Timeout");
  EXPECT_EQ(status_of(body.read_all()), "HTTP/1.1 408 Request Timeout");
  EXPECT_EQ(idle.read_all(), "");
}

// The client never reads, so the kernel's buffers fill and writing stops.
TEST_F(HttpServerTest, EndsClientsThatDoNotRead) {
  start({.body_bytes = 64 << 20, .write_time = std::chrono::milliseconds(100)});
  RawClient client(address_);
  const std::string body(48 << 20, 'a');
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  wait_until([&] { return handler_.connections == 0; });
}

TEST_F(HttpServerTest, TellsOfClientsThatLeave) {
  start();
  auto client = std::make_unique<RawClient>(address_);
  client->send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::shared_ptr<HttpExchange> exchange = kept_exchange();
  EXPECT_EQ(handler_.abandoned, 0);
  client.reset();
  wait_until([&] { return handler_.abandoned == 1; });
  exchange->respond({.body = "late"});  // the client is gone
  wait_until([&] { return handler_.connections == 0; });
}

TEST_F(HttpServerTest, DrainAnswersWhatHasBegunAndClosesTheRest) {
  start();
  RawClient idle(address_), begun(address_), half(address_);
  half.send("GET /half HTTP/1.1\r\nHost: x\r\n");
  begun.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::shared_ptr<HttpExchange> exchange = kept_exchange();
  wait_until([&] { return handler_.connections == 3; });
  server_->drain();
  EXPECT_EQ(idle.read_all(), "");
  EXPECT_THROW(RawClient{address_}, std::runtime_error);
  EXPECT_FALSE(has_ended_);
  half.send("\r\n");
  EXPECT_TRUE(half.read_all().ends_with("GET/half?:"));
  exchange->respond({.body = "answer"});
  const std::string answer = begun.read_all();
  EXPECT_TRUE(answer.ends_with("answer")) << answer;
  EXPECT_NE(answer.find("Connection: close\r\n"), std::string::npos);
  wait_until([&] { return has_ended_.load(); });
}

TEST_F(HttpServerTest, ClosesTheConnectionThatIsIdleLongestForOneMore) {
  start({.connections = 2});
  RawClient one(address_), two(address_);
  for (RawClient* client : {&one, &two}) {
    client->send(kPost);
    EXPECT_EQ(body_of(client->read_answer()), "POST/a?b=c:xyz");
  }
  RawClient three(address_);
  three.send(kPost);
  EXPECT_EQ(body_of(three.read_answer()), "POST/a?b=c:xyz");
  EXPECT_EQ(one.read_all(), "");
  EXPECT_EQ(handler_.connections, 2u);
  two.send(kPost);
  EXPECT_EQ(body_of(two.read_answer()), "POST/a?b=c:xyz");
}

// A client that has sent half of a head is closed like an idle one if its connection is needed.
TEST_F(HttpServerTest, AnswersWithinASecondBesideManyHalfSentHeads) {
  start({.connections = 50});
  std::deque<RawClient> half;
  for (size_t i = 0; i < 120; ++i) {
    half.emplace_back(address_);
    half.back().send("GET /a HTTP/1.1\r\nHost: x\r\nX-Field: ");
  }
  const auto begin = std::chrono::steady_clock::now();
  RawClient client(address_);
  client.send(kPost);
  EXPECT_EQ(body_of(client.read_answer()), "POST/a?b=c:xyz");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  // The last client can still complete its request.
  half.back().send("y\r\n\r\n");
  EXPECT_EQ(body_of(half.back().read_answer()), "GET/a?:");
  EXPECT_EQ(half.front().read_all(), "");
}

TEST_F(HttpServerTest, ClosesAnIdleConnectionBeforeOneWhoseHeadIsHalfSent) {
  start({.connections = 2});
  RawClient half(address_), idle(address_);
  half.send("GET /a HTTP/1.1\r\nHost: x\r\n");
  idle.send(kPost);
  EXPECT_EQ(body_of(idle.read_answer()), "POST/a?b=c:xyz");
  RawClient next(address_);
  next.send(kPost);
  EXPECT_EQ(body_of(next.read_answer()), "POST/a?b=c:xyz");
  EXPECT_EQ(idle.read_all(), "");
  half.send("\r\n");
  EXPECT_EQ(body_of(half.read_answer()), "GET/a?:");
}

TEST_F(HttpServerTest, AcceptsNoMoreConnectionsThanItsLimitWhileTheyAreBusy) {
  start({.connections = 1});
  RawClient busy(address_);
  busy.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::shared_ptr<HttpExchange> exchange = kept_exchange();
  RawClient next(address_);  // earlier, `busy` might still be idle, and be closed
  next.send(kPost);
  EXPECT_EQ(handler_.connections, 1u);
  exchange->respond({.body = "answer"});
  EXPECT_EQ(body_of(busy.read_answer()), "answer");
  EXPECT_EQ(body_of(next.read_answer()), "POST/a?b=c:xyz");
}

TEST_F(HttpServerTest, DoesNotTellHttp10ToContinue) {
  start();
  RawClient client(address_);
  client.send("POST /a HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  client.send("ok");
  EXPECT_TRUE(client.read_all().starts_with("HTTP/1.0 200 OK\r\n"));
}

TEST_F(HttpServerTest, TellsWhereARequestComesFrom) {
  start();
  RawClient client(address_);
  client.send("GET /later HTTP/1.1\r\nHost: A.example:80\r\n\r\n");
  const std::shared_ptr<HttpExchange> exchange = kept_exchange();
  EXPECT_EQ(exchange->request().client, "127.0.0.1");
  EXPECT_EQ(exchange->request().host, "a.example:80");
  EXPECT_EQ(exchange->request().door, server::Door::kLoopback);
  exchange->respond({});
}

// If a handler drops the exchange or throws, such as for want of memory, the connection is closed.
TEST_F(HttpServerTest, EndsTheConnectionThatGetsNoAnswer) {
  start();
  RawClient kept(address_);
  kept.send(kPost);
  EXPECT_EQ(body_of(kept.read_answer()), "POST/a?b=c:xyz");
  for (const std::string path : {"/dropped", "/thrown"}) {
    RawClient client(address_);
    client.send("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.read_all(), "") << path;
  }
  kept.send(kPost);
  EXPECT_EQ(body_of(kept.read_answer()), "POST/a?b=c:xyz");
  wait_until([&] { return handler_.connections == 1; });
}

// Large bodies may use 70,000 bytes of the budget of 80,000.
TEST_F(HttpServerTest, RefusesBodiesBeyondTheBudgetOfAll) {
  start({.all_bodies_bytes = 80'000});
  const auto head_of = [](const std::string& length) {
    return "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + "\r\n\r\n";
  };
  auto first = std::make_unique<RawClient>(address_);
  first->send(head_of("60000") + "xyz");
  RawClient too_large(address_);
  too_large.send(head_of("70001"));
  EXPECT_EQ(status_of(too_large.read_all()), "HTTP/1.1 413 Payload Too Large");
  std::string refused;
  for (int i = 0; i < 6000 && !refused.starts_with("HTTP/1.1 429"); ++i) {  // until the first head is read
    RawClient second(address_);
    second.send(head_of("60000") + std::string(60'000, 'b'));
    refused = second.read_all();
  }
  EXPECT_EQ(body_of(refused),
            "the bodies that are being read have 60000 bytes and this one has 60000, expected at most 80000 together");
  RawClient chunked(address_);
  chunked.send("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nea60\r\n");
  EXPECT_EQ(status_of(chunked.read_all()), "HTTP/1.1 429 Too Many Requests");
  RawClient small(address_);
  small.send(kPost);
  EXPECT_EQ(body_of(small.read_answer()), "POST/a?b=c:xyz");
  first->reset();
  wait_until([&] { return handler_.connections == 1; });
  small.send(head_of("60000") + std::string(60'000, 'b'));
  EXPECT_EQ(status_of(small.read_answer()), "HTTP/1.1 200 OK");
  small.send(head_of("70000") + std::string(70'000, 'b'));  // the share of the body before is returned
  EXPECT_EQ(status_of(small.read_answer()), "HTTP/1.1 200 OK");
}

// Sends requests with replaced bytes, in pieces. Each connection must be answered or closed, and the server must go on.
TEST_F(HttpServerTest, SurvivesDamagedRequests) {
  start({.header_time = std::chrono::milliseconds(500), .body_time = std::chrono::milliseconds(500)});
  const std::string valid =
      "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n4\r\nabcd\r\n0\r\n\r\n";
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = valid;
    for (size_t change = random.below(4); change > 0; --change) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    RawClient client(address_);
    const size_t cut = random.below(bytes.size());
    client.send(bytes.substr(0, cut));
    client.send(bytes.substr(cut));
    if (i % 3 == 0) client.reset();
  }
  RawClient client(address_);
  client.send(kPost);
  EXPECT_EQ(body_of(client.read_answer()), "POST/a?b=c:xyz");
}

}  // namespace
}  // namespace bert::test
