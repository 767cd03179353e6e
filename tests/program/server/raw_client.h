// A client for tests of sockets that sends bytes as they are.
#pragma once

#include <string>
#include <string_view>

namespace bert::test {

class RawClient {
 public:
  // Connects to an address such as "127.0.0.1:8080" or "unix:PATH". Throws std::runtime_error if nobody listens there.
  explicit RawClient(const std::string& address);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(std::string_view bytes) const;
  void close_sending() const;
  // Closes the connection with a reset.
  void reset();
  // Returns one whole answer: its head and a body of Content-Length bytes. Returns "" if the server closes the
  // connection before the answer's end, or if nothing comes within a minute.
  std::string read_answer();
  // Returns all bytes until the server closes the connection.
  std::string read_all();

 private:
  bool receive();

  int socket_ = -1;
  std::string received_;
};

}  // namespace bert::test
