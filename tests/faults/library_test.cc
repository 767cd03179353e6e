// Makes calls fail while the C interface loads, tokenises, encodes, embeds and runs tasks. Every allocation, every call
// on files and every new thread fails once alone, and once with all later ones. The interface must return an error or
// the right result, and its next call must succeed.
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "bert/bert.h"
#include "bert/bert_tasks.h"
#include "tests/faults/faults.h"
#include "tests/support/firing_models.h"
#include "tests/support/test_data.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

constexpr size_t kNumbers = 4000;  // room for the results of every operation
constexpr const char* kText = "The quick brown fox jumps over the lazy dogs.";

struct FreeModel {
  void operator()(bert_model* model) const { bert_model_free(model); }
};
using OwnedModel = std::unique_ptr<bert_model, FreeModel>;

// Calls the library. Returns the status, and stores the results in `numbers`, which is already allocated.
using Operation = std::function<bert_status(std::vector<float>& numbers)>;

OwnedModel load(const std::string& name, const bert_load_options& options = BERT_LOAD_OPTIONS_INIT) {
  bert_model* model = nullptr;
  if (bert_model_load(name.c_str(), &options, &model) != BERT_OK) throw std::runtime_error(bert_error_message());
  return OwnedModel(model);
}

// The present operation and fault, which a crash prints.
struct {
  const char* operation = "";
  Fault fault;
} current;

// Loads a model and returns no results. Other operations test the loaded model.
Operation loading(const std::string& name, const bert_load_options& options = BERT_LOAD_OPTIONS_INIT) {
  return [name, options](std::vector<float>& numbers) {
    bert_model* model = nullptr;
    const bert_status status = bert_model_load(name.c_str(), &options, &model);
    numbers = {static_cast<float>(bert_model_layers(model)), static_cast<float>(bert_model_max_length(model))};
    bert_model_free(model);
    return status;
  };
}

Operation loading_tokenizer(const std::string& name) {
  return [name](std::vector<float>& numbers) {
    bert_tokenizer* tokenizer = nullptr;
    const bert_status status = bert_tokenizer_load(name.c_str(), nullptr, &tokenizer);
    numbers[0] = tokenizer == nullptr ? 0.0f : 1.0f;
    bert_tokenizer_free(tokenizer);
    return status;
  };
}

Operation embedding(const bert_model* model) {
  return [model](std::vector<float>& numbers) {
    return bert_embed_text(model, kText, BERT_TO_NUL, nullptr, numbers.data(), numbers.size());
  };
}

Operation embedding_many(const bert_model* model, size_t count) {
  return [=](std::vector<float>& numbers) {
    constexpr const char* kTexts[] = {kText, "a fox", "", "i do like coding", "the dog", kText, "over and over"};
    const char* texts[kNumbers];
    for (size_t i = 0; i < count; ++i) texts[i] = kTexts[i % std::size(kTexts)];
    return bert_embed_texts(model, texts, nullptr, count, nullptr, numbers.data(), numbers.size(), nullptr);
  };
}

Operation encoding(const bert_model* model) {
  return [model](std::vector<float>& numbers) {
    constexpr int32_t kIds[] = {2, 5, 6, 7, 8, 3};
    const bert_sequence sequence = {kIds, nullptr, nullptr, std::size(kIds)};
    float* at = numbers.data();
    bert_encode_buffers buffers;
    for (bert_floats* floats :
         {&buffers.last_hidden_state, &buffers.pooler_output, &buffers.hidden_states, &buffers.attentions}) {
      *floats = {at, 1000};
      at += 1000;
    }
    return bert_encode(model, &sequence, 1, &buffers);
  };
}

Operation tokenizing(const bert_model* model) {
  return [model](std::vector<float>& numbers) {
    int32_t ids[100];
    bert_tokens tokens = BERT_TOKENS_INIT;
    tokens.capacity = std::size(ids);
    tokens.ids = ids;
    bert_tokenize_options options = BERT_TOKENIZE_OPTIONS_INIT;
    options.max_length = 12;
    const bert_tokenizer* tokenizer = bert_model_tokenizer(model);
    const bert_status status = bert_tokenize(tokenizer, kText, BERT_TO_NUL, "A fox.", BERT_TO_NUL, &options, &tokens);
    if (status == BERT_OK) std::copy(ids, ids + tokens.size, numbers.begin());
    return status;
  };
}

