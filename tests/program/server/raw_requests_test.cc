// Sends bytes on a connection and expects the status that RFC 9112 requires. The tests name the sections. If the RFC
// leaves a choice, requests that a proxy might read in another way must be refused.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "program/server/http/listener.h"
#include "program/server/http/server.h"
#include "tests/program/server/raw_client.h"

namespace bert::test {
namespace {

using server::HttpExchange;
using server::HttpRequest;
using server::HttpResponse;

// Answers with the parts of the request that it has read.
class PrintingHandler : public server::HttpHandler {
 public:
  std::optional<HttpResponse> refuse(const HttpRequest&) override { return std::nullopt; }
  void handle(std::shared_ptr<HttpExchange> exchange) override {
    const HttpRequest& request = exchange->request();
    exchange->respond({.body = request.method + request.path + "@" + request.host + ":" + request.body});
  }
  HttpResponse fault(int status, const HttpRequest&, const std::string& message) override {
    return {.status = status, .body = message};
  }
  void connections_changed(size_t) override {}
};

struct RawCase {
  std::string bytes;
  int status;
  std::string body = {};  // the expected body for status 200; "": any body
};

class RawTable {
 public:
  void add(int status, const std::string& bytes, const std::string& body = "") {
    cases.push_back({bytes, status, body});
  }
  // Adds a case from a request line and fields, which are given without the ends of their lines.
  void head(int status, const std::string& line, const std::vector<std::string>& fields, const std::string& body = "") {
    std::string bytes = line + "\r\n";
    for (const std::string& field : fields) bytes += field + "\r\n";
    add(status, bytes + "\r\n" + body);
  }
  std::vector<RawCase> cases;
};

const std::string kGetLine = "GET / HTTP/1.1";
const std::string kPostLine = "POST / HTTP/1.1";
const std::string kHostField = "Host: x";

std::string chunked_request(const std::string& body) {
  return kPostLine + "\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + body;
}

// Adds the cases of section 3: the request line, its target and version.
void add_request_lines(RawTable& table) {
  table.add(200, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET/@x:");
  table.add(200, "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "GET/@x:");  // 2.2: one empty line is ignored
  table.add(400, "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  table.add(400, "\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
  table.add(400, " GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  for (const char* line :
       {"GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/ HTTP/1.1", "GET /\tHTTP/1.1", "GET / ",
        "GET /", "GET", "/ HTTP/1.1", " / HTTP/1.1", "GET / /a HTTP/1.1", "GET HTTP/1.1"}) {
    table.head(400, line, {kHostField});
  }
  for (const char* version :
       {"HTTP/1.2", "HTTP/2.0", "HTTP/0.9", "HTTP/3", "http/1.1", "HTTP/1.1.1", "HTTP/11", "HTTP/01.1", "HTTP/1.10",
        "HTTP/1,1", "HTTPS/1.1", "HTTP 1.1", "HTTP/1.", "HTTP/", "1.1"}) {
    table.head(400, "GET / " + std::string(version), {kHostField});
  }
  for (const char* method :
       {"GE T", "G(T", "G\"T", "G/T", "G:T", "G<T", "G{T", "G@T", "G=T", "G\xC3\xA4T", "G,T", "G;T"}) {
    table.head(400, std::string(method) + " / HTTP/1.1", {kHostField});
  }
  for (const char* method : {"get", "PURGE", "M-SEARCH", "G!T", "A"}) {
    table.head(200, std::string(method) + " / HTTP/1.1", {kHostField});
  }
  for (const char c : std::string("\"<>\\^`{|}#\x7F\x01\x80\xFF")) {
    table.head(400, std::string("GET /a") + c + " HTTP/1.1", {kHostField});
  }
  for (const char* target :
       {"a", "?a", "x:443", "ftp://x/", "http:/x", "http:x", "://x/", "http://", "https:///a", "http://a b/",
        "http://x:y/", "http://x:99999/", "http://a@x/", "http://[::1/", "http://[]/", "http://x\\y/", "*a", "**"}) {
    table.head(400, "GET " + std::string(target) + " HTTP/1.1", {kHostField});
  }
  table.add(200, "GET http://Y:80/a HTTP/1.1\r\nHost: x\r\n\r\n", "GET/a@y:80:");  // 3.2.2: the target's host counts
  table.add(200, "GET https://y HTTP/1.1\r\nHost: x\r\n\r\n", "GET/@y:");
  table.add(200, "GET http://[::1]:80/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET/@[::1]:80:");
  table.add(200, "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "OPTIONS*@x:");
  table.add(200, "GET //a/..//b?c HTTP/1.1\r\nHost: x\r\n\r\n", "GET//a/..//b@x:");
  table.add(200, "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", "GET/%zz@x:");
}

// Adds the cases of section 3.2: Host.
void add_hosts(RawTable& table) {
  table.head(400, kGetLine, {});
  table.head(400, kGetLine, {"Accept: a"});
  table.head(400, "GET http://x/ HTTP/1.1", {});
  table.head(400, kGetLine, {kHostField, kHostField});
  table.head(400, kGetLine, {kHostField, "host: y"});
  table.head(200, "GET / HTTP/1.0", {});
  table.head(200, "GET / HTTP/1.0", {kHostField});
  table.head(400, "GET / HTTP/1.0", {kHostField, kHostField});
  table.head(400, "GET / HTTP/1.0", {"Host: a b"});
  for (const char* host :
       {"",     " ",    "a b", "a/b",  "a?b",  "a#b", "a@b", "a:b",   "a:80:80",  "a:99999",  "a:123456",
        "a:-1", "a:+1", ":80", ":",    "[::1", "::1", "[]",  "[]:80", "[::g]",    "[::1]x",   "[::1]:y",
        "a\tb", "a\"b", "a<b", "a\\b", "a^b",  "a`b", "a{b", "a|b",   "http://a", "\xC3\xA4", "a\x7F"}) {
    table.head(400, kGetLine, {"Host: " + std::string(host)});
  }
  for (const char* host :
       {"a", "A.example:80", "a:", "1.2.3.4:5", "[::1]", "[::1]:65535", "[::ffff:1.2.3.4]", "a_b", "a%20b"}) {
    table.head(200, kGetLine, {"Host: " + std::string(host)});
  }
  table.add(200, "GET / HTTP/1.1\r\nhOsT:\t x:1 \t\r\n\r\n", "GET/@x:1:");
}

// Adds the cases of sections 2.2 and 5: lines, names and values.
void add_fields(RawTable& table) {
  for (const char* field :
       {"No colon", ": a", " A: b", "\tA: b", "A : b", "A\t: b", "A b: c", "A(: b", "A\"b: c", "A/b: c", "A@: b",
        "A[: b", "A{: b", "A=: b", "A,: b", "A;: b", "A\\: b", "\xC3\xA4: b", ""}) {
    if (*field != '\0') table.head(400, kGetLine, {kHostField, field});
  }
  for (const char c : std::string("\x01\x02\x07\x08\x0B\x0C\x0E\x1B\x1F\x7F")) {
    table.head(400, kGetLine, {kHostField, std::string("A: b") + c + "d"});
    table.head(400, kGetLine, {kHostField, std::string("A") + c + ": d"});
  }
  table.head(400, kGetLine, {kHostField, std::string("A: b\0c", 6)});
  table.head(400, kGetLine, {kHostField, std::string("A\0: b", 5)});
  for (const char* fold : {"A: b\r\n c", "A: b\r\n\tc", "A: b\r\n ", "A:\r\n b", "Content-Length: 1\r\n 0",
                           "Transfer-Encoding:\r\n chunked"}) {
    table.head(400, kGetLine, {kHostField, fold});  // 5.2: obs-fold
  }
  table.add(400, "GET / HTTP/1.1\r\n Host: x\r\n\r\n");
  table.add(400, "GET / HTTP/1.1\nHost: x\n\n");
  table.add(400, "GET / HTTP/1.1\r\nHost: x\n\r\n");
  table.add(400, "GET / HTTP/1.1\r\nHost: x\r\n\n");
  table.add(400, "GET / HTTP/1.1\rHost: x\r\n\r\n");
  table.add(400, "GET / HTTP/1.1\r\nHost: x\rA: b\r\n\r\n");
  table.add(400, "GET / HTTP/1.1\r\r\nHost: x\r\n\r\n");
  table.add(400, "GET / HTTP/1.1\r\nHost: x\r\n\r\r\n");
  table.head(200, kGetLine, {kHostField, "A:", "B: \xC3\xA4", "C:a:b", "D: \t e \t", "!#$%&'*+-.^_`|~09: a"});
  table.head(431, kGetLine, {kHostField, "A: " + std::string(20'000, 'a')});
  table.head(431, "GET /" + std::string(20'000, 'a') + " HTTP/1.1", {kHostField});
  table.add(400, std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11));  // TLS
  table.add(400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
}

// Adds the cases of sections 6.1 to 6.3: the length of the body.
void add_lengths(RawTable& table) {
  table.head(200, kPostLine, {kHostField, "Content-Length: 3"}, "abc");
  table.head(200, kPostLine, {kHostField, "Content-Length: 0003"}, "abc");
  table.head(200, kPostLine, {kHostField});
  table.head(200, kPostLine, {kHostField, "Content-Length: 0"});
  for (const char* length : {"-1", "+3", "3 ,3", "3, 3", "3,4", "3 3", "0x3", "3.0", "3e0", "", "a", "3a", "3;",
                             "\"3\"", "99999999999999999999", "18446744073709551616", "\xC2\xB3"}) {
    table.head(400, kPostLine, {kHostField, "Content-Length: " + std::string(length)}, "abc");
  }
  table.head(413, kPostLine, {kHostField, "Content-Length: 1001"});
  table.head(413, kPostLine, {kHostField, "Content-Length: 18446744073709551615"});
  table.head(400, kPostLine, {kHostField, "Content-Length: 3", "Content-Length: 3"}, "abc");
  table.head(400, kPostLine, {kHostField, "Content-Length: 3", "Content-Length: 4"}, "abcd");
  for (const char* coding : {"gzip", "gzip, chunked", "chunked, gzip", "identity", "deflate", "compress", "xchunked",
                             "chunkedx", "chunked;q=1", "\"chunked\"", "chunk", "trailers", "chunked identity"}) {
    table.head(501, kPostLine, {kHostField, "Transfer-Encoding: " + std::string(coding)}, "0\r\n\r\n");
  }
  table.head(501, kPostLine, {kHostField, "Transfer-Encoding:"}, "0\r\n\r\n");
  table.head(501, kPostLine, {kHostField, "Transfer-Encoding: gzip", "Transfer-Encoding: chunked"}, "0\r\n\r\n");
  table.head(400, kPostLine, {kHostField, "Transfer-Encoding : chunked"}, "0\r\n\r\n");
  table.head(400, kPostLine,
             {kHostField,
              "Transfer-Encoding: \x0B"
              "chunked"},
             "0\r\n\r\n");
  for (const char* coding : {"chunked", "gzip", "identity"}) {
    const std::string field = "Transfer-Encoding: " + std::string(coding);
    table.head(400, kPostLine, {kHostField, "Content-Length: 3", field}, "0\r\n\r\n");
    table.head(400, kPostLine, {kHostField, field, "Content-Length: 5"}, "0\r\n\r\n");
    table.head(400, "POST / HTTP/1.0", {kHostField, field}, "0\r\n\r\n");
    table.head(400, "POST / HTTP/1.0", {kHostField, field, "Connection: keep-alive"}, "0\r\n\r\n");
  }
  table.head(200, kPostLine, {kHostField, "Transfer-Encoding: Chunked"}, "0\r\n\r\n");
  table.head(200, kPostLine, {kHostField, "transfer-encoding:\tCHUNKED "}, "0\r\n\r\n");
}

// Adds the cases of section 7.1: chunks.
void add_chunks(RawTable& table) {
  for (const char* body :
       {"3\r\nabc\r\n0\r\n\r\n", "03\r\nabc\r\n00\r\n\r\n", "3;a=b\r\nabc\r\n0;c\r\n\r\n",
        "3 ; a = \"b;\\\"c\" ; d\r\nabc\r\n0\r\n\r\n", "1\r\na\r\n2\r\nbc\r\n0\r\nA: b\r\nC:\r\n\r\n"}) {
    table.add(200, chunked_request(body), "POST/@x:abc");
  }
  table.add(200, chunked_request("A\r\n0123456789\r\n0\r\n\r\n"), "POST/@x:0123456789");
  for (const char* body : {"3\nabc\r\n0\r\n\r\n",
                           "3\nabc",
                           "3\r\nabc\n0\r\n\r\n",
                           "3\r\nabc0\r\n\r\n",
                           "3\r\nabcd\r\n0\r\n\r\n",
                           "3\rabc\r\n0\r\n\r\n",
                           "\r\n3\r\nabc\r\n0\r\n\r\n",
                           " 3\r\nabc\r\n0\r\n\r\n",
                           "3 \r\nabc\r\n0\r\n\r\n",
                           "0x3\r\nabc\r\n0\r\n\r\n",
                           "+3\r\nabc\r\n0\r\n\r\n",
                           "-3\r\nabc\r\n0\r\n\r\n",
                           "g\r\n",
                           "zz\r\n",
                           ";a\r\n",
                           "3;\r\nabc\r\n0\r\n\r\n",
                           "3;=b\r\nabc\r\n0\r\n\r\n",
                           "3;a=\r\nabc\r\n0\r\n\r\n",
                           "3;a=\"b\r\n",
                           "3 a\r\nabc\r\n0\r\n\r\n",
                           "3,3\r\n",
                           "3;a b\r\n",
                           "3;a\x01\r\n",
                           "3;\nabc",
                           "0\r\n A: b\r\n\r\n",
                           "0\r\nA b\r\n\r\n",
                           "0\r\n: b\r\n\r\n",
                           "0\r\nA : b\r\n\r\n",
                           "0\r\nA: b\n\r\n",
                           "0\n\n",
                           "0\r\n\n",
                           "0\r\nA: b\x7F\r\n\r\n",
                           "0\r\r\n"}) {
    table.add(400, chunked_request(body));
  }
  table.add(400, chunked_request("3;" + std::string(5000, 'a') + "\r\nabc\r\n0\r\n\r\n"));
  table.add(400, chunked_request("0\r\nA: " + std::string(20'000, 'a') + "\r\n\r\n"));
  for (const char* size : {"3e9", "ffffffff", "ffffffffffffffff", "fffffffffffffffff", "10000000000000003"}) {
    table.add(413, chunked_request(std::string(size) + "\r\nabc"));
  }
  table.add(413, chunked_request("3e8\r\n" + std::string(1000, 'a') + "\r\n1\r\na\r\n0\r\n\r\n"));
}

TEST(RawRequests, GetTheStatusOfRfc9112) {
  PrintingHandler handler;
  server::HttpServer echo(handler, {.body_bytes = 1000});
  const int socket = server::listen_at("127.0.0.1:0");
  const std::string address = server::address_of(socket);
  echo.listen(socket);
  std::thread thread([&] { echo.run(); });
  RawTable table;
  add_request_lines(table);
  add_hosts(table);
  add_fields(table);
  add_lengths(table);
  add_chunks(table);
  EXPECT_GE(table.cases.size(), 220u);
  for (const RawCase& one : table.cases) {
    const auto begin = std::chrono::steady_clock::now();
    RawClient client(address);
    client.send(one.bytes);
    const std::string answer = client.read_answer();
    const std::string status = answer.substr(0, 12).substr(std::min<size_t>(answer.size(), 9));
    EXPECT_EQ(status, std::to_string(one.status)) << one.bytes.substr(0, 300);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << one.bytes.substr(0, 300);
    if (!one.body.empty()) {
      EXPECT_EQ(answer.substr(answer.find("\r\n\r\n") + 4), one.body) << one.bytes;
    }
    const bool closes = answer.find("Connection: close\r\n") != answer.npos || answer.starts_with("HTTP/1.0");
    EXPECT_TRUE(one.status == 200 || closes) << one.bytes.substr(0, 300);
  }
  echo.stop();
  thread.join();
}

}  // namespace
}  // namespace bert::test
