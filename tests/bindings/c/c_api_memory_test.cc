// Checks that memory does not grow with the number of calls or of loaded models. BERT_MEMORY_CALLS and
// BERT_MEMORY_LOADS set these numbers. With the defaults the tests take a second.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "bert/bert_explain.h"
#include "bert/bert_tasks.h"
#include "bert/bert_vectors.h"
#include "tests/support/sanitizers.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

constexpr size_t kMostGrowth = 4 << 20;

size_t count_of(const char* variable, size_t otherwise) {
  const char* given = std::getenv(variable);
  return given == nullptr ? otherwise : std::stoul(given);
}

size_t resident_bytes() {
  size_t pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Compares the memory after a tenth of the calls with that after all of them, except under a sanitizer, which keeps
// freed memory.
void expect_flat(const std::string& name, size_t count, const std::function<void()>& call) {
  size_t before = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i == count / 10) before = resident_bytes();
    call();
  }
  const size_t after = resident_bytes();
  std::cout << name << ": " << count << " calls, " << before / 1024 << " to " << after / 1024 << " KiB\n";
  if (BERT_SANITIZED) return;
  EXPECT_LT(after, before + kMostGrowth) << name;
}

class CApiMemory : public testing::Test {
 protected:
  ~CApiMemory() override {
    for (const auto& [name, model] : models_) bert_model_free(model);
  }

  bert_model* load(const std::string& directory) {
    bert_load_options options = BERT_LOAD_OPTIONS_INIT;
    options.threads = 1;
    bert_model* model = nullptr;
    EXPECT_EQ(bert_model_load(directory.empty() ? nullptr : directory.c_str(), &options, &model), BERT_OK)
        << bert_error_message();
    return models_[directory] = model;
  }

 private:
  std::map<std::string, bert_model*> models_;
};

