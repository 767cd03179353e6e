#include "program/server/serve.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "bert/memory.h"
#include "program/server/http/listener.h"
#include "program/server/http/server.h"
#include "program/server/monitor_service.h"
#include "program/server/process_signals.h"

namespace bert::server {
namespace {

constexpr size_t kMebibyte = 1024 * 1024;
constexpr std::chrono::milliseconds kReloadTime{500};  // time at the end for a load that has begun
constexpr rlim_t kFilesBesideConnections = 64;         // or half of the limit, if it is low

// Returns freed memory to the system: large blocks are mapped, and few arenas keep the rest. A static program's
// allocator does this by itself.
void keep_no_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 256 * 1024);
  mallopt(M_TRIM_THRESHOLD, 1024 * 1024);
#endif
}

// Raises the limit of open files as far as the system allows; returns how many connections fit.
size_t connections_that_fit(size_t wanted) {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return wanted;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_NOFILE, &files);
  return std::min<size_t>(wanted, files.rlim_cur - std::min(files.rlim_cur / 2, kFilesBesideConnections));
}

// A server and its thread.
class RunningServer {
 public:
  RunningServer(HttpHandler& handler, const HttpLimits& limits, const std::vector<int>& sockets)
      : server_(handler, limits) {
    for (const int socket : sockets) server_.listen(socket);
    thread_ = std::thread([this] { server_.run(); });
  }
  ~RunningServer() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  // Returns when the requests that have begun are answered.
  void drain() {
    server_.drain();
    thread_.join();
  }

 private:
  HttpServer server_;
  std::thread thread_;
};

// Runs a step whose failure does not stop the server. consequence: of the failure, for the message.
template <class Step>
void without_end(const char* consequence, const ServeReports& reports, const Step& step) noexcept {
  try {
    try {
      step();
    } catch (const std::exception& error) {
      reports.error(std::string(consequence) + ": " + error.what());
    }
  } catch (const std::exception&) {  // no memory even for the message
  }
}

// Computes the digests of loaded models while requests are answered.
class DigestThread {
 public:
  DigestThread(ModelSet& models, Service& service, const ServeReports& reports)
      : models_(models), service_(service), reports_(reports) {}
  ~DigestThread() { end(); }
  DigestThread(const DigestThread&) = delete;
  DigestThread& operator=(const DigestThread&) = delete;

  // Call after each load.
  void start() {
    end();
    goes_on_ = true;
    thread_ = std::thread([this] {
      setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLowPriority);  // for this thread only
      without_end("digests of models are not known", reports_, [&] {
        models_.find_digests([this] { return goes_on_.load(); });
        service_.note_models();
      });
    });
  }

 private:
  static constexpr int kLowPriority = 10;
  void end() {
    goes_on_ = false;
    if (thread_.joinable()) thread_.join();
  }

  ModelSet& models_;
  Service& service_;
  const ServeReports& reports_;
  std::atomic<bool> goes_on_{true};
  std::thread thread_;
};

// Loads models and keys again, one load after another, while requests are answered.
class ReloadThread {
 public:
  explicit ReloadThread(std::function<void()> load_again)
      : load_again_(std::move(load_again)), thread_([this] { run(); }) {}
  ~ReloadThread() {
    ends_within({});
    thread_.join();
  }
  ReloadThread(const ReloadThread&) = delete;
  ReloadThread& operator=(const ReloadThread&) = delete;

  void ask() {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_asked_ = true;
    changed_.notify_all();
  }

  // Prevents further loads; one that has begun cannot be stopped.
  bool ends_within(std::chrono::milliseconds time) {
    std::unique_lock<std::mutex> lock(mutex_);
    ends_ = true;
    changed_.notify_all();
    return changed_.wait_for(lock, time, [&] { return has_ended_; });
  }