Operation decoding(const bert_model* model) {
  return [model](std::vector<float>& numbers) {
    constexpr int32_t kIds[] = {2, 5, 6, 7, 8, 3};
    char text[200] = "";
    const bert_status status =
        bert_decode(bert_model_tokenizer(model), kIds, std::size(kIds), 1, text, std::size(text), nullptr);
    if (status == BERT_OK) std::copy(std::begin(text), std::end(text), numbers.begin());
    return status;
  };
}

// Copies the scores, places and JSON sizes of an input's results.
bert_status copy_results(const bert_results* results, size_t input, std::vector<float>& numbers, size_t& at) {
  size_t count = 0;
  const bert_item* const items = bert_results_items(results, input, &count);
  for (size_t i = 0; i < count; ++i) {
    for (const double number : {items[i].score, double(items[i].start), double(items[i].end), double(items[i].index),
                                double(items[i].text_bytes)}) {
      numbers[at++] = static_cast<float>(number);
    }
  }
  const char* const json = bert_results_json(results, input);
  numbers[at++] = json == nullptr ? -1 : static_cast<float>(std::string_view(json).size());
  return bert_results_status(results, input);
}

constexpr bert_text kTaskTexts[] = {{kText, BERT_TO_NUL}, {"a fox", BERT_TO_NUL}, {"the dog and a fox", BERT_TO_NUL}};

// Makes a task, sets its options by JSON and by a setter, and runs it over texts.
Operation running(const bert_model* model, const char* name, const char* options) {
  return [=](std::vector<float>& numbers) {
    bert_input inputs[3] = {};
    for (size_t i = 0; i < 3; ++i) inputs[i].text = kTaskTexts[i];
    bert_run_options how = BERT_RUN_OPTIONS_INIT;
    how.json = 1;
    how.offset_unit = BERT_UTF16;
    bert_task* task = nullptr;
    bert_results* results = nullptr;
    bert_status status = bert_task_new(model, name, &task);
    if (status == BERT_OK) status = bert_task_set_json(task, options, BERT_TO_NUL);
    if (status == BERT_OK) status = bert_task_set_word(task, "long_text", "windows");
    if (status == BERT_OK) status = bert_task_run(task, inputs, 3, &how, &results);
    size_t at = 0, count = 0;
    for (size_t i = 0; i < bert_results_count(results) && status == BERT_OK; ++i) {
      status = copy_results(results, i, numbers, at);
    }
    const size_t* const ranking = bert_results_ranking(results, &count);
    for (size_t i = 0; i < count && status == BERT_OK; ++i) numbers[at++] = static_cast<float>(ranking[i]);
    bert_results_free(results);
    bert_task_free(task);
    return status;
  };
}

Operation streaming(const bert_task* task) {
  return [task](std::vector<float>& numbers) {
    struct Stream {
      std::vector<float>* numbers;
      size_t given = 0, at = 0;
      bert_status status = BERT_OK;
    } stream{&numbers};
    const bert_next next = [](void* context, bert_input* input) {
      Stream& of = *static_cast<Stream*>(context);
      if (of.given == 6) return 0;
      input->text = kTaskTexts[of.given++ % 3];
      return 1;
    };
    const bert_give give = [](void* context, size_t, const bert_results* results) {
      Stream& of = *static_cast<Stream*>(context);
      const bert_status status = copy_results(results, 0, *of.numbers, of.at);
      if (of.status == BERT_OK) of.status = status;
      return 1;
    };
    const bert_status status = bert_task_stream(task, next, give, &stream, nullptr);
    return status == BERT_OK ? stream.status : status;
  };
}

enum class Which { kOneCall, kAllFromOne };

