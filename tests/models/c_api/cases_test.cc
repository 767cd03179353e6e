// The cases that every binding runs, through the C interface. With BERT_WRITE_CASES=FILE they are written anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bert/bert_labels.h"
#include "bert/bert_tasks.h"
#include "bert/bert_vectors.h"
#include "tests/models/binding_cases.h"
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

JsonValue c_entities(const bert_model* model, const JsonValue& request) {
  const std::string text = request["text"];
  const std::vector<std::string> labels = request["labels"];
  std::vector<const char*> names;
  for (const std::string& label : labels) names.push_back(label.c_str());
  bert_label_options options = BERT_LABEL_OPTIONS_INIT;
  options.threshold = request["threshold"];
  JsonValue list = JsonValue::array();
  for (const auto& [name, unit] : kUnits) {
    options.offset_unit = unit;
    std::vector<bert_entity> entities(50);
    size_t count = 0;
    check(bert_find_entities(model, text.data(), text.size(), names.data(), names.size(), &options, entities.data(),
                             entities.size(), &count));
    for (size_t i = 0; i < count; ++i) {
      if (list.size() <= i) list.push_back({{"label", labels[entities[i].label]}, {"score", entities[i].score}});
      list[i][name] = {entities[i].start, entities[i].end};
    }
  }
  return list;
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

JsonValue c_result(const bert_model* model, const JsonValue& request) {
  const std::string call = request["call"];
  const std::string text = request.value("text", ""), pair = request.value("pair", "");
  const auto add_label = [](JsonValue& list, const bert_item& item) {
    list.push_back({{"label", item.text}, {"score", item.score}});
  };
  const auto texts = [&](const std::vector<std::string>& from) {
    std::vector<bert_text> all;
    for (const std::string& one : from) all.push_back(view(one));
    return all;
  };
  if (call == "tokenize") return c_tokens(model, request);
  if (call == "embed") return c_embed(model, request);
  if (call == "findEntities") return c_entities(model, request);
  if (call == "classify") {
    bert_classify_options options = BERT_CLASSIFY_OPTIONS_INIT;
    if (request.contains("pair")) options.pair = view(pair);
    return c_items([&](bert_items** items) { return bert_classify(model, view(text), &options, items); }, add_label);
  }
  if (call == "tag") {
    return c_items([&](bert_items** items) { return bert_tag(model, view(text), nullptr, items); }, add_label);
  }
  if (call == "zeroShot") {
    const std::vector<std::string> labels = request["labels"];
    const std::vector<bert_text> given = texts(labels);
    return c_items(
        [&](bert_items** items) {
          return bert_zero_shot(model, view(text), given.data(), given.size(), nullptr, items);
        },
        add_label);
  }
  if (call == "fillMask") {
    bert_fill_mask_options options = BERT_FILL_MASK_OPTIONS_INIT;
    options.top_k = request["topK"];
    return c_items([&](bert_items** items) { return bert_fill_masks(model, view(text), &options, items); },
                   [](JsonValue& list, const bert_item& item) {
                     while (list.size() <= item.index) list.push_back(JsonValue::array());
                     list[item.index].push_back({{"token", item.text}, {"id", item.id}, {"score", item.score}});
                   });
  }
  if (call == "rerank") {
    const std::string query = request["query"];
    const std::vector<std::string> documents = request["documents"];
    const std::vector<bert_text> given = texts(documents);
    return c_items(
        [&](bert_items** items) { return bert_rerank(model, view(query), given.data(), given.size(), nullptr, items); },
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
  EXPECT_GT(cases, 80u);
}

}  // namespace
}  // namespace bert
