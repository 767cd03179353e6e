// The lines of the log: a JSON object for each request, without its texts, and for each message. Stateless.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "program/server/http/message.h"
#include "program/server/queue/scheduler.h"

namespace bert::server {

struct RequestRecord {
  std::string_view method, path, request_id, traceparent;
  int status = 0;
  double total_ms = 0;
  const Job* job = nullptr;    // null: nothing was computed
  std::string_view error;      // "": no error
  std::string_view client;     // its address; "": unknown
  uint64_t dropped_lines = 0;  // lines that the log has dropped since the server started
};
std::string log_line(const RequestRecord& record);

// level: "info" or "error".
std::string message_line(std::string_view level, std::string_view message);

}  // namespace bert::server
