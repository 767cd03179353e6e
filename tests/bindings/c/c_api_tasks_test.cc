// Tests bert/bert_tasks.h: tasks by name, their options, runs and results, and wrong calls. cases_test compares the
// results with those of the C++ library.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bert/bert_tasks.h"
#include "bert/task_settings.h"
#include "bert/text_tasks.h"
#include "tests/support/firing_models.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

using ModelHandle = std::unique_ptr<bert_model, decltype(&bert_model_free)>;
using TaskHandle = std::unique_ptr<bert_task, decltype(&bert_task_free)>;
using ResultsHandle = std::unique_ptr<bert_results, decltype(&bert_results_free)>;

bert_text view_of(const std::string& text) { return {text.data(), text.size()}; }
bert_input input_of(const std::string& text) { return {view_of(text), {nullptr, 0}, nullptr, 0}; }
// The input keeps a pointer to the text.
bert_input literal(const char* text) { return {{text, BERT_TO_NUL}, {nullptr, 0}, nullptr, 0}; }

ModelHandle load_model(const std::function<void(const test::TemporaryDirectory&)>& write,
                       const bert_load_options* options = nullptr) {
  bert_model* model = nullptr;
  const test::TemporaryDirectory directory;
  if (write) write(directory);
  EXPECT_EQ(bert_model_load(write ? directory.path().c_str() : nullptr, options, &model), BERT_OK)
      << bert_error_message();
  return {model, bert_model_free};
}

void write_classes(const test::TemporaryDirectory& directory) {
  test::write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
}
void write_foxes(const test::TemporaryDirectory& directory) {
  test::write_firing_tagger(directory, {{"fox", "B-ANIMAL"}, {"dog", "B-PET"}});
}

// Writes a small BERT with a linear head of `outputs` outputs.
void write_head(const test::TemporaryDirectory& directory, const std::string& task, const std::string& name,
                size_t outputs) {
  const test::TinyModel model{.architectures = {"BertFor" + task}};
  test::write_tiny_model(directory, model, [&](test::TinyTensors& tensors) {
    std::vector<float> weights(outputs * model.hidden);
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = std::sin(static_cast<float>(i));
    tensors[name + ".weight"] = {{outputs, model.hidden}, weights};
    tensors[name + ".bias"] = {{outputs}, std::vector<float>(outputs, 0)};
  });
}

TaskHandle make_task(const ModelHandle& model, const char* name, const std::string& options = "{}") {
  bert_task* task = nullptr;
  EXPECT_EQ(bert_task_new(model.get(), name, &task), BERT_OK) << bert_error_message();
  EXPECT_EQ(bert_task_set_json(task, options.data(), options.size()), BERT_OK) << bert_error_message();
  return {task, bert_task_free};
}