 private:
  void run() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return is_asked_ || ends_; });
      if (ends_) break;
      is_asked_ = false;
      lock.unlock();
      load_again_();
      lock.lock();
    }
    has_ended_ = true;
    changed_.notify_all();
  }

  const std::function<void()> load_again_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_asked_ = false, ends_ = false, has_ended_ = false;
  std::thread thread_;
};

std::vector<int> open_sockets(const std::vector<std::string>& addresses, SocketFiles& files,
                              const ServeReports& reports) {
  std::vector<int> sockets;
  if (addresses.empty()) sockets = systemd_sockets();
  if (addresses.empty() && sockets.empty()) sockets.push_back(listen_at("127.0.0.1:8080"));
  for (const std::string& address : addresses) {
    sockets.push_back(listen_at(address));
    files.add(address);
  }
  for (const int socket : sockets) reports.note("listening at " + address_of(socket));
  return sockets;
}

std::string in_mebibytes(size_t bytes) { return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + " MiB"; }

size_t bodies_bytes(const ServeOptions& options, const MemoryPlan& plan) {
  if (options.all_bodies_bytes) return *options.all_bodies_bytes;
  return options.memory_bytes > 0 ? plan.bodies_bytes : plan_bodies(usable_memory(), options.http.body_bytes);
}

HttpLimits http_limits(const ServeOptions& options, const MemoryPlan& plan) {
  HttpLimits limits = options.http;
  limits.connections = connections_that_fit(limits.connections);
  limits.all_bodies_bytes = bodies_bytes(options, plan);
  limits.body_bytes = std::min(limits.body_bytes, MemoryBudget::largest_share(limits.all_bodies_bytes));
  return limits;
}

ServiceOptions service_options(const ServeOptions& options, const MemoryPlan& plan, size_t threads, size_t body_bytes) {
  ServiceOptions service = options.service;
  service.queue.threads = threads;
  if (options.memory_bytes > 0) service.queue.max_bytes = std::min(service.queue.max_bytes, plan.request_bytes);
  service.queue.max_answer_bytes = options.memory_bytes > 0 ? plan.answers_bytes : usable_memory() / 4;
  service.metrics_elsewhere = options.monitor.has_value();
  service.body_bytes = body_bytes;
  return service;
}

void report_models(const ModelSet& models, const ServeReports& reports) {
  for (const ServedModelPtr& model : models.all()) {
    std::vector<std::string> notices = model->model.notices();
    if (model->kind == ModelKind::kEmbedder) {
      if (std::string pooling = undeclared_pooling(model->model.pooling()); !pooling.empty()) {
        notices.push_back(std::move(pooling));
      }
    }
    for (const std::string& notice : notices) reports.note("model '" + model->source.name + "': " + notice);
    std::string line =
        "model '" + model->source.name + "': " + std::string(name(model->kind)) + ", " + model->precision;
    if (model->packed_bytes > 0) line += ", weights packed in " + in_mebibytes(model->packed_bytes);
    if (model->adapter_bytes > 0) {
      line += ", weights that its adapter changes in " + in_mebibytes(model->adapter_bytes);
    }
    reports.note(line);
  }
}

void check_memory(const ServeOptions& options, const MemoryPlan& plan, const ModelSet& models, size_t batch_tokens) {
  for (const ServedModelPtr& served : models.all()) {
    const size_t longest = served->model.max_length();
    // A batch is full when another text of its longest length would exceed the budget.
    const std::vector<size_t> batch(std::max<size_t>(batch_tokens / std::max<size_t>(longest, 1), 1), longest);
    const size_t needed = served->model.cost(batch).workspace_bytes * served->model.threads();
    if (needed <= plan.scratch_bytes) continue;
    throw Error(ErrorCode::kInvalidArgument,
                "--memory-limit " + in_mebibytes(options.memory_bytes) + " leaves " + in_mebibytes(plan.scratch_bytes) +
                    " to compute, and the largest batches of model '" + served->source.name + "' need " +
                    in_mebibytes(needed) + "; expected a limit of at least " + in_mebibytes(2 * needed));
  }
  size_t used = process_memory().anonymous;
  for (const ServedModelPtr& served : models.all()) used += served->packed_bytes;  // packed in the first passes
  if (used > plan.process_bytes) {
    throw Error(ErrorCode::kInvalidArgument,
                "--memory-limit " + in_mebibytes(options.memory_bytes) + " leaves " + in_mebibytes(plan.process_bytes) +
                    " to the loaded models, which use " + in_mebibytes(used) +
                    " beside the mapped weights; expected a " + "limit of at least " + in_mebibytes(4 * used));
  }
}

}  // namespace

