// Sends requests to an HTTP server from a process of its own. bench load --help names the options. Prints one JSON
// object with the counts, the latencies in milliseconds, and the CPU time and memory that the server's process used.
//
// With --rate, requests are due at even times whether or not earlier ones are answered, and a latency counts from the
// time when its request was due. With --clients, each of so many clients asks again as soon as it has its answer.
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tools/bench/commands.h"
#include "tools/bench/load_client.h"

namespace bert::bench {
namespace {

using Json = nlohmann::json;

// Connections that send nothing or send slowly. They are open beside the connections that a load measures.
class LoadCrowd {
 public:
  // Opens `idle` connections that send nothing, and `slow` ones. Half of the slow ones send a byte of a request's head
  // every half second; the others send `request` and read a byte of the answer every half second. A connection that the
  // server ends is opened again. Throws std::runtime_error if one cannot be opened at first.
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

struct LoadOptions {
  std::string address = "127.0.0.1:8080", path = "/embed", bodies, answers;
  double rate = 0, seconds = 10;
  size_t clients = 0, idle = 0, slow = 0;
  std::string slow_path = "/embed_all", probe;
  int process = 0;
  bool expect_continue = false;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read '" + path + "'");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The seconds of CPU time and the KiB of anonymous memory that the server's process used.
struct ProcessUse {
  double cpu = 0;
  size_t anonymous = 0;
};

ProcessUse use_of(int process) {
  ProcessUse use;
  if (process == 0) return use;
  const std::string folder = "/proc/" + std::to_string(process);
  std::string stat = text_of(folder + "/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string field;
  for (int i = 3; fields >> field; ++i) {
    if (i == 14 || i == 15) use.cpu += std::stod(field) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  }
  std::istringstream lines(text_of(folder + "/status"));
  for (std::string name; lines >> name;) {
    if (name == "RssAnon:") lines >> use.anonymous;
  }
  return use;
}

Json summary_of(std::vector<double> times) {
  if (times.empty()) return nullptr;
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) {
    return times[std::min(times.size() - 1, static_cast<size_t>(part * static_cast<double>(times.size())))];
  };
  return {{"median", at(0.5)}, {"p90", at(0.9)}, {"p99", at(0.99)}, {"max", times.back()}};
}

class Load {
 public:
  explicit Load(const LoadOptions& options)
      : options_(options), server_(load_endpoint(options.address)), timer_(context_), probe_timer_(context_) {
    std::istringstream lines(text_of(options.bodies));
    for (std::string line; std::getline(lines, line);) {
      requests_.push_back(load_request(options.path, line, options.expect_continue));
    }
    if (requests_.empty()) throw std::runtime_error("'" + options.bodies + "' is empty, expected a body a line");
    answers_.resize(requests_.size());
  }

  Json run();

 private:
  std::shared_ptr<LoadClient> free_client();
  void ask(std::shared_ptr<LoadClient> client, LoadClock::time_point due);
  void record(const LoadAnswer& answer, size_t index, double milliseconds);
  void send_what_is_due();
  void probe();
  bool is_over() const { return LoadClock::now() >= end_; }
  void write_answers() const;

