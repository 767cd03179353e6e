#include "program/server/metrics.h"

#include <fcntl.h>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <map>
#include <mutex>
#include <sstream>

namespace bert::server {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

// Buckets: seconds from 0.1 ms; counts by powers of two.
const Buckets kSeconds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                          0.05,   0.1,     0.25,   0.5,   1,      2.5,   5,    10};
const Buckets kCounts = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384};

}  // namespace

struct Metrics::Families {
  struct Durations {
    Histogram *total, *tokenization, *queue, *inference;
  };

  Counter& counter(const std::string& name, const std::string& help, const prometheus::Labels& labels = {}) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add(labels);
  }
  Gauge& gauge(const std::string& name, const std::string& help, const prometheus::Labels& labels = {}) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(labels);
  }
  Histogram& histogram(const std::string& name, const std::string& help, const Buckets& buckets) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, buckets);
  }
  Durations durations(const std::string& prefix) {
    return {&histogram(prefix + "_duration", "Seconds from the whole request to its answer", kSeconds),
            &histogram(prefix + "_tokenization_duration", "Seconds of tokenising a request's texts", kSeconds),
            &histogram(prefix + "_queue_duration", "Seconds until a request's first text was taken", kSeconds),
            &histogram(prefix + "_inference_duration", "Seconds of computing a request's texts", kSeconds)};
  }

  // Declared first, because the other members point into it.
  prometheus::Registry registry;
  Counter& single = counter("te_request_count", "Requests that compute", {{"method", "single"}});
  Counter& batch = counter("te_request_count", "Requests that compute", {{"method", "batch"}});
  Counter& single_success = counter("te_request_success", "Requests answered", {{"method", "single"}});
  Counter& batch_success = counter("te_request_success", "Requests answered", {{"method", "batch"}});
  Counter& embed_count = counter("te_embed_count", "Texts embedded");
  Counter& embed_success = counter("te_embed_success", "Texts embedded and answered");
  Counter& predict_count = counter("te_predict_count", "Texts and pairs classified");
  Counter& predict_success = counter("te_predict_success", "Texts and pairs classified and answered");
  Durations request = durations("te_request"), embed = durations("te_embed"), predict = durations("te_predict");
  Histogram& length = histogram("te_request_input_length", "Tokens of a request", kCounts);
  Gauge& queue = gauge("te_queue_size", "Texts of requests that are not answered");
  Histogram& batch_texts = histogram("te_batch_next_size", "Texts of a batch", kCounts);
  Histogram& batch_tokens = histogram("te_batch_next_tokens", "Tokens of a batch", kCounts);
  Counter& tokens = counter("bert_tokens_total", "Tokens computed and answered");
  Counter& truncated = counter("bert_truncated_tokens_total", "Tokens that truncation removed");
  Counter& coarse_rows = counter("bert_coarse_rows_total", "Rows of activations that 8 bits hardly hold");
  Counter& abandoned = counter("bert_abandoned_requests_total", "Requests whose client left before the answer");
  Counter& dropped_log_lines =
      counter("bert_log_lines_dropped_total", "Lines of the log that its reader was too slow for");
  Gauge& connections = gauge("bert_connections", "Open connections");
  Gauge& anonymous = gauge("bert_memory_bytes", "Resident memory", {{"kind", "anonymous"}});
  prometheus::Family<Gauge>& model_info =
      prometheus::BuildGauge().Name("bert_model_info").Help("1 for each model").Register(registry);
  prometheus::Family<Gauge>& adapter_weights =
      prometheus::BuildGauge()
          .Name("bert_adapter_weights_bytes")
          .Help("Memory for the weights that a model's adapter changes; 0: it has none")
          .Register(registry);
  prometheus::Family<Gauge>& packed_weights = prometheus::BuildGauge()
                                                  .Name("bert_packed_weights_bytes")
                                                  .Help("Memory for a model's packed weights; 0: read as stored")
                                                  .Register(registry);
  std::mutex models_mutex;
  std::map<std::string, Gauge*> models;  // by name
  Gauge& mapped = gauge("bert_memory_bytes", "Resident memory", {{"kind", "mapped"}});
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::request_begun(size_t texts) { (texts == 1 ? families_->single : families_->batch).Increment(); }

