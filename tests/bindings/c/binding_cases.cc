#include "tests/bindings/c/binding_cases.h"

#include <fstream>
#include <functional>
#include <vector>

#include "bert/chunks.h"
#include "bert/explain.h"
#include "bert/labels.h"
#include "bert/offsets.h"
#include "bert/text_tasks.h"
#include "bert/token_vectors.h"
#include "engine/base/hash/sha256.h"
#include "tests/support/firing_models.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_model.h"

namespace bert::test {
namespace {

using JsonValue = nlohmann::json;

const std::vector<std::string> kTexts = {
    "A cat sat on the mat.",
    "",
    " \t\n ",
    "Ünïcödé: naïve café, Straße",
    "🎻 music, 👩‍👩‍👧 family, 🇫🇷 flag",
    "日本語のテキスト と English",
    "مرحبا بالعالم",
    "e\u0301 combining, \u200bzero width\u00ad",
    "numbers 1,234.56 and dates 2026-11-28",
    "[CLS] typed [SEP] tokens [MASK]",
    "don't can't we'll I'd",
    "a" + std::string(150, 'b') + " supercalifragilisticexpialidocious",
};

// Adds texts of several windows, with entities on both sides of a window's end.
void add_long_texts(std::vector<JsonValue>& all) {
  const std::string text = "🎻 é " + text_with_foxes(90, {3, 20, 40, 57, 87});
  for (const char* scheme : {"auto", "iob", "bioes", "bilou"}) {
    all.push_back({{"model", "firing-tagger"}, {"call", "tag"}, {"text", text}, {"scheme", scheme}, {"stride", 7}});
  }
  for (const size_t stride : {0, 5}) {
    all.push_back({{"model", "firing-gliner"},
                   {"call", "findEntities"},
                   {"text", text},
                   {"labels", {"dog", "coding"}},
                   {"threshold", 0.3},
                   {"stride", stride}});
    for (const char* scores : {"mean", "largest"}) {
      const JsonValue windows = {{"text", text}, {"stride", stride}, {"windowScores", scores}};
      JsonValue one = {{"model", "classes"}, {"call", "classify"}};
      one.update(windows);
      all.push_back(one);
      one["call"] = "zeroShot";
      one["labels"] = {"dog", "fox"};
      all.push_back(one);
      one = {{"model", "gliclass"}, {"call", "scoreLabels"}, {"labels", {"dog", "fox"}}, {"multiLabel", false}};
      one.update(windows);
      all.push_back(one);
    }
    for (const char* model : {"embedder", "ranker", "several-vectors"}) {
      all.push_back({{"model", model},
                     {"call", "rerank"},
                     {"query", "the lazy dog"},
                     {"documents", {text, "a fox", text.substr(90)}},
                     {"stride", stride}});
    }
  }
  all.push_back({{"model", "firing-gliner"},
                 {"call", "findEntities"},
                 {"text", text},
                 {"labels", {"dog", "coding"}},
                 {"threshold", 0.3}});
  all.push_back({{"model", "classes"}, {"call", "classify"}, {"text", text}});
}

// Adds cases whose results an option changes.
void add_options(std::vector<JsonValue>& all) {
  for (const bool multi : {false, true}) {
    all.push_back({{"model", "classes"},
                   {"call", "zeroShot"},
                   {"text", "the quick fox"},
                   {"labels", {"b", "a dog"}},
                   {"template", "{} it is"},
                   {"multiLabel", multi}});
  }
  for (const char* aggregation : {"none", "simple", "first", "average", "max"}) {
    all.push_back({{"model", "firing-tagger"},
                   {"call", "tag"},
                   {"text", "é the brown foxs 🎻 and a fox"},
                   {"aggregation", aggregation}});
  }
  all.push_back({{"model", "gliner"},
                 {"call", "findEntities"},
                 {"text", "é the quick fox jumps over the lazy dog"},
                 {"labels", {"dog", "fox"}},
                 {"threshold", 0.05},
                 {"nested", true}});
  for (const std::vector<std::string>& targets : {std::vector<std::string>{"dog", "cat", "dog"}, {"xyzzy"}}) {
    all.push_back({{"model", ""}, {"call", "fillMask"}, {"text", "A [MASK]."}, {"topK", 2}, {"targets", targets}});
  }
}

void add_answers(std::vector<JsonValue>& all) {
  for (const std::string& context : {std::string("é the quick fox 🎻 jumps"), "🎻 é " + text_with_foxes(60, {3, 40})}) {
    all.push_back(
        {{"model", "reader"}, {"call", "answer"}, {"question", "the dog"}, {"context", context}, {"topK", 3}});
  }
  all.push_back({{"model", ""}, {"call", "answer"}, {"question", "a"}, {"context", "b"}, {"topK", 1}});
}

void add_explanations(std::vector<JsonValue>& all) {
  for (const auto& [model, vectors] : {std::pair{"", "dense"},
                                       {"embedder", "dense"},
                                       {"sparse", "sparse"},
                                       {"several-vectors", "tokens"},
                                       {"embedder", "sparse"}}) {
    all.push_back({{"model", model},
                   {"call", "explainSimilarity"},
                   {"a", "🎻 the quick fox"},
                   {"b", "é quick dogs"},
                   {"vectors", vectors}});
  }
  all.push_back({{"model", ""},
                 {"call", "explainSimilarity"},
                 {"a", "🎻 a cat"},
                 {"b", "the old cats"},
                 {"vectors", "dense"},
                 {"pooling", "cls"}});
  all.push_back({{"model", "classes"}, {"call", "explainLabels"}, {"text", "é the quick fox"}});
  all.push_back({{"model", "classes"}, {"call", "explainLabels"}, {"text", "the 🎻 fox"}, {"pair", "a lazy dog"}});
}

std::vector<JsonValue> requests() {
  std::vector<JsonValue> all;
  for (const std::string& text : kTexts) {
    for (const char* model : {"", "embedder"}) {
      all.push_back({{"model", model}, {"call", "tokenize"}, {"text", text}});
      all.push_back({{"model", model}, {"call", "embed"}, {"texts", {text}}});
    }
    all.push_back({{"model", "embedder"}, {"call", "tokenize"}, {"text", text}, {"pair", "the quick fox"}});
    all.push_back({{"model", "classes"}, {"call", "classify"}, {"text", text}});
  }
  for (const char* model : {"", "embedder"}) all.push_back({{"model", model}, {"call", "embed"}, {"texts", kTexts}});
  for (const char* model : {"", "embedder", "ranker", "several-vectors"}) {
    all.push_back({{"model", model}, {"call", "rerank"}, {"query", "the quick fox"}, {"documents", kTexts}});
  }
  all.push_back({{"model", ""}, {"call", "embed"}, {"texts", {"a cat"}}, {"dimensions", 32}});
  all.push_back({{"model", ""}, {"call", "fillMask"}, {"text", "A [MASK] sat on the [MASK] 🎻."}, {"topK", 3}});
  all.push_back({{"model", ""}, {"call", "chunks"}, {"text", "É, a cat 🎻 sat. It purred. Then it slept."}});
  all.push_back({{"model", "classes"}, {"call", "classify"}, {"text", "the quick fox"}, {"pair", "the dog"}});
  all.push_back({{"model", "classes"}, {"call", "zeroShot"}, {"text", "the fox"}, {"labels", {"dog", "fox", "é"}}});
  all.push_back({{"model", "several-vectors"}, {"call", "tokenVectors"}, {"text", "the quick fox"}, {"role", "query"}});
  all.push_back({{"model", "gliner"},
                 {"call", "findEntities"},
                 {"text", "🎻 é the quick fox jumps over the lazy dog"},
                 {"labels", {"dog", "fox"}},
                 {"threshold", 0.05}});
  add_long_texts(all);
  add_options(all);
  add_answers(all);
  add_explanations(all);
  for (const char* text : {"the quick fox", "🎻 é the lazy dog", ""}) {
    all.push_back({{"model", "sparse"}, {"call", "sparse"}, {"texts", {text, "the fox"}}, {"maxActive", 20}});
    for (const bool multi : {false, true}) {
      all.push_back({{"model", "gliclass"},
                     {"call", "scoreLabels"},
                     {"text", text},
                     {"labels", {"dog", "the fox", "é"}},
                     {"multiLabel", multi}});
    }
  }
  for (const char* call : {"classify", "tag"}) {
    all.push_back({{"model", ""}, {"call", call}, {"text", "a"}});
  }
  all.push_back({{"model", "embedder"}, {"call", "sparse"}, {"texts", {"a"}}, {"maxActive", 20}});
  all.push_back(
      {{"model", "embedder"}, {"call", "scoreLabels"}, {"text", "a"}, {"labels", {"b"}}, {"multiLabel", false}});
  all.push_back({{"model", "embedder"}, {"call", "explainLabels"}, {"text", "a"}});
  all.push_back({{"model", ""}, {"call", "findEntities"}, {"text", "a"}, {"labels", {"b"}}, {"threshold", 0.5}});
  all.push_back({{"model", ""}, {"call", "fillMask"}, {"text", "no mask"}, {"topK", 3}});
  all.push_back({{"model", ""}, {"call", "embed"}, {"texts", {"a"}}, {"dimensions", 100000}});
  all.push_back({{"model", ""}, {"call", "tokenVectors"}, {"text", "a"}, {"role", "query"}});
  return all;
}

// ---- The results of the C++ library ----

JsonValue places(const OffsetUnits& units, size_t begin, size_t end) {
  return {units.before(begin), units.before(end)};
}

JsonValue tokens_of(const Model& model, const JsonValue& request) {
  const std::string text = request["text"];
  const bool has_pair = request.contains("pair");
  const std::string pair = request.value("pair", "");
  const Encoding encoding = has_pair ? model.tokenizer().tokenize(text, pair) : model.tokenizer().tokenize(text);
  JsonValue result = {{"ids", encoding.ids}, {"typeIds", encoding.type_ids}};
  for (const auto& [name, unit] : {std::pair{"bytes", OffsetUnit::kBytes},
                                   {"codePoints", OffsetUnit::kCodePoints},
                                   {"utf16", OffsetUnit::kUtf16}}) {
    const OffsetUnits first(text, unit), second(pair, unit);
    JsonValue& all = result[name] = JsonValue::array();
    for (size_t i = 0; i < encoding.size(); ++i) {
      const Offset at = encoding.offsets[i];
      all.push_back(places(encoding.sequence_ids[i] == 1 ? second : first, at.begin, at.end));
    }
  }
  return result;
}

JsonValue label_list(const std::vector<LabelScore>& scores) {
  JsonValue list = JsonValue::array();
  for (const LabelScore& score : scores) list.push_back({{"label", score.label}, {"score", score.score}});
  return list;
}

JsonValue entity_list(const std::vector<Entity>& entities, const std::string& text) {
  const OffsetUnits utf16(text, OffsetUnit::kUtf16);
  JsonValue list = JsonValue::array();
  for (const Entity& entity : entities) {
    list.push_back({{"label", entity.entity},
                    {"score", entity.score},
                    {"bytes", {entity.start, entity.end}},
                    {"codePoints", {entity.code_point_start, entity.code_point_end}},
                    {"utf16", places(utf16, entity.start, entity.end)}});
  }
  return list;
}

WindowOptions windows_of(const JsonValue& request) {
  WindowOptions windows;
  if (request.contains("stride")) windows.stride = request["stride"].get<size_t>();
  if (request.value("windowScores", "mean") == "largest") windows.scores = WindowScores::kLargest;
  return windows;
}

TagScheme scheme_of(const std::string& name) {
  if (name == "iob") return TagScheme::kIob;
  if (name == "bioes") return TagScheme::kBioes;
  return name == "bilou" ? TagScheme::kBilou : TagScheme::kFromLabels;
}

Aggregation aggregation_of(const std::string& name) {
  if (name == "none") return Aggregation::kNone;
  if (name == "first") return Aggregation::kFirst;
  if (name == "average") return Aggregation::kAverage;
  return name == "max" ? Aggregation::kMax : Aggregation::kSimple;
}

// Returns the words of a sequence, or the tokens if the score is a sum over tokens.
JsonValue part_list(const ExplainedText& text, int32_t sequence = 0) {
  JsonValue list = JsonValue::array();
  for (const std::string& row : text.rows) list.push_back(row);
  if (!text.rows.empty()) return list;
  for (const TextWord& word : text.words) {
    if (word.sequence == sequence) list.push_back(word.text);
  }
  return list;
}

JsonValue explained_similarity(const Model& model, const JsonValue& request) {
  VectorRequest wanted;
  const std::string vectors = request["vectors"];
  if (vectors == "dense") wanted.dense.emplace();
  if (request.contains("pooling")) wanted.dense->pooling = PoolingMode::kCls;
  if (vectors == "sparse") wanted.sparse.emplace();
  wanted.tokens = vectors == "tokens";
  const ScoreExplanation why = explain_texts(model, wanted, {.text = request["a"]}, {.text = request["b"]});
  JsonValue result = {{"kind", name(why.kind)},     {"function", why.function},  {"score", why.score},
                      {"remainder", why.remainder}, {"first", part_list(why.a)}, {"second", part_list(why.b)},
                      {"terms", JsonValue::array()}};
  for (const double pair : why.pairs) result["terms"].push_back(pair);
  if (why.kind == ExplanationKind::kEntries) {
    JsonValue entries = JsonValue::array();
    for (const EntryTerm& entry : why.entries) {
      result["terms"].push_back(entry.term);
      entries.push_back(entry.token);
    }
    result["first"] = result["second"] = entries;
  }
  for (const ExplainedText* text : {&why.a, &why.b}) {
    for (const double without : text->without) result["terms"].push_back(why.score - without);
  }
  return result;
}

JsonValue explained_labels(const Model& model, const JsonValue& request) {
  TextItem item{.text = request["text"]};
  if (request.contains("pair")) item.pair = request["pair"].get<std::string>();
  const TextTaskRunner runner(model, HeadOptions{.head = Head::kSequenceClassification});
  const LabelExplanation why = explain_labels(model, runner.cut(item).front());
  JsonValue result = {{"labels", JsonValue::array()},
                      {"first", part_list(why.text)},
                      {"second", part_list(why.text, 1)},
                      {"terms", JsonValue::array()}};
  for (size_t i = 0; i < why.labels.size(); ++i) {
    result["labels"].push_back({{"label", why.labels[i]}, {"score", why.scores[i]}, {"remainder", why.remainders[i]}});
  }
  for (size_t word = 0; word < why.text.words.size(); ++word) {
    for (size_t i = 0; i < why.labels.size(); ++i) result["terms"].push_back(why.term(word, i));
  }
  return result;
}

JsonValue sparse_list(const Model& model, const JsonValue& request) {
  JsonValue list = JsonValue::array();
  for (const std::string& text : request["texts"].get<std::vector<std::string>>()) {
    const SparseVector made =
        model.vectors(text, {.sparse = SparseOptions{.max_active = request["maxActive"].get<size_t>()}}).sparse;
    list.push_back({{"ids", made.ids}, {"weights", digest(made.weights)}});
  }
  return list;
}

JsonValue expected_result(const Model& model, const JsonValue& request) {
  const std::string call = request["call"];
  const auto text = [&](const char* name) { return request[name].get<std::string>(); };
  const auto texts = [&](const char* name) { return request[name].get<std::vector<std::string>>(); };
  if (call == "tokenize") return tokens_of(model, request);
  if (call == "embed") {
    EmbedOptions options;
    if (request.contains("dimensions")) options.dimensions = request["dimensions"].get<size_t>();
    JsonValue digests = JsonValue::array();
    for (const std::string& one : texts("texts")) digests.push_back(digest(model.embed(one, options)));
    return digests;
  }
  if (call == "classify") {
    return label_list(request.contains("pair") ? classify(model, text("text"), text("pair"))
                                               : classify(model, text("text"), {}, windows_of(request)));
  }
  if (call == "zeroShot") {
    const std::string given = request.value("template", std::string(kHypothesisTemplate));
    return label_list(zero_shot(model, text("text"), texts("labels"),
                                {.hypothesis_template = given,
                                 .multi_label = request.value("multiLabel", false),
                                 .windows = windows_of(request)}));
  }
  if (call == "tag") {
    const TagOptions options{.aggregation = aggregation_of(request.value("aggregation", "simple")),
                             .stride = request.value("stride", size_t{32}),
                             .scheme = scheme_of(request.value("scheme", "auto"))};
    return entity_list(tag(model, text("text"), options), text("text"));
  }
  if (call == "scoreLabels") {
    const ClassRequest wanted{.labels = texts("labels"), .multi_label = request["multiLabel"]};
    return label_list(score_labels(model, text("text"), wanted, windows_of(request)));
  }
  if (call == "sparse") return sparse_list(model, request);
  if (call == "explainSimilarity") return explained_similarity(model, request);
  if (call == "explainLabels") return explained_labels(model, request);
  if (call == "findEntities") {
    const LabelRequest wanted{
        .labels = texts("labels"), .threshold = request["threshold"], .nested = request.value("nested", false)};
    return entity_list(find_entities(model, text("text"), wanted, windows_of(request)), text("text"));
  }
  if (call == "fillMask") {
    JsonValue masks = JsonValue::array();
    const std::vector<std::string> targets = request.value("targets", std::vector<std::string>());
    for (const auto& candidates : fill_masks(model, text("text"), {.top_k = request["topK"], .targets = targets})) {
      JsonValue& list = masks.emplace_back(JsonValue::array());
      for (const MaskCandidate& one : candidates) {
        list.push_back({{"token", one.token}, {"id", one.id}, {"score", one.score}});
      }
    }
    return masks;
  }
  if (call == "answer") {
    const std::string context = text("context");
    const OffsetUnits utf16(context, OffsetUnit::kUtf16);
    JsonValue list = JsonValue::array();
    for (const Answer& one : answer(model, text("question"), context, {.top_k = request["topK"]})) {
      list.push_back({{"answer", one.answer},
                      {"score", one.score},
                      {"bytes", {one.start, one.end}},
                      {"codePoints", {one.code_point_start, one.code_point_end}},
                      {"utf16", places(utf16, one.start, one.end)}});
    }
    return list;
  }
  if (call == "rerank") {
    const std::vector<std::string> documents = texts("documents");
    const std::vector<std::string_view> views(documents.begin(), documents.end());
    JsonValue list = JsonValue::array();
    for (const RankedDocument& one : rerank(model, Reranker(model), text("query"), views, windows_of(request))) {
      list.push_back({{"index", one.index}, {"score", one.score}});
    }
    return list;
  }
  if (call == "tokenVectors") {
    token_vector_settings(model);
    return digest(model.vectors(text("text"), {.tokens = true, .role = TextRole::kQuery}).tokens.values);
  }
  const TextVectors made =
      model.vectors(text("text"), {.dense = EmbedOptions{}, .chunks = ChunkOptions{.sentences = true}});
  const std::string whole = text("text");
  const OffsetUnits utf16(whole, OffsetUnit::kUtf16);
  JsonValue list = JsonValue::array();
  for (const TextChunk& chunk : made.chunks) list.push_back(places(utf16, chunk.bytes.begin, chunk.bytes.end));
  return {{"utf16", list}, {"vectors", digest(made.dense)}};
}

std::string code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNotFound:
      return "BERT_NOT_FOUND";
    case ErrorCode::kUnsupported:
      return "BERT_UNSUPPORTED";
    case ErrorCode::kInvalidText:
      return "BERT_INVALID_TEXT";
    default:
      return "BERT_INVALID_ARGUMENT";
  }
}

}  // namespace

