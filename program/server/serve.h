// The server as a process: listens, loads the models, serves, and obeys signals. SIGTERM and SIGINT drain; a second one
// ends the process at once with status 1; SIGHUP loads the models and the keys again.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/server/http/handler.h"
#include "program/server/queue/model_set.h"
#include "program/server/service.h"

namespace bert::server {

struct ServeOptions {
  std::vector<NamedDirectory> models;
  LoadOptions load = {};                           // serve() creates its runtime
  std::optional<std::string> relevant_label = {};  // as in ModelSet
  std::vector<std::string> listen;                 // addresses; empty: systemd's sockets, else 127.0.0.1:8080
  std::optional<std::string> monitor;              // address of /metrics, /health and /ready
  std::string key_file, key;
  std::chrono::seconds drain_delay{0};     // how long requests are still served after the signal, while /ready is 503
  size_t memory_bytes = 0;                 // limit of the process's anonymous memory; 0: none
  std::optional<size_t> all_bodies_bytes;  // as HttpLimits::all_bodies_bytes; nullopt: from plan_bodies
  HttpLimits http = {};
  ServiceOptions service = {};
};

// Callbacks with lines for people about what the process does.
struct ServeReports {
  std::function<void(const std::string&)> note;
  std::function<void(const std::string&)> error;
};

// Serves; returns when the server has drained. Throws Error if it cannot start. Call it before any thread is started,
// because it blocks the signals in all threads.
void serve(const ServeOptions& options, const ServeReports& reports);

// How a limit of the process's anonymous memory is divided: scratch memory of forward passes, the loaded models and the
// process itself, the texts of requests, the bodies that are read or wait to be parsed, and the answers. The rest is
// for connections.
struct MemoryPlan {
  size_t scratch_bytes = 0;
  size_t process_bytes = 0;
  size_t request_bytes = 0;
  size_t bodies_bytes = 0;
  size_t answers_bytes = 0;
};
MemoryPlan plan_memory(size_t limit_bytes);

// Returns the memory for all models' packed weights: half of the plan's memory, or of the memory that the process may
// use.
size_t plan_packed_weights(const MemoryPlan& plan, size_t usable_bytes);

// Returns the budget of all bodies if no memory limit is given: a sixteenth of what the process may use, at most 256
// MiB, and at least what one body of the largest size needs.
size_t plan_bodies(size_t usable_bytes, size_t body_bytes);

}  // namespace bert::server
