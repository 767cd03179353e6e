// The cases that every binding runs, through the C interface. With BERT_WRITE_CASES=FILE they are written anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bert/bert_explain.h"
#include "bert/bert_labels.h"
#include "bert/bert_tasks.h"
#include "bert/bert_vectors.h"
#include "tests/bindings/c/binding_cases.h"
#include "tests/support/build_tree.h"

namespace bert {
namespace {

using test::digest;
using JsonValue = nlohmann::json;

// The call's status is the case's error.
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

using Items = std::unique_ptr<bert_items, decltype(&bert_items_free)>;

// Calls once and shapes each item.
JsonValue c_items(const std::function<bert_status(bert_items**)>& call,
                  const std::function<void(JsonValue&, const bert_item&)>& add) {
  bert_items* made = nullptr;
  check(call(&made));
  const Items items(made, bert_items_free);
  JsonValue list = JsonValue::array();
  for (size_t i = 0; i < bert_items_count(made); ++i) add(list, bert_items_data(made)[i]);
  return list;
}

int32_t windows_of(const JsonValue& request) {
  if (!request.contains("stride")) return BERT_NO_WINDOWS;
  return request.value("windowScores", "mean") == "largest" ? BERT_WINDOWS_LARGEST : BERT_WINDOWS_MEAN;
}

std::vector<bert_text> views(const std::vector<std::string>& texts) {
  std::vector<bert_text> all;
  for (const std::string& text : texts) all.push_back(view(text));
  return all;
}

// Parts of a text by `call`, with their places in each unit. called: the name of what each says.
JsonValue c_entities(const std::function<bert_status(int32_t unit, bert_items** items)>& call,
                     const char* called = "label") {
  JsonValue list = JsonValue::array();
  for (const auto& [name, unit] : kUnits) {
    size_t at = 0;
    c_items([&, wanted = unit](bert_items** items) { return call(wanted, items); },
            [&, of = name](JsonValue&, const bert_item& item) {
              if (list.size() <= at) list.push_back({{called, item.text}, {"score", item.score}});
              list[at++][of] = {item.start, item.end};
            });
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
  const auto add_label = [](JsonValue& list, const bert_item& item) {
    list.push_back({{"label", item.text}, {"score", item.score}});
  };
  if (call == "tokenize") return c_tokens(model, request);
  if (call == "embed") return c_embed(model, request);
  const int32_t windows = windows_of(request);
  const size_t stride = request.value("stride", size_t{0});
  if (call == "sparse") return c_sparse(model, request);
  if (call.starts_with("explain")) return c_explained(model, request);
  if (call == "classify") {
    bert_classify_options options = BERT_CLASSIFY_OPTIONS_INIT;
    if (request.contains("pair")) options.pair = view(pair);
    options.windows = windows;
    options.stride = stride;
    return c_items([&](bert_items** items) { return bert_classify(model, view(text), &options, items); }, add_label);
  }
  if (call == "tag") {
    constexpr const char* kAggregations[] = {"simple", "none", "first", "average", "max"};
    constexpr const char* kSchemes[] = {"auto", "iob", "bioes", "bilou"};
    bert_tag_options options = BERT_TAG_OPTIONS_INIT;
    options.stride = stride;
    while (kSchemes[options.scheme] != request.value("scheme", "auto")) ++options.scheme;
    while (kAggregations[options.aggregation] != request.value("aggregation", "simple")) ++options.aggregation;
    return c_entities([&](int32_t unit, bert_items** items) {
      options.offset_unit = unit;
      return bert_tag(model, view(text), &options, items);
    });
  }
  if (call == "findEntities" || call == "scoreLabels" || call == "zeroShot") {
    const std::vector<std::string> labels = request["labels"];
    const std::vector<bert_text> given = views(labels);
    if (call == "findEntities") {
      bert_label_options options = BERT_LABEL_OPTIONS_INIT;
      options.threshold = request["threshold"];
      options.nested = request.value("nested", false) ? 1 : 0;
      options.windows = windows;
      options.stride = stride;
      return c_entities([&](int32_t unit, bert_items** items) {
        options.offset_unit = unit;
        return bert_find_entities(model, view(text), given.data(), given.size(), &options, items);
      });
    }
    bert_class_options classes = BERT_CLASS_OPTIONS_INIT;
    classes.multi_label = request.value("multiLabel", false) ? 1 : 0;
    classes.windows = windows;
    classes.stride = stride;
    const std::string given_template = request.value("template", "");
    bert_zero_shot_options zero = BERT_ZERO_SHOT_OPTIONS_INIT;
    if (!given_template.empty()) zero.hypothesis_template = given_template.c_str();
    zero.multi_label = classes.multi_label;
    zero.windows = windows;
    zero.stride = stride;
    return c_items(
        [&](bert_items** items) {
          return call == "zeroShot" ? bert_zero_shot(model, view(text), given.data(), given.size(), &zero, items)
                                    : bert_score_labels(model, view(text), given.data(), given.size(), &classes, items);
        },
        add_label);
  }
  if (call == "fillMask") {
    bert_fill_mask_options options = BERT_FILL_MASK_OPTIONS_INIT;
    options.top_k = request["topK"];
    const std::vector<std::string> targets = request.value("targets", std::vector<std::string>());
    const std::vector<bert_text> given = views(targets);
    options.targets = given.data();
    options.target_count = given.size();
    return c_items([&](bert_items** items) { return bert_fill_masks(model, view(text), &options, items); },
                   [](JsonValue& list, const bert_item& item) {
                     while (list.size() <= item.index) list.push_back(JsonValue::array());
                     list[item.index].push_back({{"token", item.text}, {"id", item.id}, {"score", item.score}});
                   });
  }
  if (call == "answer") {
    const std::string question = request["question"], context = request["context"];
    bert_answer_options options = BERT_ANSWER_OPTIONS_INIT;
    options.top_k = request["topK"];
    return c_entities(
        [&](int32_t unit, bert_items** items) {
          options.offset_unit = unit;
          return bert_answer(model, view(question), view(context), &options, items);
        },
        "answer");
  }
  if (call == "rerank") {
    const std::string query = request["query"];
    const std::vector<std::string> documents = request["documents"];
    const std::vector<bert_text> given = views(documents);
    bert_rerank_options options = BERT_RERANK_OPTIONS_INIT;
    options.windows = windows;
    options.stride = stride;
    return c_items(
        [&](bert_items** items) {
          return bert_rerank(model, view(query), given.data(), given.size(), &options, items);
        },
        [](JsonValue& list, const bert_item& item) {
          list.push_back({{"index", item.index}, {"score", item.score}});
        });
  }
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