void Metrics::request_succeeded(Work work, const Counts& counts, const Times& times) {
  Families& all = *families_;
  const auto texts = static_cast<double>(counts.texts);
  (counts.texts == 1 ? all.single_success : all.batch_success).Increment();
  all.length.Observe(static_cast<double>(counts.tokens));
  all.tokens.Increment(static_cast<double>(counts.tokens));
  all.truncated.Increment(static_cast<double>(counts.truncated_tokens));
  all.coarse_rows.Increment(static_cast<double>(counts.coarse_rows));
  const auto observe = [&](const Families::Durations& durations) {
    durations.total->Observe(times.total);
    durations.tokenization->Observe(times.tokenization);
    durations.queue->Observe(times.queue);
    durations.inference->Observe(times.inference);
  };
  observe(all.request);
  if (work == Work::kOther) return;
  observe(work == Work::kEmbed ? all.embed : all.predict);
  (work == Work::kEmbed ? all.embed_count : all.predict_count).Increment(texts);
  (work == Work::kEmbed ? all.embed_success : all.predict_success).Increment(texts);
}

void Metrics::request_failed(std::string_view reason) noexcept {
  try {
    families_->counter("te_request_failure", "Requests refused or failed", {{"err", std::string(reason)}}).Increment();
  } catch (const std::exception&) {
  }
}

void Metrics::request_abandoned() { families_->abandoned.Increment(); }

void Metrics::batch_computed(size_t texts, size_t tokens) {
  families_->batch_texts.Observe(static_cast<double>(texts));
  families_->batch_tokens.Observe(static_cast<double>(tokens));
}

void Metrics::set_queue(size_t texts) { families_->queue.Set(static_cast<double>(texts)); }
void Metrics::set_dropped_log_lines(uint64_t lines) {
  Counter& counter = families_->dropped_log_lines;
  counter.Increment(std::max(0.0, static_cast<double>(lines) - counter.Value()));
}
void Metrics::set_connections(size_t connections) { families_->connections.Set(static_cast<double>(connections)); }

void Metrics::set_model(const std::string& name, const std::string& sha256, const std::string& precision,
                        size_t packed_bytes, size_t adapter_bytes) {
  // Keeps one series per model, also when its digest changes.
  const std::lock_guard<std::mutex> lock(families_->models_mutex);
  auto [place, is_new] = families_->models.try_emplace(name, nullptr);
  if (!is_new) families_->model_info.Remove(place->second);
  place->second = &families_->model_info.Add({{"model", name}, {"sha256", sha256}, {"precision", precision}});
  place->second->Set(1);
  families_->packed_weights.Add({{"model", name}}).Set(static_cast<double>(packed_bytes));
  families_->adapter_weights.Add({{"model", name}}).Set(static_cast<double>(adapter_bytes));
}

std::string Metrics::text() const {
  const ProcessMemory memory = process_memory();
  families_->anonymous.Set(static_cast<double>(memory.anonymous));
  families_->mapped.Set(static_cast<double>(memory.mapped));
  std::ostringstream text;
  text.exceptions(std::ios::badbit);  // otherwise a stream without memory would omit what does not fit
  prometheus::TextSerializer().Serialize(text, families_->registry.Collect());
  return text.str();
}

// Allocates nothing, because it may measure a lack of memory.
ProcessMemory process_memory() {
  const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char bytes[8192];
  size_t size = 0;
  for (ssize_t got = 1; got > 0 && size < sizeof(bytes); size += static_cast<size_t>(std::max<ssize_t>(got, 0))) {
    got = ::read(file, bytes + size, sizeof(bytes) - size);
  }
  ::close(file);
  const std::string_view status(bytes, size);
  const auto bytes_of = [&](std::string_view name) {  // "RssAnon:	    1234 kB"
    size_t digits = status.find(name);
    if (digits == status.npos) return size_t{0};
    digits = status.find_first_of("0123456789", digits + name.size());
    size_t kibibytes = 0;
    std::from_chars(status.data() + std::min(digits, status.size()), status.data() + status.size(), kibibytes);
    return kibibytes * 1024;
  };
  return {.anonymous = bytes_of("\nRssAnon:"), .mapped = bytes_of("\nRssFile:")};
}

}  // namespace bert::server
