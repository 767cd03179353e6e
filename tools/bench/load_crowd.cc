#include "tools/bench/load_crowd.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace bert::bench {

LoadCrowd::LoadCrowd(boost::asio::io_context& context, const std::string& address, size_t idle, size_t slow,
                     const LoadRequest& request)
    : server_(load_endpoint(address)),
      context_(context),
      timer_(context),
      sent_(slow),
      request_(request.head + request.body) {
  for (size_t i = 0; i < idle; ++i) idle_.emplace_back(context).connect(server_);
  for (size_t i = 0; i < slow; ++i) {
    slow_.emplace_back(context);
    connect(i);
  }
  if (slow > 0) tick();
}

void LoadCrowd::connect(size_t index) {
  LoadSocket socket(context_);
  const int small = 2048;  // a reader's buffer, so that the server has to wait
  socket.open(server_.protocol());
  ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
  socket.connect(server_);
  sent_[index] = 0;
  slow_[index] = std::move(socket);
}

bool LoadCrowd::advance(size_t index) {
  const int socket = slow_[index].native_handle();
  const bool reads = index % 2 == 1;
  const size_t wanted = reads ? request_.size() : 1;
  if (sent_[index] < request_.size()) {
    const ssize_t sent = ::send(socket, request_.data() + sent_[index],
                                std::min(wanted, request_.size() - sent_[index]), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) return errno == EAGAIN;
    sent_[index] += static_cast<size_t>(sent);
    return true;
  }
  std::array<char, 1> byte = {};
  const ssize_t got = ::recv(socket, byte.data(), byte.size(), MSG_DONTWAIT);
  return got > 0 || (got < 0 && errno == EAGAIN);
}

void LoadCrowd::tick() {
  for (size_t i = 0; i < slow_.size(); ++i) {
    if (!advance(i)) connect(i);
  }
  timer_.expires_after(std::chrono::milliseconds(500));
  timer_.async_wait([this](const boost::system::error_code& failure) {
    if (!failure) tick();
  });
}

}  // namespace bert::bench
