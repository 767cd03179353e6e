// The server as a process: listens, loads the models, serves, and obeys signals. SIGTERM and SIGINT drain, a second one
// ends the process at once with status 1; SIGHUP loads the models and the keys again.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/server/base/memory_budget.h"
#include "program/server/http/handler.h"
#include "program/server/queue/model_set.h"
#include "program/server/service.h"

namespace bert::server {

struct ServeOptions {
  std::vector<NamedDirectory> models;
  LoadOptions load = {};                           // its runtime is made here
  std::optional<std::string> relevant_label = {};  // ModelSet's
  std::vector<std::string> listen;                 // addresses; empty: those of systemd, else 127.0.0.1:8080
  std::optional<std::string> monitor;              // address of /metrics, /health and /ready
  std::string key_file, key;
  std::chrono::seconds drain_delay{0};     // requests are served so long after the signal, while /ready is 503
  size_t memory_bytes = 0;                 // limit of the process's anonymous memory; 0: none
  std::optional<size_t> all_bodies_bytes;  // HttpLimits::all_bodies_bytes; nullopt: plan_bodies
  HttpLimits http = {};
  ServiceOptions service = {};
};

// How the process tells what it does: a line for people.
struct ServeReports {
  std::function<void(const std::string&)> note;
  std::function<void(const std::string&)> error;
};

// Returns when the server has drained. Throws Error for what prevents the start. Before any thread is started: the
// signals are blocked in all of them.
void serve(const ServeOptions& options, const ServeReports& reports);

// How a limit of the process's anonymous memory is divided: scratch memory of forward passes, the loaded models and the
// process itself, the texts of requests, the bodies that are read or wait to be parsed, and the answers. What is left
// is for connections.
struct MemoryPlan {
  size_t scratch_bytes = 0;
  size_t process_bytes = 0;
  size_t request_bytes = 0;
  size_t bodies_bytes = 0;
  size_t answers_bytes = 0;
};
MemoryPlan plan_memory(size_t limit_bytes);

// The memory of all models' packed weights: half of the process's in the plan, or of what the process may use.
size_t plan_packed_weights(const MemoryPlan& plan, size_t usable_bytes);

// The budget of all bodies where no memory limit is given: a sixteenth of what the process may use, at most 256 MiB,
// and at least what one body of the largest size needs.
size_t plan_bodies(size_t usable_bytes, size_t body_bytes);

}  // namespace bert::server
