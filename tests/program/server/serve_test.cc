#include "program/server/serve.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "bert/quantize.h"
#include "tests/program/server/raw_client.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

// Runs serve() on its own thread, which gets the signals of the process, because the test's threads block them.
class RunningServe {
 public:
  explicit RunningServe(server::ServeOptions options) {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGHUP}) sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    thread_ = std::thread([this, options] {
      try {
        server::serve(options, {[this](const std::string& line) { add(line); },
                                [this](const std::string& line) { add("error: " + line); }});
        drained_ = true;
      } catch (const Error& error) {
        add(std::string("thrown: ") + error.what());
      }
    });
  }
  ~RunningServe() { thread_.join(); }
  RunningServe(const RunningServe&) = delete;
  RunningServe& operator=(const RunningServe&) = delete;

  void add(const std::string& line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    lines_.push_back(line);
    changed_.notify_all();
  }
  // Waits for a line that begins with `begin`. Returns it, or "" after a minute.
  std::string wait_for(const std::string& begin) {
    std::unique_lock<std::mutex> lock(mutex_);
    std::string found;
    changed_.wait_for(lock, std::chrono::minutes(1), [&] {
      for (; next_ < lines_.size(); ++next_) {
        if (lines_[next_].starts_with(begin)) found = lines_[next_];
        if (!found.empty()) return ++next_ > 0;
      }
      return false;
    });
    return found;
  }
  void join() {
    thread_.join();
    thread_ = std::thread([] {});
  }
  bool drained() const { return drained_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  size_t next_ = 0;
  bool drained_ = false;
  std::thread thread_;
};

std::string request_for(const std::string& text) {
  const std::string body = R"({"inputs": ")" + text + R"("})";
  return "POST /embed HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

// Sends requests until an answer has the digest, which is computed after the model is ready. Returns "" after 10
// seconds.
std::string answer_with(RawClient& client, const std::string& digest) {
  for (int i = 0; i < 1000; ++i) {
    client.send(request_for("the fox"));
    std::string answer = client.read_answer();
    if (answer.find("x-model-sha256: " + digest) != std::string::npos) return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return "";
}

TEST(Serve, ReloadsOnHangUpAndDrainsOnTermination) {
  const TemporaryDirectory folder;
  write_tiny_model(folder);
  server::ServeOptions options;
  options.models = {{"a", folder.path().string()}};
  options.listen = {"127.0.0.1:0", "unix:" + (folder.path() / "s").string()};
  options.monitor = "127.0.0.1:0";
  RunningServe running(options);
  const std::string listening = "listening at ";
  const std::string address = running.wait_for(listening).substr(listening.size());
  const std::string path = running.wait_for(listening).substr(listening.size());
  const std::string monitor = running.wait_for(listening).substr(listening.size());
  EXPECT_EQ(running.wait_for("model 'a': the model has no"),
            "model 'a': the model has no modules.json, so its files do not say how to pool: mean over all tokens, not "
            "normalised");
  ASSERT_EQ(running.wait_for("ready"), "ready");

  RawClient client(address);
  const std::string before = answer_with(client, file_sha256(folder.path() / "model.safetensors"));
  ASSERT_TRUE(before.starts_with("HTTP/1.1 200 OK")) << before;
  RawClient metrics(monitor);
  metrics.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_NE(metrics.read_answer().find("te_embed_count "), std::string::npos);
  metrics.send(request_for("the fox"));
  EXPECT_TRUE(metrics.read_answer().starts_with("HTTP/1.1 404"));

  const TemporaryDirectory other;
  write_tiny_model(other, {.layers = 1});
  for (const char* file : {"config.json", "model.safetensors"}) {
    std::filesystem::rename(other.path() / file, folder.path() / file);
  }
  ::kill(::getpid(), SIGHUP);
  ASSERT_EQ(running.wait_for("models and keys"), "models and keys are loaded again");
  RawClient on_path(path);
  EXPECT_NE(answer_with(on_path, file_sha256(folder.path() / "model.safetensors")), "");

  // After a change of the file in place, the model is refused until it is loaded again.
  const auto weights = folder.path() / "model.safetensors";
  std::fstream(weights, std::ios::in | std::ios::out | std::ios::binary).seekp(-4, std::ios::end).write("abcd", 4);
  std::filesystem::last_write_time(weights, std::filesystem::last_write_time(weights) + std::chrono::hours(1));
  client.send(request_for("the fox"));
  EXPECT_TRUE(client.read_answer().starts_with("HTTP/1.1 503"));
  ::kill(::getpid(), SIGHUP);
  ASSERT_EQ(running.wait_for("models and keys"), "models and keys are loaded again");
  EXPECT_NE(answer_with(client, file_sha256(weights)), "");

  ::kill(::getpid(), SIGTERM);
  EXPECT_EQ(client.read_all(), "");
  running.join();
  EXPECT_TRUE(running.drained());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "s"));
}

TEST(Serve, RefusesToStartWithoutTheMemoryForABatch) {
  server::ServeOptions options;
  options.models = {{"a", ""}};
  options.listen = {"127.0.0.1:0"};
  options.memory_bytes = 1 << 20;
  RunningServe running(options);
  const std::string thrown = running.wait_for("thrown: ");
  EXPECT_TRUE(thrown.starts_with("thrown: --memory-limit 1 MiB leaves ")) << thrown;
}

// The bodies get a sixteenth of the memory, at most 256 MiB, and at least enough for one body.
TEST(Serve, PlansTheBodiesThatAreReadAtOnce) {
  EXPECT_EQ(server::plan_bodies(size_t{1} << 30, 2'000'000), size_t{1} << 26);
  EXPECT_EQ(server::plan_bodies(size_t{1} << 40, 2'000'000), size_t{1} << 28);
  EXPECT_EQ(server::plan_bodies(size_t{1} << 20, 7'000'000), 8'000'001u);
  EXPECT_EQ(server::plan_memory(size_t{1} << 30).bodies_bytes, size_t{1} << 26);
  EXPECT_EQ(server::plan_packed_weights(server::plan_memory(size_t{1} << 30), size_t{1} << 33), size_t{1} << 27);
  EXPECT_EQ(server::plan_packed_weights(server::plan_memory(0), size_t{1} << 33), size_t{1} << 32);
}

TEST(Serve, EndsWithTheErrorOfAModelThatDoesNotLoad) {
  server::ServeOptions options;
  options.models = {{"a", "no-such-directory"}};
  options.listen = {"127.0.0.1:0"};
  RunningServe running(options);
  EXPECT_TRUE(running.wait_for("thrown: ").starts_with("thrown: cannot load 'a': ")) << "model";
}

}  // namespace
}  // namespace bert::test
