// What the server does with a request: route, key, limits, computation, answer, log line and metrics. Called by the
// HttpServer's thread; answers that need computing come from the scheduler's threads. Large bodies are parsed by a
// separate thread, so that they delay no other request.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "program/server/api_keys.h"
#include "program/server/http/handler.h"
#include "program/server/metrics.h"
#include "program/server/queue/model_set.h"
#include "program/server/queue/scheduler.h"
#include "program/server/request_log.h"
#include "program/server/routes/routes.h"

namespace bert::server {

struct ServiceOptions {
  ApiOptions api = {};
  SchedulerOptions queue = {};
  size_t body_bytes = HttpLimits{}.body_bytes;
  std::vector<std::string> cors_origins = {};  // empty: no CORS; "*": all
  // Hosts that requests may name (check_host).
  std::vector<std::string> allowed_hosts = {};
  std::string client_field = {};   // the request's field with the client's address, set by a proxy; "": none
  bool metrics_elsewhere = false;  // /metrics is served at another address
  // Receives a line of JSON for each request, without texts. Null: no log. Called by several threads; must not wait.
  std::function<void(const std::string& line)> log = nullptr;
  std::function<uint64_t()> dropped_lines = nullptr;  // returns how many lines `log` has dropped so far; null: none
};

class Service : public HttpHandler {
 public:
  // The models and keys must outlive the service.
  Service(const ModelSet& models, const ApiKeys& keys, const ServiceOptions& options);
  ~Service() override;

  std::optional<HttpResponse> refuse(const HttpRequest& head) override;
  void handle(std::shared_ptr<HttpExchange> exchange) override;
  HttpResponse fault(int status, const HttpRequest& head, const std::string& message) override;
  void connections_changed(size_t connections) override;
  void caught_up() override { scheduler_.caught_up(); }
  // Returns the answer to a request that is rejected by its head; counts and logs it. status: 0: the error's own.
  HttpResponse refused(const HttpRequest& head, ApiStyle style, const ApiError& error, int status = 0);

  // Makes /ready return 503 from now on.
  void set_draining() { is_draining_ = true; }
  const SchedulerOptions& queue() const { return scheduler_.options(); }
  // Sets the models' line in the metrics. Call it when their digests are known.
  void note_models();

 private:
  struct Pending;

  // Answers also with the error of an exception; if there is no memory even for that, the connection ends.
  template <class Answer>
  void attempt(Pending& pending, const Answer& answer) noexcept;
  void log(RequestRecord record) const noexcept;
  uint64_t dropped_lines() const { return options_.dropped_lines ? options_.dropped_lines() : 0; }
  HttpResponse own_answer(const HttpRequest& request, const RouteMatch& match);
  std::optional<HttpResponse> preflight(const HttpRequest& head) const;
  // Throws ApiError for a request that is rejected by its head.
  void check_head(const HttpRequest& head, const RouteMatch& match) const;
  void read_large_bodies();
  void abandon(Pending& pending) noexcept;
  void try_to_start(const std::shared_ptr<Pending>& pending, const RouteMatch& match) noexcept;
  void start(const std::shared_ptr<Pending>& pending, const RouteMatch& match);
  void compute(const std::shared_ptr<Pending>& pending, Computing computing);
  void finish(Pending& pending, const Job& job, const std::function<std::string(const Job&)>& body);
  void fail(Pending& pending, const ApiError& error);
  void send(Pending& pending, HttpResponse response, const Job* job, const std::string& error);
  void add_cors(const HttpRequest& request, HttpResponse& response) const;
  void require_room(size_t texts, size_t bytes) const;
  ApiError overloaded() const;

  const ModelSet& models_;
  const ApiKeys& keys_;
  const ServiceOptions options_;
  Metrics metrics_;
  std::atomic<bool> is_draining_{false};
  Scheduler scheduler_;  // its threads use the members above
  const ServerFacts facts_;
  std::mutex unread_mutex_;  // guards the three members below
  std::condition_variable unread_changed_;
  std::deque<std::pair<std::shared_ptr<Pending>, RouteMatch>> unread_;  // requests with large bodies
  bool stop_ = false;
  std::thread reader_;  // declared last
};

}  // namespace bert::server