  const LoadOptions& options_;
  boost::asio::io_context context_{1};
  boost::asio::generic::stream_protocol::endpoint server_;
  boost::asio::steady_timer timer_, probe_timer_;
  std::vector<LoadRequest> requests_;
  std::vector<std::optional<std::string>> answers_;  // the first of each request
  std::vector<std::shared_ptr<LoadClient>> free_;
  LoadClock::time_point begin_, end_;
  size_t sent_ = 0, waiting_ = 0, most_waiting_ = 0;
  size_t wrong_ = 0, lost_ = 0, unconnected_ = 0, ended_ = 0;
  size_t answered_in_time_ = 0;               // with 200, before the end
  std::map<int, std::vector<double>> times_;  // by status
  std::vector<double> probe_times_;
  LoadRequest probe_request_;
  size_t most_memory_ = 0;
};

std::shared_ptr<LoadClient> Load::free_client() {
  if (free_.empty()) return std::make_shared<LoadClient>(context_, server_);
  std::shared_ptr<LoadClient> client = std::move(free_.back());
  free_.pop_back();
  return client;
}

void Load::ask(std::shared_ptr<LoadClient> client, LoadClock::time_point due) {
  const size_t index = sent_++ % requests_.size();
  most_waiting_ = std::max(most_waiting_, ++waiting_);
  LoadClient& asked = *client;
  asked.ask(requests_[index], options_.expect_continue,
            [this, client = std::move(client), index, due](const LoadAnswer& answer) {
              --waiting_;
              record(answer, index, std::chrono::duration<double, std::milli>(LoadClock::now() - due).count());
              if (options_.rate > 0 || is_over() || !answer.connected) {
                free_.push_back(client);
              } else {
                ask(client, LoadClock::now());
              }
            });
}

void Load::record(const LoadAnswer& answer, size_t index, double milliseconds) {
  if (!answer.connected) ++unconnected_;
  if (answer.status == 0 && answer.accepted) ++lost_;
  if (answer.status == 0 && answer.connected && !answer.accepted) ++ended_;
  if (answer.status == 0) return;
  times_[answer.status].push_back(milliseconds);
  if (answer.status != 200) return;
  if (!is_over()) ++answered_in_time_;
  if (!answers_[index]) answers_[index] = answer.body;
  if (*answers_[index] != answer.body) ++wrong_;
}

void Load::send_what_is_due() {
  const LoadClock::time_point now = LoadClock::now();
  const auto due_at = [&](size_t i) {
    return begin_ + std::chrono::duration_cast<LoadClock::duration>(
                        std::chrono::duration<double>(static_cast<double>(i) / options_.rate));
  };
  while (due_at(sent_) <= now && due_at(sent_) < end_) ask(free_client(), due_at(sent_));
  if (due_at(sent_) >= end_) return;
  timer_.expires_at(due_at(sent_));
  timer_.async_wait([this](const boost::system::error_code& failure) {
    if (!failure) send_what_is_due();
  });
}

// Sends one request twenty times a second, each on a connection of its own, and looks at the server's memory.
void Load::probe() {
  if (is_over()) return;
  if (options_.process != 0) most_memory_ = std::max(most_memory_, use_of(options_.process).anonymous);
  if (!options_.probe.empty()) {
    const auto client = std::make_shared<LoadClient>(context_, server_);
    client->ask(probe_request_, false, [this, client, asked = LoadClock::now()](const LoadAnswer& answer) {
      if (answer.status != 200) return;
      probe_times_.push_back(std::chrono::duration<double, std::milli>(LoadClock::now() - asked).count());
    });
  }
  probe_timer_.expires_after(std::chrono::milliseconds(50));
  probe_timer_.async_wait([this](const boost::system::error_code& failure) {
    if (!failure) probe();
  });
}

void Load::write_answers() const {
  std::ofstream file(options_.answers);
  for (const auto& answer : answers_) file << answer.value_or("null") << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write '" + options_.answers + "'");
}

Json Load::run() {
  const ProcessUse alone = use_of(options_.process);
  const LoadRequest slow_request = load_request(options_.slow_path, requests_.front().body, false);
  std::optional<LoadCrowd> crowd;
  if (options_.idle + options_.slow > 0) {
    crowd.emplace(context_, options_.address, options_.idle, options_.slow, slow_request);
    context_.run_for(std::chrono::seconds(1));
    context_.restart();
  }
  const ProcessUse before = use_of(options_.process);
  begin_ = LoadClock::now();
  end_ = begin_ + std::chrono::duration_cast<LoadClock::duration>(std::chrono::duration<double>(options_.seconds));
  probe_request_ = load_request(options_.probe, "", false);
  probe();
  for (size_t i = 0; i < options_.clients; ++i) ask(free_client(), begin_);
  if (options_.rate > 0) send_what_is_due();
  context_.run_until(end_);
  const ProcessUse after = use_of(options_.process);
  // Requests that were accepted must still be answered.
  while (waiting_ > 0 && LoadClock::now() < end_ + std::chrono::minutes(1)) {
    context_.run_one_for(std::chrono::milliseconds(100));
  }
  Json report = {{"seconds", options_.seconds},   {"sent", sent_},
                 {"most_waiting", most_waiting_}, {"wrong", wrong_},
                 {"lost_after_accepted", lost_},  {"not_accepted", ended_},
                 {"not_connected", unconnected_}, {"unanswered", waiting_}};
  report["good_per_second"] = static_cast<double>(answered_in_time_) / options_.seconds;
  for (const auto& [status, times] : times_) {
    report["status"][std::to_string(status)] = {{"count", times.size()}, {"ms", summary_of(times)}};
  }
  if (!options_.probe.empty()) report["probe_ms"] = summary_of(probe_times_);
  if (options_.process != 0) {
    report["server"] = {{"cpu_seconds", after.cpu - before.cpu},
                        {"anonymous_kib_alone", alone.anonymous},
                        {"anonymous_kib_before", before.anonymous},
                        {"anonymous_kib_after", after.anonymous},
                        {"anonymous_kib_most", most_memory_}};
    if (answered_in_time_ > 0) {
      report["server"]["cpu_us_an_answer"] = 1e6 * (after.cpu - before.cpu) / static_cast<double>(answered_in_time_);
    }
  }
  if (!options_.answers.empty()) write_answers();
  return report;
}

}  // namespace

int run_load(int argc, char** argv) {
  LoadOptions options;
  CLI::App app("A load for an HTTP server; prints a JSON object.", "bench load");
  app.add_option("--address", options.address, "HOST:PORT or unix:PATH (127.0.0.1:8080)");
  app.add_option("--path", options.path, "of the requests (/embed)");
  app.add_option("--bodies", options.bodies, "file with a JSON body a line, sent in turns")->required();
  app.add_option("--answers", options.answers, "file for the first answer to each body, a line each");
  app.add_option("--rate", options.rate, "requests a second, whether or not earlier ones are answered");
  app.add_option("--clients", options.clients, "clients that ask again when answered, in place of --rate");
  app.add_option("--seconds", options.seconds, "of load (10)");
  app.add_option("--idle", options.idle, "further connections that send nothing");
  app.add_option("--slow", options.slow, "further connections that send or read a byte every half second");
  app.add_option("--slow-path", options.slow_path, "what the slow readers ask for (/embed_all)");
  app.add_option("--probe", options.probe, "path that is asked for 20 times a second on a new connection");
  app.add_option("--process", options.process, "the server's process id, for its CPU time and memory");
  app.add_flag("--expect-continue", options.expect_continue, "send the body when the server has said 100 Continue");
  CLI11_PARSE(app, argc, argv);
  if ((options.rate > 0) == (options.clients > 0)) return usage("load", "one of --rate and --clients");
  rlimit files = {};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  std::printf("%s\n", Load(options).run().dump(1).c_str());
  return 0;
}

}  // namespace bert::bench
