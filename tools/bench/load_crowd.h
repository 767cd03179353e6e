// Makes connections that send nothing, or send and read slowly, beside those that a load measures.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "tools/bench/load_client.h"

namespace bert::bench {

class LoadCrowd {
 public:
  // Connects `idle` connections that send nothing, and `slow` ones: half send a byte of a request's head every half
  // second, the others ask for `path` with `body` and read a byte of the answer every half second. A connection that
  // the server ends is made again. Throws std::runtime_error if one cannot be made at first.
  LoadCrowd(boost::asio::io_context& context, const std::string& address, size_t idle, size_t slow,
            const LoadRequest& request);

 private:
  void tick();
  void connect(size_t index);
  bool advance(size_t index);  // false: the connection has ended

  boost::asio::generic::stream_protocol::endpoint server_;
  boost::asio::io_context& context_;
  boost::asio::steady_timer timer_;
  std::vector<LoadSocket> idle_, slow_;
  std::vector<size_t> sent_;
  const std::string request_;
};

}  // namespace bert::bench
