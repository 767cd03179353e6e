#include "program/server/request_log.h"

#include <chrono>
#include <cstdio>
#include <ctime>

#include "program/server/routes/api.h"

namespace bert::server {
namespace {

std::string now_rfc3339() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char date[32], text[48];
  std::strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &parts);
  std::snprintf(text, sizeof(text), "%s.%03dZ", date, static_cast<int>(since % 1000));
  return text;
}

}  // namespace

std::string log_line(const RequestRecord& record) {
  JsonWriter line;
  line.string("time", now_rfc3339());
  line.string("level", record.status >= 500 ? "error" : record.status >= 400 ? "warn" : "info");
  line.string("method", record.method);
  line.string("path", record.path.substr(0, 200));
  line.number("status", int32_t{record.status});
  if (!record.error.empty()) line.string("error", record.error);
  if (record.job != nullptr) {
    const Usage usage = usage_of(*record.job);
    line.string("model", record.job->model->source.name);
    line.number("texts", uint64_t{record.job->texts.size()});
    line.number("tokens", uint64_t{usage.tokens});
    line.number("truncated_tokens", uint64_t{usage.truncated_tokens});
    line.number("queue_ms", milliseconds(record.job->queue_time));
    line.number("tokenization_ms", milliseconds(record.job->tokenize_time));
    line.number("inference_ms", milliseconds(record.job->compute_time));
  }
  line.number("total_ms", record.total_ms);
  if (!record.client.empty()) line.string("client", record.client);
  line.string("request_id", record.request_id);
  if (record.dropped_lines > 0) line.number("dropped_lines", record.dropped_lines);
  if (!record.traceparent.empty()) line.string("traceparent", record.traceparent);
  return line.take();
}

std::string message_line(std::string_view level, std::string_view message) {
  JsonWriter line;
  line.string("time", now_rfc3339());
  line.string("level", level);
  line.string("message", message);
  return line.take();
}

}  // namespace bert::server
