// Counts and times of a server in Prometheus' text format: with text-embeddings-inference's names, so that its
// dashboards work, and with our own (docs/SERVER.md lists both). Safe to use from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace bert::server {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  enum class Work { kEmbed, kPredict, kOther };

  // Counts a request that computes. texts: its number of texts.
  void request_begun(size_t texts);
  // Times in seconds.
  struct Times {
    double total = 0, tokenization = 0, queue = 0, inference = 0;
  };
  struct Counts {
    size_t texts = 0, tokens = 0, truncated_tokens = 0, coarse_rows = 0;
  };
  void request_succeeded(Work work, const Counts& counts, const Times& times);
  // reason: "overloaded", … If there is no memory for a new reason, its count is lost.
  void request_failed(std::string_view reason) noexcept;
  void request_abandoned();
  void batch_computed(size_t texts, size_t tokens);
  void set_queue(size_t texts);
  void set_connections(size_t connections);
  void set_dropped_log_lines(uint64_t lines);  // since the server started
  void set_model(const std::string& name, const std::string& sha256, const std::string& precision, size_t packed_bytes,
                 size_t adapter_bytes);

  // Returns all metrics, with the process's current memory.
  std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

// The memory of this process in bytes, as the kernel counts it.
struct ProcessMemory {
  size_t anonymous = 0;  // heap, stacks
  size_t mapped = 0;     // resident pages of files: mapped weights
};
ProcessMemory process_memory();

}  // namespace bert::server