TEST_F(CApiMemory, IsFlatOverManyCallsOfEachKind) {
  const test::TemporaryDirectory classes, several, gliner, gliclass, embedder, splade;
  test::write_tiny_classifier(classes, {"contradiction", "neutral", "entailment"});
  test::write_tiny_m3(several);
  test::write_tiny_gliner(gliner);
  test::write_tiny_gliclass(gliclass, {.architecture = "bi-encoder"});
  test::write_tiny_model(embedder);
  test::write_tiny_splade(splade, "{}");
  bert_model* const classifier = load(classes.path().string());
  bert_model* const tokens_model = load(several.path().string());
  bert_model* const reader = load(gliner.path().string());
  bert_model* const chooser = load(gliclass.path().string());
  bert_model* const vectors_model = load(embedder.path().string());
  bert_model* const sparse = load(splade.path().string());
  const bert_text text = {"the quick fox jumps", BERT_TO_NUL};
  const bert_text texts[] = {text, {"the lazy dog", BERT_TO_NUL}};
  const char* const list[] = {"the quick fox", "the dog"};
  std::vector<float> floats(2048);
  std::vector<int32_t> ids(2048);
  size_t size = 0;
  ASSERT_EQ(bert_embed_get_size(vectors_model, nullptr, &size), BERT_OK);
  // Makes a task, sets its options, runs and streams it over two texts, and frees it.
  const auto run = [&](bert_model* model, const char* name, const char* options) {
    bert_task* task = nullptr;
    bert_results* results = nullptr;
    const bert_input inputs[] = {BERT_INPUT(text.data), BERT_INPUT(texts[1].data)};
    bert_run_options how = BERT_RUN_OPTIONS_INIT;
    how.json = 1;
    EXPECT_EQ(bert_task_new(model, name, &task), BERT_OK);
    EXPECT_EQ(bert_task_set_json(task, options, BERT_TO_NUL), BERT_OK) << bert_error_message();
    EXPECT_EQ(bert_task_run(task, inputs, 2, &how, &results), BERT_OK) << bert_error_message();
    bert_results_free(results);
    const bert_input* left = inputs;
    const bert_next next = [](void* context, bert_input* input) {
      const bert_input*& at = *static_cast<const bert_input**>(context);
      if (at == nullptr) return 0;
      *input = *at;
      at = nullptr;
      return 1;
    };
    const bert_give give = [](void*, size_t, const bert_results*) { return 1; };
    EXPECT_EQ(bert_task_stream(task, next, give, &left, nullptr), BERT_OK) << bert_error_message();
    bert_task_free(task);
  };
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"bert_tokenize",
       [&] {
         bert_tokens tokens = BERT_TOKENS_INIT;
         tokens.capacity = ids.size();
         tokens.ids = ids.data();
         EXPECT_EQ(
             bert_tokenize(bert_model_tokenizer(vectors_model), text.data, text.bytes, nullptr, 0, nullptr, &tokens),
             BERT_OK);
       }},
      {"bert_embed_texts",
       [&] {
         EXPECT_EQ(bert_embed_texts(vectors_model, list, nullptr, 2, nullptr, floats.data(), 2 * size, nullptr),
                   BERT_OK);
       }},
      {"bert_embed_sparse_texts",
       [&] {
         size_t starts[3];
         EXPECT_EQ(bert_embed_sparse_texts(sparse, list, nullptr, 2, nullptr, starts, ids.data(), floats.data(),
                                           ids.size(), nullptr),
                   BERT_OK);
       }},
      {"bert_embed_tokens",
       [&] {
         bert_vectors* made = nullptr;
         EXPECT_EQ(bert_embed_tokens(tokens_model, text, BERT_QUERY, &made), BERT_OK);
         bert_vectors_free(made);
       }},
      {"bert_embed_chunks",
       [&] {
         bert_chunk_options options = BERT_CHUNK_OPTIONS_INIT;
         options.tokens = 2;
         bert_vectors* made = nullptr;
         EXPECT_EQ(bert_embed_chunks(vectors_model, text, &options, &made), BERT_OK);
         bert_vectors_free(made);
       }},
      {"bert_index",
       [&] {
         bert_index* index = nullptr;
         bert_hit hit;
         size_t found = 0;
         EXPECT_EQ(bert_index_create({floats.data(), 2, size}, nullptr, &index), BERT_OK);
         EXPECT_EQ(bert_index_search(index, floats.data(), 1, &hit, &found), BERT_OK);
         bert_index_free(index);
       }},
      {"classify", [&] { run(classifier, "classify", R"({"top_k": 2})"); }},
      {"zero_shot", [&] { run(classifier, "zero_shot", R"({"labels": ["the lazy dog", "fox"]})"); }},
      {"rerank", [&] { run(vectors_model, "rerank", R"({"query": "the quick fox"})"); }},
      {"tag", [&] { run(reader, "tag", R"({"labels": ["dog", "fox"], "threshold": 0.05})"); }},
      {"redact", [&] { run(reader, "redact", R"({"labels": ["dog"], "expressions": ["LAZY=lazy"]})"); }},
      {"classify by labels", [&] { run(chooser, "classify", R"({"labels": ["dog", "fox"]})"); }},
      {"an unknown task",
       [&] {
         bert_task* task = nullptr;
         EXPECT_EQ(bert_task_new(classifier, "no such task", &task), BERT_INVALID_ARGUMENT);
       }},
      {"bert_explain_similarity",
       [&] {
         bert_explanation* why = nullptr;
         EXPECT_EQ(bert_explain_similarity(vectors_model, text, texts[1], nullptr, &why), BERT_OK);
         bert_explanation_free(why);
       }},
      {"bert_explain_labels",
       [&] {
         bert_explanation* why = nullptr;
         EXPECT_EQ(bert_explain_labels(classifier, texts[1], {nullptr, 0}, nullptr, &why), BERT_OK);
         bert_explanation_free(why);
       }},
      {"an error",
       [&] { EXPECT_EQ(bert_embed_text(vectors_model, "\xff", 1, nullptr, floats.data(), size), BERT_INVALID_TEXT); }},
  };
  for (const auto& [name, call] : calls) expect_flat(name, count_of("BERT_MEMORY_CALLS", 2000), call);
}

TEST_F(CApiMemory, IsFlatOverManyLoadedModels) {
  const test::TemporaryDirectory embedder;
  test::write_tiny_model(embedder);
  for (const std::string& directory : {embedder.path().string(), std::string()}) {
    expect_flat(directory.empty() ? "the built-in model" : "a directory", count_of("BERT_MEMORY_LOADS", 50), [&] {
      bert_model* model = nullptr;
      ASSERT_EQ(bert_model_load(directory.empty() ? nullptr : directory.c_str(), nullptr, &model), BERT_OK);
      float vector[512];
      EXPECT_EQ(bert_embed_text(model, "a fox", BERT_TO_NUL, nullptr, vector, 512), BERT_OK) << bert_error_message();
      bert_model_free(model);
    });
  }
}

}  // namespace
}  // namespace bert
