// Runs the cases of every binding through the C interface. With BERT_WRITE_CASES=FILE it writes the cases to FILE.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bert/bert_explain.h"
#include "bert/bert_tasks.h"
#include "bert/bert_vectors.h"
#include "tests/bindings/c/binding_cases.h"
#include "tests/support/build_tree.h"

namespace bert {
namespace {

using test::digest;
using JsonValue = nlohmann::json;

// Thrown by a call that fails. Its status is compared with the case's error.
class Failed {
 public:
  explicit Failed(bert_status reason) : status(reason) {}
  bert_status status;
};

void check(bert_status status) {
  if (status != BERT_OK) throw Failed(status);
}

bert_text view(const std::string& text) { return {text.data(), text.size()}; }

constexpr std::pair<const char*, int32_t> kUnits[] = {
    {"bytes", BERT_BYTES}, {"codePoints", BERT_CODE_POINTS}, {"utf16", BERT_UTF16}};

JsonValue c_tokens(const bert_model* model, const JsonValue& request) {
  const std::string text = request["text"], pair = request.value("pair", "");
  JsonValue result;
  for (const auto& [name, unit] : kUnits) {
    bert_tokenize_options options = BERT_TOKENIZE_OPTIONS_INIT;
    options.offset_unit = unit;
    std::vector<int32_t> ids(600), type_ids(600);
    std::vector<size_t> begins(600), ends(600);
    bert_tokens tokens = BERT_TOKENS_INIT;
    tokens.capacity = 600;
    tokens.ids = ids.data();
    tokens.type_ids = type_ids.data();
    tokens.offset_begins = begins.data();
    tokens.offset_ends = ends.data();
    check(bert_tokenize(bert_model_tokenizer(model), text.data(), text.size(),
                        request.contains("pair") ? pair.data() : nullptr, pair.size(), &options, &tokens));
    ids.resize(tokens.size);
    type_ids.resize(tokens.size);
    result["ids"] = ids;
    result["typeIds"] = type_ids;
    result[name] = JsonValue::array();
    for (size_t i = 0; i < tokens.size; ++i) result[name].push_back({begins[i], ends[i]});
  }
  return result;
}

JsonValue c_embed(const bert_model* model, const JsonValue& request) {
  const std::vector<std::string> texts = request["texts"];
  bert_embed_options options = BERT_EMBED_OPTIONS_INIT;
  options.dimensions = request.value("dimensions", size_t{0});
  size_t size = 0;
  check(bert_embed_get_size(model, &options, &size));
  std::vector<float> vectors(texts.size() * size);
  std::vector<const char*> data;
  std::vector<size_t> bytes;
  for (const std::string& text : texts) {
    data.push_back(text.data());
    bytes.push_back(text.size());
  }
  check(bert_embed_texts(model, data.data(), bytes.data(), texts.size(), &options, vectors.data(), vectors.size(),
                         nullptr));
  JsonValue digests = JsonValue::array();
  for (size_t i = 0; i < texts.size(); ++i) digests.push_back(digest({&vectors[i * size], size}));
  return digests;
}

using Results = std::unique_ptr<bert_results, decltype(&bert_results_free)>;

bert_input case_input(const std::string& text) { return {view(text), {nullptr, 0}, nullptr, 0}; }
bert_input case_input(const std::string& text, const std::string& pair) { return {view(text), view(pair), nullptr, 0}; }

// Returns the request's options as JSON, with the library's names.
std::string options_of(const JsonValue& request) {
  constexpr std::pair<const char*, const char*> kNames[] = {{"labels", "labels"},
                                                            {"threshold", "threshold"},
                                                            {"nested", "nested"},
                                                            {"multiLabel", "multi_label"},
                                                            {"template", "hypothesis_template"},
                                                            {"windowScores", "window_scores"},
                                                            {"stride", "stride"},
                                                            {"scheme", "scheme"},
                                                            {"aggregation", "aggregation"},
                                                            {"topK", "top_k"},
                                                            {"targets", "targets"},
                                                            {"query", "query"}};
  JsonValue options = JsonValue::object();
  for (const auto& [from, to] : kNames) {
    if (request.contains(from)) options[to] = request[from];
  }
  return options.dump();
}

Results run_task(const bert_model* model, const char* name, const JsonValue& request,
                 const std::vector<bert_input>& inputs, int32_t unit = BERT_BYTES) {
  bert_task* made = nullptr;
  check(bert_task_new(model, name, &made));
  const std::unique_ptr<bert_task, decltype(&bert_task_free)> task(made, bert_task_free);
  const std::string options = options_of(request);
  check(bert_task_set_json(made, options.data(), options.size()));
  bert_run_options how = BERT_RUN_OPTIONS_INIT;
  how.offset_unit = unit;
  bert_results* found = nullptr;
  const bert_status status = bert_task_run(made, inputs.data(), inputs.size(), &how, &found);
  Results results(found, bert_results_free);
  check(status);
  return results;
}

std::span<const bert_item> case_items(const Results& results, size_t input = 0) {
  size_t count = 0;
  const bert_item* const items = bert_results_items(results.get(), input, &count);
  return {items, count};
}

JsonValue label_list(const Results& results) {
  JsonValue list = JsonValue::array();
  for (const bert_item& item : case_items(results)) list.push_back({{"label", item.text}, {"score", item.score}});
  return list;
}

// Runs once per offset unit. Returns each item's text, score, and offsets in each unit. called: the name of the text.
JsonValue part_list(const std::function<Results(int32_t unit)>& run, const char* called = "label") {
  JsonValue list = JsonValue::array();
  for (const auto& [name, unit] : kUnits) {
    size_t at = 0;
    const Results results = run(unit);
    for (const bert_item& item : case_items(results)) {
      if (list.size() <= at) list.push_back({{called, item.text}, {"score", item.score}});
      list[at++][name] = {item.start, item.end};
    }
  }
  return list;
}

JsonValue mask_list(const Results& results) {
  JsonValue list = JsonValue::array();
  for (const bert_item& item : case_items(results)) {
    while (list.size() <= item.index) list.push_back(JsonValue::array());
    list[item.index].push_back({{"token", item.text}, {"id", item.id}, {"score", item.score}});
  }
  return list;
}

JsonValue c_rerank(const bert_model* model, const JsonValue& request) {
  const std::vector<std::string> documents = request["documents"];
  std::vector<bert_input> inputs;
  for (const std::string& document : documents) inputs.push_back(case_input(document));
  const Results results = run_task(model, "rerank", request, inputs);
  size_t count = 0;
  const size_t* const ranking = bert_results_ranking(results.get(), &count);
  JsonValue list = JsonValue::array();
  for (const size_t index : std::span(ranking, count)) {
    list.push_back({{"index", index}, {"score", case_items(results, index).front().score}});
  }
  return list;
}

JsonValue c_sparse(const bert_model* model, const JsonValue& request) {
  const std::vector<std::string> texts = request["texts"];
  std::vector<const char*> data;
  for (const std::string& text : texts) data.push_back(text.c_str());
  bert_sparse_options options = BERT_SPARSE_OPTIONS_INIT;
  options.max_active = request["maxActive"];
  const size_t room = texts.size() * options.max_active;
  std::vector<size_t> starts(texts.size() + 1);
  std::vector<int32_t> ids(room);
  std::vector<float> weights(room);
  check(bert_embed_sparse_texts(model, data.data(), nullptr, texts.size(), &options, starts.data(), ids.data(),
                                weights.data(), room, nullptr));
  JsonValue list = JsonValue::array();
  for (size_t i = 0; i < texts.size(); ++i) {
    const size_t count = starts[i + 1] - starts[i];
    list.push_back({{"ids", std::vector<int32_t>(&ids[starts[i]], &ids[starts[i]] + count)},
                    {"weights", digest({&weights[starts[i]], count})}});
  }
  return list;
}

JsonValue c_explained(const bert_model* model, const JsonValue& request) {
  constexpr const char* kKinds[] = {"token pairs", "entries", "matches", "words left out"};
  constexpr std::pair<const char*, int32_t> kVectors[] = {
      {"dense", BERT_DENSE}, {"sparse", BERT_SPARSE}, {"tokens", BERT_TOKEN_VECTORS}};
  const bool is_similarity = request["call"] == "explainSimilarity";
  const std::string first = request[is_similarity ? "a" : "text"];
  const std::string second = is_similarity ? request["b"].get<std::string>() : request.value("pair", "");
  const bert_text pair = is_similarity || request.contains("pair") ? view(second) : bert_text{nullptr, 0};
  bert_explain_options options = BERT_EXPLAIN_OPTIONS_INIT;
  for (const auto& [name, vectors] : kVectors) {
    if (request.value("vectors", "") == name) options.vectors = vectors;
  }
  if (request.contains("pooling")) options.pooling = BERT_POOLING_CLS;
  bert_explanation* made = nullptr;
  check(is_similarity ? bert_explain_similarity(model, view(first), pair, &options, &made)
                      : bert_explain_labels(model, view(first), pair, &options, &made));
  const std::unique_ptr<bert_explanation, decltype(&bert_explanation_free)> why(made, bert_explanation_free);
  const size_t outputs = bert_explanation_output_count(made),
               counts[] = {bert_explanation_part_count(made, 0), bert_explanation_part_count(made, 1)};
  const int32_t kind = bert_explanation_kind_of(made);
  const size_t terms = kind == BERT_ENTRIES          ? counts[0]
                       : kind == BERT_WORDS_LEFT_OUT ? (counts[0] + counts[1]) * outputs
                                                     : counts[0] * counts[1];
  const double* values = bert_explanation_terms(made);
  JsonValue result = {{"terms", std::vector<double>(values, values + terms)}};
  for (const int which : {0, 1}) {
    JsonValue& list = result[which == 0 ? "first" : "second"] = JsonValue::array();
    for (size_t i = 0; i < counts[which]; ++i) list.push_back(bert_explanation_parts(made, which)[i].text);
  }
  const bert_item* labels = bert_explanation_outputs(made);
  const double* remainders = bert_explanation_remainders(made);
  if (is_similarity) {
    result.update({{"kind", kKinds[kind]},
                   {"function", bert_explanation_function(made)},
                   {"score", labels[0].score},
                   {"remainder", remainders[0]}});
    return result;
  }
  for (size_t i = 0; i < outputs; ++i) {
    result["labels"].push_back({{"label", labels[i].text}, {"score", labels[i].score}, {"remainder", remainders[i]}});
  }
  return result;
}

JsonValue c_result(const bert_model* model, const JsonValue& request) {
  const std::string call = request["call"];
  const std::string text = request.value("text", ""), pair = request.value("pair", "");
  if (call == "tokenize") return c_tokens(model, request);
  if (call == "embed") return c_embed(model, request);
  if (call == "sparse") return c_sparse(model, request);
  if (call.starts_with("explain")) return c_explained(model, request);
  if (call == "classify" || call == "scoreLabels") {
    return label_list(
        run_task(model, "classify", request, {request.contains("pair") ? case_input(text, pair) : case_input(text)}));
  }
  if (call == "zeroShot") return label_list(run_task(model, "zero_shot", request, {case_input(text)}));
  if (call == "tag" || call == "findEntities") {
    return part_list([&](int32_t unit) { return run_task(model, "tag", request, {case_input(text)}, unit); });
  }
  if (call == "fillMask") return mask_list(run_task(model, "fill_mask", request, {case_input(text)}));
  if (call == "answer") {
    const std::string question = request["question"], context = request["context"];
    return part_list(
        [&](int32_t unit) { return run_task(model, "answer", request, {case_input(question, context)}, unit); },
        "answer");
  }
  if (call == "rerank") return c_rerank(model, request);
  bert_vectors* made = nullptr;
  bert_chunk_options options = BERT_CHUNK_OPTIONS_INIT;
  options.sentences = 1;
  options.offset_unit = BERT_UTF16;
  const bool is_chunks = call == "chunks";
  check(is_chunks ? bert_embed_chunks(model, view(text), &options, &made)
                  : bert_embed_tokens(model, view(text), BERT_QUERY, &made));
  const std::unique_ptr<bert_vectors, decltype(&bert_vectors_free)> vectors(made, bert_vectors_free);
  const std::string found = digest({bert_vectors_data(made), bert_vectors_count(made) * bert_vectors_size(made)});
  if (!is_chunks) return found;
  JsonValue list = JsonValue::array();
  for (size_t i = 0; i < bert_vectors_count(made); ++i) {
    list.push_back({bert_vectors_starts(made)[i], bert_vectors_ends(made)[i]});
  }
  return {{"utf16", list}, {"vectors", found}};
}

TEST(Cases, HoldThroughTheCInterface) {
  const test::CaseModels models;
  if (const char* file = std::getenv("BERT_WRITE_CASES")) test::write_cases(models, file);
  std::map<std::string, std::unique_ptr<bert_model, decltype(&bert_model_free)>> loaded;
  std::ifstream in(test::source_directory() + "/tests/cases/cases.jsonl");
  size_t cases = 0;
  for (std::string line; std::getline(in, line); ++cases) {
    const JsonValue expected = JsonValue::parse(line);
    SCOPED_TRACE(line.substr(0, 200));
    const std::string name = expected["model"];
    if (!loaded.contains(name)) {
      bert_model* model = nullptr;
      const std::string path = models.path(name);
      ASSERT_EQ(bert_model_load(name.empty() ? nullptr : path.c_str(), nullptr, &model), BERT_OK);
      loaded.emplace(name, std::unique_ptr<bert_model, decltype(&bert_model_free)>(model, bert_model_free));
    }
    try {
      const JsonValue found = c_result(loaded.at(name).get(), expected);
      ASSERT_TRUE(expected.contains("result")) << found;
      EXPECT_EQ(found, expected["result"]);
    } catch (const Failed& failed) {
      ASSERT_TRUE(expected.contains("error")) << bert_error_message();
      EXPECT_EQ(bert_status_name(failed.status), expected["error"]["code"].get<std::string>());
      EXPECT_NE(std::string(bert_error_message()).find(expected["error"]["message"].get<std::string>()),
                std::string::npos)
          << bert_error_message();
    }
  }
  EXPECT_GT(cases, 110u);
}

}  // namespace
}  // namespace bert
