// Compiles and runs the examples of the public headers unchanged, in a folder where "path/to/…" has models. This file
// defines what an example uses and does not define.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "bert/chunks.h"
#include "bert/clusters.h"
#include "bert/compare.h"
#include "bert/explain.h"
#include "bert/labels.h"
#include "bert/model.h"
#include "bert/redact.h"
#include "bert/runtime.h"
#include "bert/task_settings.h"
#include "bert/tasks.h"
#include "bert/text_pipeline.h"
#include "bert/text_tasks.h"
#include "bert/token_vectors.h"
#include "bert/vector_request.h"
#include "bert/vectors.h"
#include "tests/examples/c_header_examples.h"
#include "tests/support/firing_models.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace {

// These functions read all their arguments, so that the address sanitizer reports freed ones.
size_t used = 0;
void use_one(size_t number) { used += number + 1; }
void use_one(double number) { used += number == number ? 1 : 0; }
void use_one(const std::string& text) { used += text.size(); }
void use_one(const std::vector<float>& numbers) {
  for (const float number : numbers) use_one(double{number});
}
void use_one(const std::vector<bert::TextChunk>& chunks) {
  for (const bert::TextChunk& chunk : chunks) use_one(chunk.bytes.end);
}
template <typename... Values>
void use(const Values&... values) {
  (use_one(values), ...);
}
void drop(size_t row) { use_one(row); }

class HeaderExamples : public testing::Test {
 protected:
  void SetUp() override { used = 0; }

  static void SetUpTestSuite() {
    started_in() = std::filesystem::current_path();
    write("bert-base-uncased", [](const auto& directory) { bert::test::write_tiny_model(directory); });
    write("an-embedder", [](const auto& directory) { bert::test::write_tiny_model(directory); });
    write("a-reranker", [](const auto& directory) { bert::test::write_tiny_classifier(directory, {"relevant"}); });
    write("a-classifier", [](const auto& directory) { bert::test::write_tiny_classifier(directory, {"no", "yes"}); });
    write("an-nli-model", [](const auto& directory) {
      bert::test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
    });
    write("gliner_small-v2.1", [](const auto& directory) { bert::test::write_tiny_gliner(directory); });
    write("a-tagger", [](const auto& directory) { bert::test::write_firing_tagger(directory, {{"fox", "B-PER"}}); });
    write("a-late-model", [](const auto& directory) { bert::test::write_tiny_m3(directory); });
    std::filesystem::current_path(folder().path());
  }
  static void TearDownTestSuite() { std::filesystem::current_path(started_in()); }

  template <typename Write>
  static void write(const std::string& name, const Write& write_one) {
    const bert::test::TemporaryDirectory directory;
    write_one(directory);
    std::filesystem::create_directories(folder().path() / "path/to");
    std::filesystem::copy(directory.path(), folder().path() / "path/to" / name,
                          std::filesystem::copy_options::recursive);
  }

  static const bert::test::TemporaryDirectory& folder() {
    static const bert::test::TemporaryDirectory directory;
    return directory;
  }
  static std::filesystem::path& started_in() {
    static std::filesystem::path path;
    return path;
  }

  static constexpr size_t size = 2;
  const std::vector<float> vectors = {1, 0, 1, 0, 0, 1};
  const std::vector<float> query = {0, 1};
};

TEST_F(HeaderExamples, OfC) {
  bert_model* model = nullptr;
  example_bert();
  ASSERT_EQ(bert_model_load(nullptr, nullptr, &model), BERT_OK);
  EXPECT_NE(example_explain(model, {"a cat", BERT_TO_NUL}, {"the cats", BERT_TO_NUL}), 0);
  bert_model_free(model);
  example_files();
  EXPECT_TRUE(std::filesystem::exists("bert-base-int8/model.safetensors"));
  ASSERT_EQ(bert_model_load("path/to/a-classifier", nullptr, &model), BERT_OK);
  testing::internal::CaptureStdout();
  example_tasks(model);
  example_task_options(model);
  example_vectors(vectors.data(), vectors.size() / size, size, query.data());
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_NE(printed.find("entities have whole words\n"), std::string::npos) << printed;
  EXPECT_TRUE(printed.ends_with("row 2, 1.000\n"));
  bert_model_free(model);
}