MemoryPlan plan_memory(size_t limit_bytes) {
  return {.scratch_bytes = limit_bytes / 2,
          .process_bytes = limit_bytes / 4,
          .request_bytes = limit_bytes / 16,
          .bodies_bytes = limit_bytes / 16,
          .answers_bytes = limit_bytes / 10};
}

size_t plan_packed_weights(const MemoryPlan& plan, size_t usable_bytes) {
  return (plan.process_bytes > 0 ? std::min(plan.process_bytes, usable_bytes) : usable_bytes) / 2;
}

size_t plan_bodies(size_t usable_bytes, size_t body_bytes) {
  return std::max(std::min(usable_bytes / 16, HttpLimits{}.all_bodies_bytes), MemoryBudget::budget_for(body_bytes));
}

void serve(const ServeOptions& options, const ServeReports& reports) {
  SocketFiles files;
  ProcessSignals signals([&] { files.remove(); });
  keep_no_freed_memory();
  const MemoryPlan plan = plan_memory(options.memory_bytes);
  const Runtime runtime({.threads = options.load.threads, .memory_bytes = plan.scratch_bytes});
  LoadOptions load = options.load;
  load.runtime = runtime;
  load.threads = 0;
  if (load.packing == Packing::kAutomatic) load.packing = Packing::kAlways;  // in the first passes, within the plan
  load.packed_bytes = plan_packed_weights(plan, usable_memory());
  ModelSet models(options.models, load, options.relevant_label);
  ApiKeys keys(options.key_file, options.key);

  const HttpLimits limits = http_limits(options, plan);
  const std::vector<int> sockets = open_sockets(options.listen, files, reports);
  Service service(models, keys, service_options(options, plan, runtime.threads(), limits.body_bytes));
  MonitorService monitor(service);
  RunningServer server(service, limits, sockets);
  std::unique_ptr<RunningServer> monitor_server;
  if (options.monitor) {
    monitor_server = std::make_unique<RunningServer>(monitor, limits, open_sockets({*options.monitor}, files, reports));
  }

  models.load();
  signals.may_drain();
  if (options.memory_bytes > 0) check_memory(options, plan, models, service.queue().batch_tokens);
  report_models(models, reports);
  reports.note("ready");
  DigestThread digests(models, service, reports);
  digests.start();

  ReloadThread reloads([&] {
    without_end("not loaded again, the former models stay", reports, [&] {
      models.reload([&](const NamedDirectory&, const Error& error) {
        reports.error(std::string("not loaded again, the former one stays: ") + error.what());
      });
    });
    without_end("digests of models are not known", reports, [&] { digests.start(); });
    without_end("keys not read again, the former ones stay", reports, [&] {
      keys.reload();
      reports.note("models and keys are loaded again");
    });
  });
  while (signals.wait() == ProcessSignals::Event::kReload) reloads.ask();
  service.set_draining();
  if (options.drain_delay.count() > 0) {
    without_end("draining", reports, [&] {
      reports.note("not ready: requests are served for " + std::to_string(options.drain_delay.count()) + " s more");
    });
    std::this_thread::sleep_for(options.drain_delay);
  }
  without_end("draining", reports, [&] { reports.note("draining: requests that have begun are answered"); });
  server.drain();
  files.remove();
  if (!reloads.ends_within(kReloadTime)) ::_exit(0);
}

}  // namespace bert::server