CaseModels::CaseModels() {
  const auto add = [&](const char* name, const std::function<void(const TemporaryDirectory&)>& write) {
    folders_[name] = std::make_unique<TemporaryDirectory>();
    write(*folders_[name]);
  };
  add("embedder", [](const auto& directory) { write_tiny_model(directory); });
  add("classes", [](const auto& directory) {
    write_tiny_classifier(directory, {"contradiction", "neutral", "entailment"});
  });
  add("ranker", [](const auto& directory) { write_tiny_classifier(directory, {"relevant"}); });
  add("reader", [](const auto& directory) { write_tiny_reader(directory); });
  add("several-vectors", [](const auto& directory) { write_tiny_m3(directory); });
  add("gliner", [](const auto& directory) { write_tiny_gliner(directory); });
  add("sparse", [](const auto& directory) { write_tiny_splade(directory, "{}"); });
  add("gliclass", [](const auto& directory) { write_tiny_gliclass(directory, {.architecture = "bi-encoder"}); });
  add("firing-gliner", [](const auto& directory) { write_firing_gliner(directory); });
  add("firing-tagger", [](const auto& directory) {
    write_firing_tagger(directory, {{"brown", "B-ANIMAL"}, {"fox", "E-ANIMAL"}});
  });
}

std::string CaseModels::path(const std::string& name) const {
  return name.empty() ? "" : folders_.at(name)->path().string();
}

std::string digest(std::span<const float> values) { return sha256(std::as_bytes(values)); }

void write_cases(const CaseModels& models, const std::string& file) {
  std::map<std::string, Model> loaded;
  std::ofstream out(file);
  for (JsonValue request : requests()) {
    const std::string name = request["model"];
    auto found = loaded.find(name);
    if (found == loaded.end()) {
      found = loaded.emplace(name, name.empty() ? Model::builtin() : Model::load(models.path(name))).first;
    }
    try {
      request["result"] = expected_result(found->second, request);
    } catch (const Error& error) {
      std::string message = error.what();
      const std::string path = models.path(name);
      const size_t place = path.empty() ? std::string::npos : message.find(path);
      if (place != std::string::npos) message = message.substr(place + path.size());  // drops the folder
      request["error"] = {{"code", code_name(error.code())}, {"message", message}};
    }
    out << request.dump() << "\n";
  }
}

}  // namespace bert::test