TEST_F(HeaderExamples, OfChunks) {
  const bert::Model model = bert::Model::builtin();
#include "chunks.h.1.inc"
  EXPECT_EQ(vectors.dense.size(), vectors.chunks.size() * model.embedding_size());
  EXPECT_GT(used, model.embedding_size());
}

TEST_F(HeaderExamples, OfClusters) {
  const std::vector<float> three = HeaderExamples::vectors;
  std::vector<float> vectors;
  for (int i = 0; i < 7; ++i) vectors.insert(vectors.end(), three.begin(), three.end());
#include "clusters.h.1.inc"
  EXPECT_GT(used, 19u);  // 19 rows are equal to another row
  EXPECT_EQ(groups.sizes.size(), 2u);
}

TEST_F(HeaderExamples, OfCompare) {
  const bert::Model small = bert::Model::builtin(), source = bert::Model::builtin();
#include "compare.h.1.inc"
  EXPECT_NEAR(cosine, 1, 1e-12);
}

TEST_F(HeaderExamples, OfExplain) {
  const bert::Model model = bert::Model::builtin();
#include "explain.h.1.inc"
  EXPECT_GT(used, 0u);
}

TEST_F(HeaderExamples, OfLabels){
#include "labels.h.1.inc"
}

TEST_F(HeaderExamples, OfModel) {
#include "model.h.1.inc"
  EXPECT_EQ(vector.size(), encoded.hidden);
}

TEST_F(HeaderExamples, OfRedact) {
  const bert::Model model = bert::Model::load("path/to/a-tagger");
#include "redact.h.1.inc"
  EXPECT_EQ(safe, "Ada wrote to <EMAIL>.");  // this tagger does not know Ada
}

TEST_F(HeaderExamples, OfRuntime) {
#include "runtime.h.1.inc"
  EXPECT_EQ(runtime.threads(), 2u);
}

TEST_F(HeaderExamples, OfTasks) {
#include "tasks.h.1.inc"
  EXPECT_TRUE(best.label == "no" || best.label == "yes") << best.label;
}

TEST_F(HeaderExamples, OfZeroShot) {
  const bert::Model model = bert::Model::load("path/to/an-nli-model");
  const std::string text = "the cat";
  const std::vector<std::string> labels = {"politics"};
  const std::vector<bert::Logits> logits = {{.rows = 1, .outputs = 3, .values = {0, 0, 1}}};
#include "tasks.h.2.inc"
  EXPECT_EQ(statement, "This example is politics.");
  EXPECT_EQ(scores.front().label, "politics");
}

TEST_F(HeaderExamples, OfTaskSettings) {
  const bert::Model model = bert::Model::load("path/to/a-tagger");
#include "task_settings.h.1.inc"
  EXPECT_EQ(settings.text("aggregation"), "first");
  EXPECT_NE(call, nullptr);
}

TEST_F(HeaderExamples, OfTextPipeline) {
  const bert::Model model = bert::Model::builtin();
  const std::vector<std::string_view> lines = {"one text", "another"};
#include "text_pipeline.h.1.inc"
  EXPECT_EQ(used, 2 * model.embedding_size());
}

TEST_F(HeaderExamples, OfTextTasks){
#include "text_tasks.h.1.inc"
}

TEST_F(HeaderExamples, OfTokenVectors) {
  const bert::Model model = bert::Model::load("path/to/a-late-model");
#include "token_vectors.h.1.inc"
  EXPECT_TRUE(score == score);
}

TEST_F(HeaderExamples, OfVectorRequest) {
  const bert::Model model = bert::Model::builtin();
#include "vector_request.h.1.inc"
  EXPECT_EQ(used, model.embedding_size());
}

TEST_F(HeaderExamples, OfVectors) {
#include "vectors.h.1.inc"
  EXPECT_EQ(used, 1u + 2u + 3u + 3u);  // three rows, counted from 1, and three scores
}

}  // namespace