// Makes each call of the operation fail in turn, and after the first 200 every step-th. allowed: the statuses that a
// failed operation may return.
void sweep(const char* name, const Operation& operation, Call call, int error, Which which,
           const std::set<bert_status>& allowed, size_t step = 1) {
  std::vector<float> expected(kNumbers), numbers(kNumbers);
  ASSERT_EQ(operation(expected), BERT_OK) << name << ": " << bert_error_message();
  current.operation = name;
  size_t n = 0, failed = 0;
  for (bool is_reached = true; is_reached; ++failed) {
    n += n < 200 ? 1 : step;
    current.fault = {call, n, which == Which::kAllFromOne, error};
    numbers.assign(kNumbers, 0);
    start_fault(current.fault);
    const bert_status status = operation(numbers);
    is_reached = stop_faults() >= n;
    const std::string where = std::string(name) + ", call " + std::to_string(n);
    if (status == BERT_OK) {
      ASSERT_EQ(numbers, expected) << where;
    } else {
      ASSERT_TRUE(allowed.contains(status)) << where << ": " << bert_error_message();
      ASSERT_STRNE(bert_error_message(), "");
    }
    numbers.assign(kNumbers, 0);
    ASSERT_EQ(operation(numbers), BERT_OK) << where << ", the next call: " << bert_error_message();
    ASSERT_EQ(numbers, expected) << where << ", the next call";
  }
  std::printf("%s: %zu calls of %s fail%s\n", name, failed - 1, kCallNames[static_cast<size_t>(call)].data(),
              which == Which::kAllFromOne ? ", and all after each" : "");
}

void sweep_memory(const char* name, const Operation& operation, size_t step = 1) {
  for (const Which which : {Which::kOneCall, Which::kAllFromOne}) {
    // BERT_IO is allowed because system calls need memory too.
    sweep(name, operation, Call::kMemory, ENOMEM, which, {BERT_OUT_OF_MEMORY, BERT_IO}, step);
  }
}

class Faults : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // A crash ends all tests, so it prints its place.
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS}) {
      std::signal(signal, [](int number) {
        stop_faults();
        std::fprintf(stderr, "signal %d in %s, %s call %zu%s\n", number, current.operation,
                     kCallNames[static_cast<size_t>(current.fault.call)].data(), current.fault.first,
                     current.fault.and_all_after ? " and all after it" : "");
        std::signal(number, SIG_DFL);
        std::raise(number);
      });
    }
  }

  Faults() {
    write_tiny_model(words_);
    write_tiny_model(pieces_);
    words_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
      {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
      {"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"}])");
    words_.write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens": true})");
    words_.write("config_sentence_transformers.json", R"({"prompts": {"query": "the quick "}})");
    words_.write("tokenizer_config.json", R"({"do_lower_case": true, "model_max_length": 20})");
    pieces_.write("tokenizer.json", R"({"added_tokens": [
        {"id": 2, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
         "special": true},
        {"id": 3, "content": "[SEP]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false,
         "special": true}],
      "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]},
      "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
      "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
      "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
      "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁the", -1], ["[CLS]", 0], ["[SEP]", 0],
        ["▁", -2], ["o", -3], ["e", -3], ["▁quick", -4], ["ox", -5], ["▁f", -5]]}})");
  }

  std::string words() const { return words_.path().string(); }
  std::string pieces() const { return pieces_.path().string(); }

  TemporaryDirectory words_, pieces_;
};

TEST_F(Faults, OfMemoryWhileLoading) {
  bert_load_options int8 = BERT_LOAD_OPTIONS_INIT;
  int8.precision = BERT_PRECISION_INT8;
  bert_load_options copied = BERT_LOAD_OPTIONS_INIT;
  copied.copy_weights = 1;
  copied.check_tensors = 1;
  sweep_memory("load", loading(words()));
  sweep_memory("load with 8 bits", loading(pieces(), int8));
  sweep_memory("load a copy", loading(pieces(), copied));
  sweep_memory("load a tokenizer of words", loading_tokenizer(words()));
  sweep_memory("load a tokenizer of pieces", loading_tokenizer(pieces()));
}

TEST_F(Faults, OfMemoryInUse) {
  for (const std::string& directory : {words(), pieces()}) {
    const OwnedModel model = load(directory);
    sweep_memory("embed", embedding(model.get()));
    sweep_memory("embed many", embedding_many(model.get(), 7));
    sweep_memory("encode", encoding(model.get()));
    sweep_memory("tokenize", tokenizing(model.get()));
    sweep_memory("decode", decoding(model.get()));
  }
}

