#include "program/server/metrics.h"

#include <gtest/gtest.h>

namespace bert::test {
namespace {

using server::Metrics;

// The expected text follows Prometheus' text format 0.0.4.
TEST(Metrics, HaveTextEmbeddingsInferencesNames) {
  Metrics metrics;
  metrics.request_begun(1);
  metrics.request_begun(2);
  metrics.request_succeeded(Metrics::Work::kEmbed, {.texts = 2, .tokens = 10, .truncated_tokens = 3, .coarse_rows = 4},
                            {.total = 0.5, .queue = 0.1});
  metrics.request_failed("overloaded");
  metrics.request_failed("overloaded");
  metrics.batch_computed(2, 10);
  metrics.set_queue(5);
  metrics.set_model("a", "12", "float32", 4096, 512);
  const std::string text = metrics.text();
  for (const char* line :
       {"te_request_count{method=\"single\"} 1", "te_request_count{method=\"batch\"} 1",
        "te_request_success{method=\"batch\"} 1", "te_request_failure{err=\"overloaded\"} 2", "te_embed_count 2",
        "te_predict_count 0", "te_request_duration_sum 0.5", "te_embed_queue_duration_sum 0.1",
        "te_request_input_length_count 1", "te_batch_next_size_sum 2", "te_batch_next_tokens_sum 10", "te_queue_size 5",
        "bert_tokens_total 10", "bert_truncated_tokens_total 3", "bert_coarse_rows_total 4",
        "bert_packed_weights_bytes{model=\"a\"} 4096", "bert_adapter_weights_bytes{model=\"a\"} 512",
        "bert_model_info{model=\"a\",precision=\"float32\",sha256=\"12\"} 1"}) {
    EXPECT_NE(text.find(std::string(line) + "\n"), std::string::npos) << line << "\n" << text;
  }
}

TEST(Metrics, HaveOneSeriesForAModelWhoseDigestChanges) {
  server::Metrics metrics;
  metrics.set_model("a", "11", "float32", 4096, 0);
  metrics.set_model("a", "12", "float32", 0, 0);
  const std::string text = metrics.text();
  EXPECT_NE(text.find("bert_packed_weights_bytes{model=\"a\"} 0\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("sha256=\"11\""), std::string::npos) << text;
  EXPECT_NE(text.find("sha256=\"12\""), std::string::npos) << text;
}

TEST(Metrics, ReadTheProcessesMemory) {
  const server::ProcessMemory before = server::process_memory();
  EXPECT_GT(before.anonymous, 0u);
  const std::string block(64 << 20, 'x');
  EXPECT_GE(server::process_memory().anonymous, before.anonymous + (60u << 20));
  EXPECT_EQ(block.back(), 'x');
}

}  // namespace
}  // namespace bert::test