void expect_refused(bert_status expected, bert_status found, const std::string& words) {
  EXPECT_EQ(found, expected) << words;
  const std::string message = bert_error_message();
  EXPECT_NE(message.find(words), std::string::npos) << message << "\nexpected: " << words;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

ResultsHandle run_of(const TaskHandle& task, const std::vector<bert_input>& inputs,
                     const bert_run_options* options = nullptr) {
  bert_results* results = nullptr;
  EXPECT_EQ(bert_task_run(task.get(), inputs.data(), inputs.size(), options, &results), BERT_OK)
      << bert_error_message();
  EXPECT_EQ(bert_results_count(results), inputs.size());
  return {results, bert_results_free};
}

void expect_run_refused(const TaskHandle& task, const std::vector<bert_input>& inputs, bert_status expected,
                        const std::string& words, const bert_run_options* options = nullptr) {
  bert_results* results = nullptr;
  expect_refused(expected, bert_task_run(task.get(), inputs.data(), inputs.size(), options, &results), words);
  EXPECT_EQ(results, nullptr);
  bert_results_free(results);
}

std::span<const bert_item> items_of(const bert_results* results, size_t input = 0) {
  size_t count = 0;
  const bert_item* items = bert_results_items(results, input, &count);
  return {items, count};
}
std::span<const bert_item> items_of(const ResultsHandle& results, size_t input = 0) {
  return items_of(results.get(), input);
}

std::vector<size_t> ranking_of(const ResultsHandle& results) {
  size_t count = 0;
  const size_t* const ranking = bert_results_ranking(results.get(), &count);
  return {ranking, ranking + count};
}

// Returns an input's results as bytes, to compare them with another's.
std::string shown(const bert_results* results, size_t input = 0) {
  std::string all = bert_results_message(results, input);
  for (const bert_item& item : items_of(results, input)) {
    for (const double number : {item.score, static_cast<double>(item.index), static_cast<double>(item.id),
                                static_cast<double>(item.start), static_cast<double>(item.end)}) {
      all.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    if (item.text != nullptr) all.append(item.text, item.text_bytes);
  }
  const char* text = bert_results_text(results, input, nullptr);
  return all + (text == nullptr ? "" : text);
}

TEST(CApiTaskOptions, NamesThatAreUnknownAreRefusedWithTheKnownOnes) {
  const ModelHandle model = load_model(write_classes);
  bert_task* task = nullptr;
  expect_refused(BERT_INVALID_ARGUMENT, bert_task_new(model.get(), "tags", &task),
                 "task 'tags', expected one of classify, zero_shot, tag, ");
  EXPECT_EQ(task, nullptr);
  const TaskHandle classify = make_task(model, "classify");
  for (const bert_status status :
       {bert_task_set_size(classify.get(), "topk", 1), bert_task_set_word(classify.get(), "topk", "a"),
        bert_task_set_double(classify.get(), "topk", 1), bert_task_set_bool(classify.get(), "topk", 1),
        bert_task_set_texts(classify.get(), "topk", nullptr, 0),
        bert_task_set_json(classify.get(), R"({"topk": 1})", BERT_TO_NUL)}) {
    expect_refused(BERT_INVALID_ARGUMENT, status, "option 'topk' of classify, expected one of labels, names, ");
  }
  expect_refused(BERT_INVALID_ARGUMENT, bert_task_set_word(classify.get(), "long_text", "windows "),
                 "option long_text: found 'windows ', expected one of cut, windows, error");
}

// Sets every option of every task to a value of each other type, by each setter.
TEST(CApiTaskOptions, ValuesOfAnotherTypeAreRefused) {
  const ModelHandle model = load_model(write_classes);
  const bert_text two[] = {{"a", BERT_TO_NUL}, {"b", BERT_TO_NUL}};
  size_t refused = 0;
  for (const auto& described : nlohmann::json::parse(bert_tasks_json())) {
    const std::string name = described["name"];
    const TaskHandle task = make_task(model, name.c_str());
    for (const auto& option : described["options"]) {
      const std::string called = option["name"], type = option["type"];
      const auto check = [&](bert_status found, bool fits) {
        if (fits) {
          EXPECT_EQ(found, BERT_OK) << name << " " << called << ": " << bert_error_message();
        } else {
          expect_refused(BERT_INVALID_ARGUMENT, found, "option " + called + ": found ");
          ++refused;
        }
      };
      const std::string word = type == "word" ? option["words"][0] : "a";
      check(bert_task_set_bool(task.get(), called.c_str(), 1), type == "flag");
      check(bert_task_set_size(task.get(), called.c_str(), 1), type == "size" || type == "number");
      check(bert_task_set_double(task.get(), called.c_str(), 0.25), type == "number");
      check(bert_task_set_word(task.get(), called.c_str(), word.c_str()), type == "word" || type == "text");
      check(bert_task_set_texts(task.get(), called.c_str(), two, 1), type == "text" || type == "texts");
      check(bert_task_set_texts(task.get(), called.c_str(), two, 2), type == "texts");
      for (const auto& [fits, json] : std::map<std::string, std::string>{
               {"flag", "true"}, {"size", "1"}, {"number", "0.5"}, {"word", '"' + word + '"'}, {"texts", R"(["a"])"}}) {
        const std::string object = "{\"" + called + "\": " + json + "}";
        const bool is_one = fits == type || (fits == "size" && type == "number") || (fits == "word" && type == "text");
        check(bert_task_set_json(task.get(), object.c_str(), BERT_TO_NUL), is_one);
      }
      const std::string object = "{\"" + called + "\": {}}";
      check(bert_task_set_json(task.get(), object.c_str(), BERT_TO_NUL), false);
      check(bert_task_set_json(task.get(), ("{\"" + called + "\": [1]}").c_str(), BERT_TO_NUL), false);
    }
  }
  EXPECT_GT(refused, 300u);
}

TEST(CApiTaskOptions, NumbersOutOfRangeAreRefused) {
  const ModelHandle model = load_model(write_foxes);
  const TaskHandle tag = make_task(model, "tag"), classify = make_task(model, "classify");
  for (const double number : {-1.0, 2.0, -1e-300, std::nan(""), std::numeric_limits<double>::infinity()}) {
    expect_refused(BERT_INVALID_ARGUMENT, bert_task_set_double(tag.get(), "threshold", number),
                   "option threshold: found ");
    EXPECT_NE(std::string(bert_error_message()).find("expected a number from 0 to 1"), std::string::npos);
  }
  expect_refused(BERT_INVALID_ARGUMENT, bert_task_set_size(tag.get(), "threshold", 2), "option threshold: found 2");
  expect_refused(BERT_INVALID_ARGUMENT, bert_task_set_json(tag.get(), R"({"threshold": 1.5})", BERT_TO_NUL),
                 "option threshold: found 1.5");
  expect_refused(BERT_INVALID_ARGUMENT, bert_task_set_size(classify.get(), "top_k", 0),
                 "option top_k: found 0, expected a whole number of at least 1");
  expect_refused(BERT_INVALID_ARGUMENT, bert_task_set_json(classify.get(), R"({"top_k": -1})", BERT_TO_NUL),
                 "option top_k: found -1");
  expect_refused(BERT_INVALID_ARGUMENT, bert_task_set_json(classify.get(), R"({"top_k": 1.5})", BERT_TO_NUL),
                 "option top_k: found 1.5");
}

TEST(CApiTaskOptions, JsonIsAnObjectOrRefusedAsAWhole) {
  const ModelHandle model = load_model(write_classes);
  const TaskHandle classify = make_task(model, "classify");
  for (const char* json : {"", "{", "[]", "1", "null", R"({"top_k": 1,})", R"({"top_k": 1} x)", "{\"top_k\": \xff}"}) {
    expect_refused(BERT_INVALID_ARGUMENT, bert_task_set_json(classify.get(), json, BERT_TO_NUL), "the options");
  }
  expect_refused(BERT_INVALID_ARGUMENT, bert_task_set_json(classify.get(), nullptr, 3), "json is null");
  // A wrong member leaves the right one before it unset too. null leaves the default. The call reads 28 bytes and no
  // more.
  expect_refused(BERT_INVALID_ARGUMENT,
                 bert_task_set_json(classify.get(), R"({"top_k": 1, "stride": "a"})", BERT_TO_NUL),
                 "option stride: found");
  EXPECT_EQ(items_of(run_of(classify, {literal("the fox")})).size(), 3u);
  EXPECT_EQ(bert_task_set_json(classify.get(), R"({"top_k": 2, "stride": null})))", 28), BERT_OK)
      << bert_error_message();
  EXPECT_EQ(items_of(run_of(classify, {literal("the fox")})).size(), 2u);
}

TEST(CApiTaskOptions, OptionsThatNeedOrExcludeOthersAreCheckedByTheRun) {
  const ModelHandle model = load_model(write_classes), builtin = load_model({});
  const bert_input input = literal("the fox");
  expect_run_refused(make_task(model, "zero_shot"), {input}, BERT_INVALID_ARGUMENT,
                     "option labels of zero_shot is missing, expected a list of texts");
  expect_run_refused(make_task(builtin, "rerank"), {input}, BERT_INVALID_ARGUMENT,
                     "option query of rerank is missing, expected a text");
  expect_run_refused(make_task(model, "classify", R"({"multi_label": true})"), {input}, BERT_INVALID_ARGUMENT,
                     "option multi_label of classify without labels, expected both or none");
  expect_run_refused(make_task(builtin, "rerank", R"({"query": "a", "prompt": "q", "prompt_text": "r"})"), {input},
                     BERT_INVALID_ARGUMENT, "option prompt of rerank beside prompt_text, expected one of them");
  expect_run_refused(make_task(builtin, "tag", R"({"labels": ["a"], "scheme": "iob"})"), {input}, BERT_INVALID_ARGUMENT,
                     "option scheme of tag beside labels, expected one of them");
  expect_run_refused(make_task(model, "zero_shot", R"({"labels": []})"), {input}, BERT_INVALID_ARGUMENT,
                     "no candidate labels");
  expect_run_refused(make_task(model, "zero_shot", R"({"labels": ["a"], "hypothesis_template": "no place"})"), {input},
                     BERT_INVALID_ARGUMENT, "hypothesis template 'no place'");
  expect_run_refused(make_task(model, "classify", R"({"stride": 3, "long_text": "cut"})"), {input},
                     BERT_INVALID_ARGUMENT, "a stride of 3 without windows");
  expect_run_refused(make_task(model, "fill_mask"), {input}, BERT_NOT_FOUND, "");
}

TEST(CApiTaskOptions, SettersAfterARunTakeEffect) {
  const ModelHandle model = load_model(write_classes);
  const TaskHandle classify = make_task(model, "classify");
  const bert_input input = literal("the quick fox");
  EXPECT_EQ(items_of(run_of(classify, {input})).size(), 3u);
  ASSERT_EQ(bert_task_set_size(classify.get(), "top_k", 1), BERT_OK);
  EXPECT_EQ(items_of(run_of(classify, {input})).size(), 1u);
  ASSERT_EQ(bert_task_set_json(classify.get(), R"({"top_k": 2})", BERT_TO_NUL), BERT_OK);
  EXPECT_EQ(items_of(run_of(classify, {input})).size(), 2u);
  // A refused call changes no option.
  EXPECT_EQ(bert_task_set_size(classify.get(), "top_k", 0), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(items_of(run_of(classify, {input})).size(), 2u);
}

TEST(CApiTasks, NullIsAnErrorOrNothing) {
  const ModelHandle model = load_model(write_classes);
  const TaskHandle classify = make_task(model, "classify");
  bert_task* task = nullptr;
  bert_results* results = nullptr;
  const bert_text text = {"a", 1};
  const bert_input input = literal("a");
  const bert_next next = [](void*, bert_input*) { return 0; };
  const bert_give give = [](void*, size_t, const bert_results*) { return 1; };
  const std::pair<bert_status, const char*> refused[] = {
      {bert_task_new(nullptr, "tag", &task), ""},
      {bert_task_new(model.get(), nullptr, &task), ""},
      {bert_task_new(model.get(), "tag", nullptr), ""},
      {bert_task_set_word(nullptr, "long_text", "cut"), ""},
      {bert_task_set_word(classify.get(), nullptr, "cut"), ""},
      {bert_task_set_word(classify.get(), "long_text", nullptr), ""},
      {bert_task_set_size(nullptr, "top_k", 1), ""},
      {bert_task_set_size(classify.get(), nullptr, 1), ""},
      {bert_task_set_double(nullptr, "top_k", 1), ""},
      {bert_task_set_double(classify.get(), nullptr, 1), ""},
      {bert_task_set_bool(nullptr, "multi_label", 1), ""},
      {bert_task_set_bool(classify.get(), nullptr, 1), ""},
      {bert_task_set_texts(nullptr, "labels", &text, 1), ""},
      {bert_task_set_texts(classify.get(), nullptr, &text, 1), ""},
      {bert_task_set_texts(classify.get(), "labels", nullptr, 1), ""},
      {bert_task_set_json(nullptr, "{}", 2), ""},
      {bert_task_run(nullptr, &input, 1, nullptr, &results), ""},
      {bert_task_run(classify.get(), nullptr, 1, nullptr, &results), ""},
      {bert_task_run(classify.get(), &input, 1, nullptr, nullptr), ""},
      {bert_task_stream(nullptr, next, give, nullptr, nullptr), ""},
      {bert_task_stream(classify.get(), nullptr, give, nullptr, nullptr), ""},
      {bert_task_stream(classify.get(), next, nullptr, nullptr, nullptr), ""}};
  for (const auto& [status, unused] : refused) EXPECT_EQ(status, BERT_INVALID_ARGUMENT) << unused;
  EXPECT_EQ(task, nullptr);
  EXPECT_EQ(results, nullptr);
  size_t count = 7;
  EXPECT_EQ(bert_results_count(nullptr), 0u);
  EXPECT_EQ(bert_results_status(nullptr, 0), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_results_message(nullptr, 0), nullptr);
  EXPECT_EQ(bert_results_truncated_tokens(nullptr, 0), 0u);
  EXPECT_EQ(bert_results_items(nullptr, 0, &count), nullptr);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(bert_results_text(nullptr, 0, &(count = 7)), nullptr);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(bert_results_json(nullptr, 0), nullptr);
  EXPECT_EQ(bert_results_ranking(nullptr, &(count = 7)), nullptr);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(bert_model_reads_labels(nullptr, "tag"), 0);
  EXPECT_EQ(bert_model_reads_labels(model.get(), nullptr), 0);
  EXPECT_EQ(bert_model_mask_id(nullptr), -1);
  bert_task_free(nullptr);
  bert_results_free(nullptr);
  // An input past the last has no results, and a null argument for the count is accepted.
  const ResultsHandle one = run_of(classify, {input});
  EXPECT_EQ(bert_results_status(one.get(), 1), BERT_INVALID_ARGUMENT);
  EXPECT_EQ(bert_results_message(one.get(), 1), nullptr);
  EXPECT_EQ(bert_results_items(one.get(), 1, nullptr), nullptr);
  EXPECT_NE(bert_results_items(one.get(), 0, nullptr), nullptr);
  EXPECT_EQ(bert_results_text(one.get(), 0, nullptr), nullptr);
  EXPECT_EQ(bert_results_json(one.get(), 0), nullptr);
  EXPECT_EQ(bert_results_ranking(one.get(), nullptr), nullptr);
}

TEST(CApiTasks, InputsWithWhatTheTaskDoesNotReadAreRefused) {
  const ModelHandle model = load_model(write_foxes), reader = load_model(test::write_tiny_reader);
  const TaskHandle tag = make_task(model, "tag"), answer = make_task(reader, "answer");
  const bert_text words[] = {{"the", BERT_TO_NUL}, {"fox", BERT_TO_NUL}};
  const bert_input good = literal("a fox"), pair = {{"a", 1}, {"b", 1}, nullptr, 0};
  const bert_input list = {{nullptr, 0}, {nullptr, 0}, words, 2}, both = {{"a", 1}, {nullptr, 0}, words, 2};
  expect_run_refused(tag, {good, pair}, BERT_INVALID_ARGUMENT,
                     "inputs[1]: pair given, expected none: tag reads a text or words");
  expect_run_refused(tag, {both}, BERT_INVALID_ARGUMENT, "a text beside words, expected one of them");
  expect_run_refused(answer, {list}, BERT_INVALID_ARGUMENT, "words given, expected none: answer reads a pair");
  expect_run_refused(answer, {pair, good}, BERT_INVALID_ARGUMENT,
                     "inputs[1]: pair is null, expected a text: answer reads a pair");
  expect_run_refused(tag, {{{nullptr, 3}, {nullptr, 0}, nullptr, 0}}, BERT_INVALID_ARGUMENT, "text is null");
  expect_run_refused(tag, {{{"a", SIZE_MAX - 1}, {nullptr, 0}, nullptr, 0}}, BERT_INVALID_ARGUMENT,
                     "text has 18446744073709551614 bytes");
  bert_results* results = nullptr;
  expect_refused(BERT_INVALID_ARGUMENT, bert_task_run(tag.get(), &good, SIZE_MAX, nullptr, &results),
                 "count is 18446744073709551615, expected at most");
  const bert_text missing[] = {{nullptr, 2}};
  expect_run_refused(tag, {{{nullptr, 0}, {nullptr, 0}, missing, 1}}, BERT_INVALID_ARGUMENT, "words is null");
  bert_run_options options = BERT_RUN_OPTIONS_INIT;
  options.offset_unit = 3;
  expect_run_refused(tag, {good}, BERT_INVALID_ARGUMENT, "offset_unit is 3, expected 0 to 2", &options);
  options.offset_unit = -1;
  expect_run_refused(tag, {good}, BERT_INVALID_ARGUMENT, "offset_unit is -1, expected 0 to 2", &options);
  options.struct_bytes = 1;
  expect_run_refused(tag, {good}, BERT_INVALID_ARGUMENT, "struct_bytes is 1", &options);
  const ResultsHandle none = run_of(tag, {});
  EXPECT_EQ(bert_results_count(none.get()), 0u);
}

TEST(CApiTasks, ManyInputsEqualOneAtATimeAndFailedOnesHaveTheirMessages) {
  const ModelHandle model = load_model(write_foxes);
  const TaskHandle tag = make_task(model, "tag", R"({"long_text": "error"})");
  const std::string long_text = test::text_with_foxes(90, {3});
  std::vector<std::string> texts = {"the fox", "", "\xff", "dog and fox", long_text};
  for (size_t i = 0; i < 60; ++i) texts.push_back(test::text_with_foxes(i % 18 + 2, {i % 18}));
  std::vector<bert_input> inputs;
  for (const std::string& text : texts) inputs.push_back(input_of(text));
  bert_results* made = nullptr;
  expect_refused(BERT_INVALID_TEXT, bert_task_run(tag.get(), inputs.data(), inputs.size(), nullptr, &made),
                 "inputs[2]: text: not valid UTF-8");
  const ResultsHandle all(made, bert_results_free);
  ASSERT_EQ(bert_results_count(made), texts.size());
  size_t failed = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    bert_results* one = nullptr;
    const bert_status status = bert_task_run(tag.get(), &inputs[i], 1, nullptr, &one);
    const ResultsHandle owned(one, bert_results_free);
    EXPECT_EQ(status, bert_results_status(made, i)) << i;
    if (status != BERT_OK) {
      EXPECT_STREQ(bert_error_message(), bert_results_message(made, i));
      EXPECT_TRUE(items_of(made, i).empty());
      ++failed;
    } else {
      EXPECT_STREQ(bert_results_message(made, i), "");
    }
    EXPECT_EQ(shown(one), shown(made, i)) << i;
  }
  EXPECT_EQ(failed, 2u);
  EXPECT_EQ(items_of(made, 3).size(), 2u);
  EXPECT_EQ(items_of(made, 3)[0].text, std::string("PET"));
  EXPECT_EQ(items_of(made, 3)[1].start, 8u);
}

TEST(CApiTasks, LabelsAreTheCallersByTheirPlaces) {
  const ModelHandle classes = load_model(write_classes);
  const ModelHandle gliclass = load_model([](const auto& directory) { test::write_tiny_gliclass(directory); });
  const ModelHandle gliner = load_model(test::write_firing_gliner);
  EXPECT_EQ(bert_model_reads_labels(gliner.get(), "tag"), 1);
  EXPECT_EQ(bert_model_reads_labels(gliner.get(), "redact"), 1);
  EXPECT_EQ(bert_model_reads_labels(gliner.get(), "classify"), 0);
  EXPECT_EQ(bert_model_reads_labels(gliclass.get(), "classify"), 1);
  EXPECT_EQ(bert_model_reads_labels(gliclass.get(), "zero_shot"), 0);
  EXPECT_EQ(bert_model_reads_labels(classes.get(), "classify"), 0);
  const std::string text = "the quick brown fox";
  const std::vector<std::string> labels = {"dog", "coding", "dog"};
  for (const auto& [model, task] : {std::pair(&classes, "zero_shot"), {&gliclass, "classify"}, {&gliner, "tag"}}) {
    const ResultsHandle results =
        run_of(make_task(*model, task, nlohmann::json{{"labels", labels}}.dump()), {input_of(text)});
    ASSERT_FALSE(items_of(results).empty()) << task;
    for (const bert_item& item : items_of(results)) {
      EXPECT_EQ(item.text, labels[item.index]) << task;
      EXPECT_EQ(item.text_bytes, labels[item.index].size());
      EXPECT_LT(item.index, 2u);  // a repeated label has its first index
    }
  }
  const ResultsHandle named =
      run_of(make_task(gliner, "tag", R"({"labels": ["dog", "coding"], "names": ["PET", "WORK"]})"), {input_of(text)});
  ASSERT_EQ(items_of(named).size(), 1u);
  EXPECT_STREQ(items_of(named)[0].text, "WORK");
  EXPECT_EQ(items_of(named)[0].index, 1u);
  expect_run_refused(make_task(classes, "classify", R"({"labels": ["a"]})"), {input_of(text)}, BERT_UNSUPPORTED,
                     "does not read labels");
  expect_run_refused(make_task(classes, "tag", R"({"labels": ["a"]})"), {input_of(text)}, BERT_UNSUPPORTED,
                     "does not read labels");
}

TEST(CApiTasks, LoadingLimitsWordsAndWidthOfEntities) {
  bert_load_options options = BERT_LOAD_OPTIONS_INIT;
  options.max_words = 3;
  options.max_width = 1;
  const ModelHandle model = load_model([](const auto& directory) { test::write_tiny_gliner(directory); }, &options);
  const std::string text = "the quick fox jumps over the lazy dog";
  const ResultsHandle results =
      run_of(make_task(model, "tag", R"({"labels": ["dog", "fox"], "threshold": 0.01, "long_text": "cut"})"),
             {input_of(text)});
  ASSERT_FALSE(items_of(results).empty());
  for (const bert_item& item : items_of(results)) {
    EXPECT_LE(item.end, std::string("the quick fox").size());
    EXPECT_EQ(text.substr(item.start, item.end - item.start).find(' '), std::string::npos);
  }
}

TEST(CApiTasks, LongTextsAreCutWithACountOrReadInWindowsOrRefused) {
  const ModelHandle model = load_model(write_classes);
  const size_t most = bert_model_max_length(model.get());
  const std::string text = test::text_with_foxes(60, {50});  // each word is one token
  const ResultsHandle cut = run_of(make_task(model, "classify"), {input_of(text), literal("the fox")});
  EXPECT_EQ(bert_results_truncated_tokens(cut.get(), 0), 62 - most);
  EXPECT_EQ(bert_results_truncated_tokens(cut.get(), 1), 0u);
  expect_refused(
      BERT_INVALID_TEXT,
      [&] {
        bert_results* results = nullptr;
        const bert_input input = input_of(text);
        const TaskHandle task = make_task(model, "classify", R"({"long_text": "error"})");
        const bert_status status = bert_task_run(task.get(), &input, 1, nullptr, &results);
        bert_results_free(results);
        return status;
      }(),
      "tokens");
  const ResultsHandle windows = run_of(make_task(model, "classify", R"({"long_text": "windows"})"), {input_of(text)});
  EXPECT_EQ(bert_results_truncated_tokens(windows.get(), 0), 0u);
  EXPECT_NE(items_of(windows)[0].score, items_of(cut)[0].score);
  // The hypothesis of a label leaves less room for the text; the count is that of the longest hypothesis.
  const ResultsHandle zero =
      run_of(make_task(model, "zero_shot", R"({"labels": ["fox", "the dog"]})"), {input_of(text)});
  EXPECT_GT(bert_results_truncated_tokens(zero.get(), 0), 62 - most);
  EXPECT_LT(bert_results_truncated_tokens(zero.get(), 0), 60u);
}

TEST(CApiTasks, WordsHaveALabelEach) {
  const ModelHandle model = load_model(write_foxes);
  const bert_text words[] = {{"the", BERT_TO_NUL}, {"fox", BERT_TO_NUL}, {"and", BERT_TO_NUL}, {"dogxyz", 3}};
  const ResultsHandle results =
      run_of(make_task(model, "tag"), {{{nullptr, 0}, {nullptr, 0}, words, 4}, {{nullptr, 0}, {nullptr, 0}, words, 0}});
  ASSERT_EQ(items_of(results).size(), 4u);
  const char* expected[] = {"O", "B-ANIMAL", "O", "B-PET"};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_STREQ(items_of(results)[i].text, expected[i]);
    EXPECT_EQ(items_of(results)[i].index, i);
    EXPECT_GT(items_of(results)[i].score, 0.5);
  }
  EXPECT_TRUE(items_of(results, 1).empty());
}

TEST(CApiTasks, RedactedTextsHaveWhatWasReplaced) {
  const ModelHandle model = load_model(write_foxes);
  bert_run_options options = BERT_RUN_OPTIONS_INIT;
  options.offset_unit = BERT_UTF16;
  const ResultsHandle results = run_of(make_task(model, "redact"), {literal("🎻 a fox, the dog")}, &options);
  size_t bytes = 0;
  EXPECT_STREQ(bert_results_text(results.get(), 0, &bytes), "🎻 a <ANIMAL>, the <PET>");
  EXPECT_EQ(bytes, std::string("🎻 a <ANIMAL>, the <PET>").size());
  ASSERT_EQ(items_of(results).size(), 2u);
  EXPECT_STREQ(items_of(results)[0].text, "ANIMAL");
  EXPECT_EQ(items_of(results)[0].start, 5u);
  EXPECT_EQ(items_of(results)[0].end, 8u);
}

TEST(CApiTasks, RankingsHaveTheBestFirstAndAtMostTopK) {
  const ModelHandle model = load_model({});
  const TaskHandle rerank = make_task(model, "rerank", R"({"query": "a cat on a mat"})");
  const std::vector<bert_input> documents = {literal("Stocks fell."), literal("A cat sat on the mat."), literal("cats"),
                                             literal("")};
  const ResultsHandle results = run_of(rerank, documents);
  const std::vector<size_t> ranking = ranking_of(results);
  ASSERT_EQ(ranking.size(), 4u);
  EXPECT_EQ(ranking[0], 1u);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_GE(items_of(results, ranking[i - 1])[0].score, items_of(results, ranking[i])[0].score);
  }
  EXPECT_EQ(items_of(results)[0].text, nullptr);
  ASSERT_EQ(bert_task_set_size(rerank.get(), "top_k", 2), BERT_OK);
  EXPECT_EQ(ranking_of(run_of(rerank, documents)), std::vector(ranking.begin(), ranking.begin() + 2));
  EXPECT_TRUE(ranking_of(run_of(rerank, {})).empty());
  // A failed input is not in the ranking.
  std::vector<bert_input> some = documents;
  some[0] = literal("\xff");
  ASSERT_EQ(bert_task_set_size(rerank.get(), "top_k", 9), BERT_OK);
  bert_results* made = nullptr;
  expect_refused(BERT_INVALID_TEXT, bert_task_run(rerank.get(), some.data(), some.size(), nullptr, &made),
                 "inputs[0]: text: not valid UTF-8");
  const ResultsHandle owned(made, bert_results_free);
  EXPECT_EQ(ranking_of(owned).size(), 3u);
  EXPECT_EQ(ranking_of(owned)[0], 1u);
  expect_run_refused(make_task(model, "rerank", R"({"query": "a", "relevant_label": "yes"})"), documents,
                     BERT_INVALID_ARGUMENT, "a relevant label given, expected none");
  const std::string wrong = "\xff";
  const TaskHandle broken = make_task(model, "rerank");
  ASSERT_EQ(bert_task_set_word(broken.get(), "query", wrong.c_str()), BERT_OK);
  expect_run_refused(broken, documents, BERT_INVALID_TEXT, "UTF-8");
}