TEST_F(Faults, OfMemoryInTasks) {
  const TemporaryDirectory tagger, classifier;
  write_firing_tagger(tagger, {{"fox", "B-ANIMAL"}, {"dog", "B-PET"}});
  write_tiny_classifier(classifier, {"contradiction", "neutral", "entailment"});
  const OwnedModel tags = load(tagger.path().string()), classes = load(classifier.path().string()),
                   vectors = load(words());
  sweep_memory("tag", running(tags.get(), "tag", R"({"aggregation": "first", "scheme": "iob"})"));
  sweep_memory("redact", running(tags.get(), "redact", R"({"expressions": ["A=fox"], "replace": "{label}"})"));
  sweep_memory("classify", running(classes.get(), "classify", R"({"top_k": 2})"));
  sweep_memory("zero_shot", running(classes.get(), "zero_shot", R"({"labels": ["the quick fox", "dog"]})"));
  sweep_memory("rerank", running(vectors.get(), "rerank", R"({"query": "the quick fox", "top_k": 2})"));
  bert_task* task = nullptr;
  ASSERT_EQ(bert_task_new(tags.get(), "tag", &task), BERT_OK);
  sweep_memory("stream", streaming(task));
  bert_task_free(task);
}

// There are enough texts for two batches, so that a helper tokenises and encodes too. All texts make the same calls.
TEST_F(Faults, OfMemoryInAHelper) {
  const OwnedModel model = load(words());
  sweep_memory("embed in two threads", embedding_many(model.get(), 120), 7);
}

// The test takes minutes, so it runs only with --gtest_also_run_disabled_tests.
TEST_F(Faults, DISABLED_OfMemoryInEveryModel) {
  for (const char* folder : {"family", "family_modern"}) {
    BERT_TEST_DATA_OR_SKIP(models, folder);
    for (const auto& entry : std::filesystem::directory_iterator(models)) {
      const std::string name = entry.path().string();
      bert_model* model = nullptr;
      if (bert_model_load(name.c_str(), nullptr, &model) != BERT_OK) continue;  // skips the data's invalid models
      bert_model_free(model);
      sweep_memory(name.c_str(), loading(name));
    }
  }
}

TEST_F(Faults, OfFiles) {
  bert_load_options copied = BERT_LOAD_OPTIONS_INIT;
  copied.copy_weights = 1;
  for (const bert_load_options& options : {bert_load_options BERT_LOAD_OPTIONS_INIT, copied}) {
    const Operation operation = loading(words(), options);
    for (const Which which : {Which::kOneCall, Which::kAllFromOne}) {
      for (const Call call : {Call::kOpen, Call::kRead, Call::kStatus}) {
        sweep("load", operation, call, EIO, which, {BERT_IO});
      }
      sweep("load", operation, Call::kMap, ENOMEM, which, {BERT_IO, BERT_OUT_OF_MEMORY});
      sweep("load", operation, Call::kRead, kShort, which, {});
    }
    for (const Call call : {Call::kOpen, Call::kRead, Call::kClose}) {
      sweep("load", operation, call, EINTR, Which::kOneCall, {});
    }
  }
}

// By default the library uses the threads that it could create, and adds a notice.
TEST_F(Faults, OfThreads) {
  bert_load_options three = BERT_LOAD_OPTIONS_INIT;
  three.threads = 3;
  for (const Which which : {Which::kOneCall, Which::kAllFromOne}) {
    sweep("load with three threads", loading(words(), three), Call::kThread, EAGAIN, which, {BERT_IO});
    sweep("load", loading(words()), Call::kThread, EAGAIN, which, {});
    const OwnedModel model = load(words(), three);
    sweep("embed", embedding_many(model.get(), 120), Call::kThread, EAGAIN, which, {});
  }
}

TEST_F(Faults, OfThreadsAreANotice) {
  start_fault({Call::kThread, 1, true, EAGAIN});
  const OwnedModel model = load(words());
  if (stop_faults() == 0) GTEST_SKIP() << "SKIPPED, one core";
  ASSERT_NE(bert_model_notice(model.get(), 0), nullptr);
  EXPECT_TRUE(std::string(bert_model_notice(model.get(), 0)).starts_with("created 1 of "));
}

}  // namespace
}  // namespace bert::test
