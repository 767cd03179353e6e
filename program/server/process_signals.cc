#include "program/server/process_signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bert/error.h"
#include "bert/missing_pages.h"

namespace bert::server {
namespace {

void handle_bus_error(int, siginfo_t* info, void*) {
  const int kept = errno;
  // Not in a weight file: the instruction is executed again, with the signal's default effect.
  if (!replace_missing_pages(info->si_addr)) std::signal(SIGBUS, SIG_DFL);
  errno = kept;
}

}  // namespace

ProcessSignals::ProcessSignals(std::function<void()> before_end) : before_end_(std::move(before_end)) {
  sigset_t signals = {};
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  end_ = ::eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || end_ < 0) {
    const std::string reason = std::strerror(errno);
    if (signals_ >= 0) ::close(signals_);
    throw Error(ErrorCode::kIo, "cannot wait for signals: " + reason);
  }
  pthread_sigmask(SIG_BLOCK, &signals, &before_);
  struct sigaction bus = {};
  bus.sa_sigaction = handle_bus_error;
  bus.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &bus, &bus_before_);
  thread_ = std::thread([this] { take_signals(); });
}

ProcessSignals::~ProcessSignals() {
  const uint64_t one = 1;
  while (::write(end_, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  thread_.join();
  ::close(signals_);
  ::close(end_);
  ::sigaction(SIGBUS, &bus_before_, nullptr);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void ProcessSignals::take_signals() {
  pollfd watched[] = {{.fd = signals_, .events = POLLIN, .revents = 0}, {.fd = end_, .events = POLLIN, .revents = 0}};
  while (true) {
    if (::poll(watched, 2, -1) < 0) continue;
    if (watched[1].revents != 0) return;
    signalfd_siginfo info = {};
    if (::read(signals_, &info, sizeof(info)) != sizeof(info)) continue;
    std::unique_lock<std::mutex> lock(mutex_);
    if (info.ssi_signo == SIGHUP) {
      reload_ = true;
    } else if (drain_ || !may_drain_) {
      const int status = drain_ ? 1 : 0;
      lock.unlock();
      before_end_();
      ::_exit(status);
    } else {
      drain_ = true;
    }
    changed_.notify_all();
  }
}

void ProcessSignals::may_drain() {
  const std::lock_guard<std::mutex> lock(mutex_);
  may_drain_ = true;
}

ProcessSignals::Event ProcessSignals::wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return reload_ || drain_; });
  if (drain_) return Event::kDrain;
  reload_ = false;
  return Event::kReload;
}

}  // namespace bert::server