TEST(CApiTasks, ChoicesShareOneAndAreNotStreamed) {
  const ModelHandle model =
      load_model([](const auto& directory) { write_head(directory, "MultipleChoice", "classifier", 1); });
  const TaskHandle choose = make_task(model, "choose", R"({"text": "The cat sat down."})");
  bert_run_options options = BERT_RUN_OPTIONS_INIT;
  options.json = 1;
  const ResultsHandle results = run_of(choose, {literal("It slept."), literal("Stocks fell."), literal("a")}, &options);
  double sum = 0;
  for (size_t i = 0; i < 3; ++i) {
    sum += items_of(results, i)[0].score;
    EXPECT_NEAR(std::stod(bert_results_json(results.get(), i)), items_of(results, i)[0].score, 1e-6);
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(ranking_of(results).size(), 3u);
  expect_refused(BERT_UNSUPPORTED,
                 bert_task_stream(
                     choose.get(), [](void*, bert_input*) { return 0; },
                     [](void*, size_t, const bert_results*) { return 1; }, nullptr, nullptr),
                 "choose compares all of its inputs, expected bert_task_run");
}

TEST(CApiTasks, JsonIsWhatTheProgramPrints) {
  const ModelHandle classes = load_model(write_classes), foxes = load_model(write_foxes),
                    reader = load_model(test::write_tiny_reader), builtin = load_model({});
  bert_run_options options = BERT_RUN_OPTIONS_INIT;
  options.json = 1;
  options.offset_unit = BERT_CODE_POINTS;
  const bert_input text = literal("é a fox"), pair = {{"the dog", 7}, {"a fox", 5}, nullptr, 0};
  const auto json = [&](const ModelHandle& model, const char* task, const char* settings, const bert_input& input) {
    const ResultsHandle results = run_of(make_task(model, task, settings), {input}, &options);
    const char* printed = bert_results_json(results.get(), 0);
    return nlohmann::json::parse(printed == nullptr ? "null" : printed);
  };
  EXPECT_EQ(json(classes, "classify", R"({"top_k": 2})", text).size(), 2u);
  EXPECT_EQ(json(classes, "zero_shot", R"({"labels": ["b"]})", text)[0]["label"], "b");
  const auto entity = json(foxes, "tag", "{}", text)[0];
  EXPECT_EQ(entity["entity"], "ANIMAL");
  EXPECT_EQ(entity["start"], 4);
  const bert_text words[] = {{"fox", 3}};
  EXPECT_EQ(json(foxes, "tag", "{}", {{nullptr, 0}, {nullptr, 0}, words, 1})[0]["word"], "fox");
  EXPECT_EQ(json(builtin, "fill_mask", R"({"top_k": 1})", literal("a [MASK]"))[0][0].size(), 4u);
  EXPECT_EQ(json(reader, "answer", "{}", pair).size(), 1u);
  EXPECT_TRUE(json(builtin, "rerank", R"({"query": "fox"})", text).is_number());
  const auto redacted = json(foxes, "redact", "{}", text);
  EXPECT_EQ(redacted["text"], "é a <ANIMAL>");
  EXPECT_EQ(redacted["replaced"][0]["start"], 4);
  const ModelHandle pairs = load_model(
      [](const auto& directory) { write_head(directory, "NextSentencePrediction", "cls.seq_relationship", 2); });
  EXPECT_TRUE(json(pairs, "next_sentence", "{}", pair).is_number());
}

// The inputs and the results of a stream.
struct Stream {
  std::vector<std::string> texts;
  std::string current = {};  // owns the input's memory until the next call
  size_t given = 0, ended = 0, most = SIZE_MAX;
  std::vector<std::string> results = {};

  static int next(void* context, bert_input* input) {
    auto& stream = *static_cast<Stream*>(context);
    if (stream.given == stream.texts.size()) {
      ++stream.ended;
      return 0;
    }
    stream.current = stream.texts[stream.given++];
    *input = input_of(stream.current);
    return 1;
  }
  static int give(void* context, size_t index, const bert_results* results) {
    auto& stream = *static_cast<Stream*>(context);
    EXPECT_EQ(index, stream.results.size());
    EXPECT_EQ(bert_results_count(results), 1u);
    stream.results.push_back(shown(results));
    return stream.results.size() < stream.most ? 1 : 0;
  }
  bert_status run(const TaskHandle& task, const bert_run_options* options = nullptr) {
    return bert_task_stream(task.get(), next, give, this, options);
  }
};

TEST(CApiTaskStreams, GiveWhatARunHasInItsOrder) {
  const ModelHandle model = load_model(write_foxes);
  const TaskHandle tag = make_task(model, "tag");
  Stream stream{.texts = {"", "\xff"}};
  for (size_t i = 0; i < 150; ++i) stream.texts.push_back(test::text_with_foxes(i * 7 % 90 + 2, {i * 7 % 90}));
  ASSERT_EQ(stream.run(tag), BERT_OK) << bert_error_message();
  EXPECT_EQ(stream.ended, 1u);
  std::vector<bert_input> inputs;
  for (const std::string& text : stream.texts) inputs.push_back(input_of(text));
  bert_results* made = nullptr;
  EXPECT_EQ(bert_task_run(tag.get(), inputs.data(), inputs.size(), nullptr, &made), BERT_INVALID_TEXT);
  const ResultsHandle all(made, bert_results_free);
  ASSERT_EQ(stream.results.size(), inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(stream.results[i], shown(made, i)) << i;
  Stream none{};
  EXPECT_EQ(none.run(tag), BERT_OK);
  EXPECT_TRUE(none.results.empty());
}

TEST(CApiTaskStreams, GoOnAfterAnInputThatTheTaskDoesNotRead) {
  const ModelHandle model = load_model(write_foxes);
  const TaskHandle tag = make_task(model, "tag");
  struct Asked {
    size_t given = 0;
    std::vector<bert_status> statuses = {};
    std::string message = {};
  } asked;
  const bert_next next = [](void* context, bert_input* input) {
    *input = literal("a fox");
    if (static_cast<Asked*>(context)->given == 1) input->pair = {"b", 1};
    return ++static_cast<Asked*>(context)->given <= 3 ? 1 : 0;
  };
  const bert_give give = [](void* context, size_t, const bert_results* results) {
    auto& found = *static_cast<Asked*>(context);
    found.statuses.push_back(bert_results_status(results, 0));
    found.message += bert_results_message(results, 0);
    return 1;
  };
  ASSERT_EQ(bert_task_stream(tag.get(), next, give, &asked, nullptr), BERT_OK) << bert_error_message();
  EXPECT_EQ(asked.statuses, (std::vector<bert_status>{BERT_OK, BERT_INVALID_ARGUMENT, BERT_OK}));
  EXPECT_EQ(asked.message, "pair given, expected none: tag reads a text or words");
}

TEST(CApiTaskStreams, EndWhereTheCallerSays) {
  const ModelHandle model = load_model(write_foxes);
  const TaskHandle tag = make_task(model, "tag");
  Stream stream{.texts = std::vector<std::string>(500, "a fox"), .most = 3};
  expect_refused(BERT_CANCELLED, stream.run(tag), "ended by its caller");
  EXPECT_EQ(stream.results.size(), 3u);
  size_t calls = 0;
  bert_run_options options = BERT_RUN_OPTIONS_INIT;
  options.progress = [](void* context, size_t, size_t) { return ++*static_cast<size_t*>(context) < 3 ? 1 : 0; };
  options.progress_context = &calls;
  Stream other{.texts = std::vector<std::string>(20, test::text_with_foxes(2'000, {3}))};
  expect_refused(BERT_CANCELLED, other.run(tag, &options), "cancelled");
  EXPECT_EQ(calls, 3u);
  calls = 0;
  expect_run_refused(tag, {input_of(other.texts[0])}, BERT_CANCELLED, "cancelled", &options);
  EXPECT_EQ(calls, 3u);
}

// A stream reads only a bounded number of inputs ahead of the results that it gave, so it needs bounded memory.
TEST(CApiTaskStreams, HoldFewInputsAtATime) {
  const ModelHandle model = load_model(write_foxes);
  const TaskHandle tag = make_task(model, "tag");
  struct Counted {
    size_t given = 0, ahead = 0;
    std::atomic<size_t> taken = 0;  // another thread counts
  } counted;
  const bert_next next = [](void* context, bert_input* input) {
    auto& of = *static_cast<Counted*>(context);
    if (of.given == 10'000) return 0;
    *input = literal("the dog and a fox");
    of.ahead = std::max(of.ahead, ++of.given - of.taken);
    return 1;
  };
  const bert_give give = [](void* context, size_t, const bert_results* results) {
    EXPECT_EQ(items_of(results).size(), 2u);
    ++static_cast<Counted*>(context)->taken;
    return 1;
  };
  ASSERT_EQ(bert_task_stream(tag.get(), next, give, &counted, nullptr), BERT_OK) << bert_error_message();
  EXPECT_EQ(counted.taken, 10'000u);
  EXPECT_LT(counted.ahead, 3'000u);
}

TEST(CApiTasks, ManyThreadsRunOneTaskWithTheSameBits) {
  const ModelHandle model = load_model(write_foxes);
  const TaskHandle tag = make_task(model, "tag");
  const std::string text = test::text_with_foxes(70, {3, 20, 60});
  const std::string expected = shown(run_of(make_task(model, "tag"), {input_of(text)}).get());
  std::vector<int> good(64, 0);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < good.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 3; ++round) {
        bert_results* results = nullptr;
        const bert_input input = input_of(text);
        if (bert_task_run(tag.get(), &input, 1, nullptr, &results) == BERT_OK && shown(results) == expected) ++good[i];
        bert_results_free(results);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(64, 3));
}

TEST(CApiTasks, TheDescriptionIsThatOfTheLibrary) {
  EXPECT_EQ(bert_tasks_json(), tasks_json());
  EXPECT_EQ(bert_tasks_json(), bert_tasks_json());  // compares addresses
}

}  // namespace
}  // namespace bert
