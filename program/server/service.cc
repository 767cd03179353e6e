#include "program/server/service.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include "program/server/http/request_id.h"
#include "program/server/routes/access.h"
#include "program/server/routes/json_body.h"
#include "program/server/routes/pages.h"
#include "program/server/routes/request_fields.h"

namespace bert::server {
namespace {

using Clock = Job::Clock;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

size_t content_length(const HttpRequest& head) {
  const std::string_view text = head.field("content-length");
  size_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return length;
}

Metrics::Work work_of(const Job& job) {
  if (!job.request.task) return Metrics::Work::kOther;
  return std::holds_alternative<HeadOptions>(*job.request.task) ? Metrics::Work::kPredict : Metrics::Work::kEmbed;
}

// A body of at most this size is parsed in the HttpServer's thread, because waking another thread takes longer.
constexpr size_t kSmall = 16 * 1024;

}  // namespace

struct Service::Pending {
  bool has_left() {
    const std::lock_guard<std::mutex> lock(mutex);
    return is_abandoned;
  }

  std::mutex mutex;  // guards the two members below
  bool is_abandoned = false;
  std::weak_ptr<Job> job;
  std::shared_ptr<HttpExchange> exchange;
  Clock::time_point begun = Clock::now();
  std::string request_id = random_uuid();
  std::string traceparent;
  std::string method, path, client;
  HttpFields fields;  // for any answer
  ApiStyle style = ApiStyle::kOpenAi;
  bool is_read_here = false;  // parsed in the HttpServer's thread
};

Service::Service(const ModelSet& models, const ApiKeys& keys, const ServiceOptions& options)
    : models_(models),
      keys_(keys),
      options_(options),
      scheduler_(options.queue, [this](size_t texts, size_t tokens) { metrics_.batch_computed(texts, tokens); }),
      facts_{options.api, scheduler_.options(), options.body_bytes, scheduler_.answers()},
      reader_([this] { read_large_bodies(); }) {}

Service::~Service() {
  {
    const std::lock_guard<std::mutex> lock(unread_mutex_);
    stop_ = true;
  }
  unread_changed_.notify_all();
  reader_.join();
}

void Service::read_large_bodies() {
  while (true) {
    std::unique_lock<std::mutex> lock(unread_mutex_);
    unread_changed_.wait(lock, [&] { return stop_ || !unread_.empty(); });
    if (stop_) return;
    const auto [pending, match] = std::move(unread_.front());
    unread_.pop_front();
    lock.unlock();
    try_to_start(pending, match);
  }
}

// Called when the client has left: the body is not parsed, and no texts are computed.
void Service::abandon(Pending& pending) noexcept {
  {
    const std::lock_guard<std::mutex> lock(unread_mutex_);
    std::erase_if(unread_, [&](const auto& one) { return one.first.get() == &pending; });
  }
  const std::lock_guard<std::mutex> lock(pending.mutex);
  pending.is_abandoned = true;
  if (const std::shared_ptr<Job> left = pending.job.lock()) scheduler_.cancel(left);
}

void Service::connections_changed(size_t connections) { metrics_.set_connections(connections); }

void Service::note_models() {
  for (const ServedModelPtr& model : models_.all()) {
    metrics_.set_model(model->source.name, model->digest.text(), model->precision, model->packed_bytes,
                       model->adapter_bytes);
  }
}

// Throws ApiError for a request that even the empty queue could not hold; after 429 it would be sent again for ever.
void Service::require_room(size_t texts, size_t bytes) const {
  const size_t most = scheduler_.options().max_bytes;
  if (bytes > most) {
    throw ApiError(Fault::kTooLarge, "the request has " + std::to_string(bytes) + " bytes of texts, expected at most " +
                                         std::to_string(most));
  }
  if (!scheduler_.has_room(texts, bytes)) throw overloaded();
}

ApiError Service::overloaded() const {
  return with_field(
      {Fault::kOverloaded, "the queue is full: " + std::to_string(scheduler_.texts()) +
                               " texts wait, expected at most " + std::to_string(scheduler_.options().max_texts)},
      "Retry-After", std::to_string(scheduler_.expected_wait().count()));
}

std::optional<HttpResponse> Service::preflight(const HttpRequest& head) const {
  if (head.method != "OPTIONS" || options_.cors_origins.empty()) return std::nullopt;
  HttpResponse response{.status = 204};
  response.fields = {{"Access-Control-Allow-Methods", "GET, POST"},
                     {"Access-Control-Allow-Headers", "authorization, content-type"},
                     {"Access-Control-Max-Age", "3600"}};
  add_cors(head, response);
  return response;
}

void Service::add_cors(const HttpRequest& request, HttpResponse& response) const {
  const std::string_view origin = request.field("origin");
  if (origin.empty() || options_.cors_origins.empty()) return;
  const bool any = options_.cors_origins.front() == "*";
  const auto found = std::find(options_.cors_origins.begin(), options_.cors_origins.end(), origin);
  if (!any && found == options_.cors_origins.end()) return;
  response.fields.emplace_back("Access-Control-Allow-Origin", any ? "*" : std::string(origin));
  response.fields.emplace_back("Vary", "Origin");
}

void Service::check_head(const HttpRequest& head, const RouteMatch& match) const {
  if (match.allowed.empty()) throw ApiError(Fault::kNotFound, "no such path: " + head.path.substr(0, 200));
  if (match.route == nullptr) {
    throw with_field({Fault::kMethod, head.method + " is not a method of this path, expected " + match.allowed},
                     "Allow", match.allowed);
  }
  if (match.route->kind == RouteKind::kMetrics && options_.metrics_elsewhere) {
    throw ApiError(Fault::kNotFound, "metrics are served at another address");
  }
  if (!match.route->needs_key()) return;
  if (keys_.is_required() && !keys_.accepts(head.field("authorization"))) {
    throw with_field({Fault::kUnauthorized, "expected the field 'Authorization: Bearer KEY' with a valid API key"},
                     "WWW-Authenticate", "Bearer");
  }
  const std::string_view coding = head.field("content-encoding");
  if (!coding.empty() && coding != "identity") {
    throw with_field({Fault::kMediaType, "compressed requests are not supported, expected no Content-Encoding"},
                     "Accept-Encoding", "identity");
  }
  // A browser sends other types to any server without asking it first.
  if (head.method == "POST" && !head.field("origin").empty() && !is_json(head.field("content-type"))) {
    throw ApiError(Fault::kMediaType, "a web page's request has a body of another type, expected application/json");
  }
  if (!models_.is_loaded()) {
    throw with_field({Fault::kUnavailable, "the models are being loaded"}, "Retry-After", "1");
  }
  // The session refuses a larger body.
  const size_t bytes = std::min(content_length(head), facts_.body_bytes);
  if (match.route->kind == RouteKind::kCompute) require_room(1, bytes);
}

std::optional<HttpResponse> Service::refuse(const HttpRequest& head) {
  const RouteMatch match = match_route(head.method, head.path);
  const bool is_probe =
      match.route != nullptr && (match.route->kind == RouteKind::kHealth || match.route->kind == RouteKind::kReady ||
                                 (match.route->kind == RouteKind::kStart && !accepts_html(head)));
  try {
    if (!is_probe) check_host(head, options_.allowed_hosts);
    if (auto response = preflight(head)) return response;
    check_head(head, match);
  } catch (const ApiError& error) {
    return refused(head, match.style, error);
  }
  return std::nullopt;
}

HttpResponse Service::refused(const HttpRequest& head, ApiStyle style, const ApiError& error, int status) {
  metrics_.request_failed(name(error.fault()));
  HttpResponse response = error_response(style, error);
  if (status != 0) response.status = status;
  const std::string request_id = random_uuid();
  response.fields.emplace_back("x-request-id", request_id);
  add_cors(head, response);
  log({.method = head.method,
       .path = head.path,
       .request_id = request_id,
       .traceparent = "",
       .status = response.status,
       .error = log_text(error),
       .client = client_address(head, options_.client_field)});
  return response;
}

HttpResponse Service::fault(int status, const HttpRequest& head, const std::string& message) {
  const Fault fault = status == 408   ? Fault::kTimeout
                      : status == 413 ? Fault::kTooLarge
                      : status == 429 ? Fault::kOverloaded
                      : status == 431 ? Fault::kHeaderTooLarge
                      : status == 501 ? Fault::kUnsupported
                      : status == 503 ? Fault::kUnavailable
                                      : Fault::kSyntax;
  ApiError error(fault, message);
  if (status == 429 || status == 503) error = with_field(std::move(error), "Retry-After", "1");
  return refused(head, match_route(head.method, head.path).style, error, status);
}

HttpResponse Service::own_answer(const HttpRequest& request, const RouteMatch& match) {
  const Route& route = *match.route;
  switch (route.kind) {
    case RouteKind::kReady:
      if (is_draining_) return error_response(route.style, {Fault::kUnavailable, "the server is draining"});
      if (!models_.is_loaded()) {
        return error_response(route.style, {Fault::kUnavailable, "the models are being loaded"});
      }
      try {
        for (const ServedModelPtr& model : models_.all()) check_files(*model);
      } catch (const ApiError& error) {
        return error_response(route.style, error);
      }
      return {};
    case RouteKind::kMetrics:
      metrics_.set_queue(scheduler_.texts());
      metrics_.set_dropped_log_lines(dropped_lines());
      return {.body = metrics_.text(), .content_type = "text/plain; version=0.0.4"};
    case RouteKind::kOpenApi:
      return {.body = openapi_document()};
    case RouteKind::kDocs:
      return routes_page(routes(), request.host.empty() ? "localhost:8080" : std::string_view(request.host));
    case RouteKind::kStart:
      if (!accepts_html(request)) return {};
      return start_page(models_.all(), !keys_.is_required() || keys_.accepts(request.field("authorization")));
    default:
      return {};
  }
}

void Service::handle(std::shared_ptr<HttpExchange> exchange) {
  const HttpRequest& request = exchange->request();
  const RouteMatch match = match_route(request.method, request.path);
  if (!match.route->needs_key()) {
    HttpResponse response = own_answer(request, match);
    add_cors(request, response);
    return exchange->respond(std::move(response));
  }
  auto pending = std::make_shared<Pending>();
  pending->exchange = std::move(exchange);
  pending->method = request.method;
  pending->path = request.path;
  pending->client = client_address(request, options_.client_field);
  pending->style = match.style;
  if (const std::string_view trace = request.field("traceparent"); is_traceparent(trace)) pending->traceparent = trace;
  HttpResponse cors;
  add_cors(request, cors);
  pending->fields = std::move(cors.fields);
  pending->exchange->on_abandoned([this, waiting = std::weak_ptr<Pending>(pending)] {
    metrics_.request_abandoned();
    if (const std::shared_ptr<Pending> left = waiting.lock()) abandon(*left);
  });
  pending->is_read_here = request.body.size() <= kSmall;
  if (pending->is_read_here) return try_to_start(pending, match);
  {
    const std::lock_guard<std::mutex> lock(unread_mutex_);
    unread_.emplace_back(pending, match);
  }
  unread_changed_.notify_one();
}

template <class Answer>
void Service::attempt(Pending& pending, const Answer& answer) noexcept {
  try {
    try {
      answer();
    } catch (const ApiError& error) {
      fail(pending, error);
    } catch (const Error& error) {
      fail(pending, as_api_error(error));
    } catch (const std::bad_alloc&) {
      fail(pending, lack_of_memory("this request"));
    } catch (const std::exception& error) {
      fail(pending, {Fault::kInternal, error.what()});
    }
  } catch (const std::exception&) {
    pending.exchange->drop();
  }
}

// A line for which there is no memory is lost; its request is already answered.
void Service::log(RequestRecord record) const noexcept {
  if (!options_.log) return;
  try {
    record.dropped_lines = dropped_lines();
    options_.log(log_line(record));
  } catch (const std::exception&) {
  }
}

void Service::try_to_start(const std::shared_ptr<Pending>& pending, const RouteMatch& match) noexcept {
  attempt(*pending, [&] { start(pending, match); });
}

void Service::start(const std::shared_ptr<Pending>& pending, const RouteMatch& match) {
  const HttpRequest& request = pending->exchange->request();
  // The queue may have filled since the head was read.
  if (match.route->kind == RouteKind::kCompute) require_room(1, request.body.size());
  const JsonBody body = request.method == "POST" ? parse_body(request.body) : JsonBody();
  pending->exchange->release_body();
  if (pending->has_left()) return;
  const Call call{request, models_, facts_, match.model, match.parameter, body, match.route->request};
  if (std::string names = ignored_fields(*match.route, body); !names.empty()) {
    pending->fields.emplace_back("x-ignored-fields", std::move(names));
  }
  HandlerResult result = match.route->handler(call);
  if (auto* computing = std::get_if<Computing>(&result)) return compute(pending, std::move(*computing));
  send(*pending, std::get<HttpResponse>(std::move(result)), nullptr, "");
}

void Service::compute(const std::shared_ptr<Pending>& pending, Computing computing) {
  const std::shared_ptr<Job> job = computing.job;
  if (job->request.is_partial && !computing.shows_failures) {
    throw ApiError(Fault::kInvalid, "'partial' is not supported by this route: its answer is of all texts", "partial");
  }
  check_files(*job->model);
  size_t bytes = 0;
  for (const TextItem& text : job->texts) bytes += bytes_of(text);
  require_room(job->sequences(), bytes);
  metrics_.request_begun(job->texts.size());
  job->finished = [this, pending, body = std::move(computing.body)](Job& done) {
    attempt(*pending, [&] {
      if (done.merge) done.merge(done);
      finish(*pending, done, body);
    });
  };
  const std::lock_guard<std::mutex> lock(pending->mutex);
  if (pending->is_abandoned) return;
  if (!scheduler_.submit(job, pending->is_read_here ? Wake::kWhenCaughtUp : Wake::kNow)) throw overloaded();
  pending->job = job;
}

void Service::finish(Pending& pending, const Job& job, const std::function<std::string(const Job&)>& body) {
  check_files(*job.model);  // after computing with the files
  if (job.exceeds_budget) return fail(pending, too_large_answer(facts_.answers->largest_share()));
  const std::vector<size_t> failed = failed_texts(job);
  const bool has_answer = job.request.is_partial && failed.size() < job.outputs.size();
  if (!failed.empty() && !has_answer) return fail(pending, error_of(job, failed.front()));
  HttpResponse response;
  if (!failed.empty()) response.fields.emplace_back("x-failed-texts", std::to_string(failed.size()));
  response.body = body(job);
  response.kept = job.share;
  const Clock::duration total = Clock::now() - pending.begun;
  add_compute_fields(job, total, response.fields);
  const Usage usage = usage_of(job);
  metrics_.request_succeeded(
      work_of(job),
      {.texts = job.texts.size(),
       .tokens = usage.tokens,
       .truncated_tokens = usage.truncated_tokens,
       .coarse_rows = usage.coarse_rows},
      {seconds(total), seconds(job.tokenize_time), seconds(job.queue_time), seconds(job.compute_time)});
  send(pending, std::move(response), &job, "");
}

void Service::fail(Pending& pending, const ApiError& error) {
  metrics_.request_failed(name(error.fault()));
  send(pending, error_response(pending.style, without_directories(error, models_)), nullptr, log_text(error));
}

// Throws nothing once the request is answered.
void Service::send(Pending& pending, HttpResponse response, const Job* job, const std::string& error) {
  const int status = response.status;
  response.fields.emplace_back("x-request-id", pending.request_id);
  if (!pending.traceparent.empty()) response.fields.emplace_back("traceparent", pending.traceparent);
  std::move(pending.fields.begin(), pending.fields.end(), std::back_inserter(response.fields));
  pending.exchange->respond(std::move(response));
  log({.method = pending.method,
       .path = pending.path,
       .request_id = pending.request_id,
       .traceparent = pending.traceparent,
       .status = status,
       .total_ms = seconds(Clock::now() - pending.begun) * 1000,
       .job = job,
       .error = error,
       .client = pending.client});
}

}  // namespace bert::server
