// Entities in texts: by the labels that a request has, or by those of a token classifier; and a token classifier's own
// scores, as vLLM has them.
#include <algorithm>
#include <utility>

#include "bert/tasks.h"
#include "tools/server/routes/handlers.h"
#include "tools/server/routes/json_body.h"
#include "tools/server/routes/label_body.h"
#include "tools/server/routes/windows.h"

namespace bert::server {
namespace {

using common::JsonWriter;

LabelRequest label_request(const Call& call) {
  LabelRequest request{.labels = labels_of(call),
                       .nested = optional_bool(call.body, "nested").value_or(false),
                       .multi_label = optional_bool(call.body, "multi_label").value_or(false)};
  request.threshold = optional_share(call.body, "threshold").value_or(request.threshold);
  return request;
}

// Without a unit: in bytes, and beside them in code points.
void append_entities(std::string& out, const std::vector<Entity>& entities, std::string_view text,
                     std::optional<OffsetUnit> unit) {
  const OffsetUnits units(text, unit.value_or(OffsetUnit::kBytes));
  common::append_list(out, entities, [&](std::string& list, const Entity& entity) {
    JsonWriter one;
    one.string("entity", entity.entity);
    one.number("score", entity.score);
    one.string("word", entity.word);
    one.number("start", uint64_t{units.before(entity.start)});
    one.number("end", uint64_t{units.before(entity.end)});
    if (!unit) {
      one.number("code_point_start", uint64_t{entity.code_point_start});
      one.number("code_point_end", uint64_t{entity.code_point_end});
    }
    list += one.take();
  });
}

// entities_of(index): of a text.
template <class EntitiesOf>
std::string entities_body(const Job& job, std::optional<OffsetUnit> unit, const EntitiesOf& entities_of) {
  return list_of_texts(job, "entities", [&](JsonWriter& object, size_t index) {
    object.string("offsets", name(unit.value_or(OffsetUnit::kBytes)));
    append_entities(object.member("entities"), entities_of(index), job.texts[index].text, unit);
  });
}

// How a word has its label: "first" without the field.
Aggregation word_aggregation(const Json& body) {
  const auto given = optional_word(body, "aggregation", {"first", "average", "max"});
  return given ? aggregation_of(body, "aggregation") : Aggregation::kFirst;
}

// How a token classifier's labels become entities.
struct Grouping {
  Aggregation aggregation = Aggregation::kSimple;
  TagScheme scheme = TagScheme::kFromLabels;
};

// The labels of a text's words; or its entities.
std::string tagged_body(const Job& job, std::optional<OffsetUnit> unit, const Grouping& how) {
  const Model& model = job.model->model;
  const auto logits_of = [&](size_t i) { return TokenLogits{&job.outputs[i].encoding, &job.outputs[i].logits}; };
  if (!job.texts.empty() && job.texts.front().words) {
    return list_of_texts(job, "words", [&](JsonWriter& object, size_t i) {
      const std::vector<std::string>& words = *job.texts[i].words;
      common::append_words(object.member("words"), words,
                           label_words(model, logits_of(i), words.size(), how.aggregation));
    });
  }
  return entities_body(job, unit, [&](size_t i) {
    if (!job.windows.empty()) return job.outputs[i].entities;
    const TokenLogits window = logits_of(i);
    return find_entities(model, job.texts[i].text, {&window, 1}, how.aggregation, how.scheme);
  });
}

}  // namespace

std::optional<double> optional_share(const Json& body, const std::string& name) {
  const Json* given = optional_field(body, name);
  if (given == nullptr) return std::nullopt;
  if (!given->is_number()) throw_type(name, *given, "a number from 0 to 1");
  const double value = given->get<double>();
  if (value >= 0 && value <= 1) return value;
  throw ApiError(Fault::kInvalid, "'" + name + "' is " + given->dump() + ", expected 0 to 1", name);
}

TagScheme scheme_of(const Json& body) {
  const auto given = optional_word(body, "scheme", {"auto", "iob", "bioes", "bilou"});
  if (given == "iob") return TagScheme::kIob;
  if (given == "bioes") return TagScheme::kBioes;
  return given == "bilou" ? TagScheme::kBilou : TagScheme::kFromLabels;
}

Aggregation aggregation_of(const Json& body, const std::string& field) {
  using enum Aggregation;
  const std::vector<std::pair<std::string, Aggregation>> words = {
      {"none", kNone}, {"simple", kSimple}, {"first", kFirst}, {"average", kAverage}, {"max", kMax}};
  const auto given = optional_word(body, field, {"none", "simple", "first", "average", "max"});
  const auto found = std::find_if(words.begin(), words.end(),
                                  [&](const auto& word) { return word.first == given.value_or("simple"); });
  return found->second;
}

std::optional<OffsetUnit> offset_unit(const Json& body) {
  const auto given = optional_word(body, "offsets", {"bytes", "code_points", "utf16"});
  for (const OffsetUnit unit : {OffsetUnit::kBytes, OffsetUnit::kCodePoints, OffsetUnit::kUtf16}) {
    if (given == name(unit)) return unit;
  }
  return std::nullopt;
}

HandlerResult ner(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kTagger);
  std::optional<std::vector<TextItem>> words = words_of(call, "input");
  std::vector<TextItem> texts = words ? std::move(*words) : only_texts(call);
  const std::optional<OffsetUnit> unit = offset_unit(call.body);
  // Words are one sequence.
  const LongTexts long_texts = long_texts_of(call.body, words ? LongText::kCut : LongText::kWindows);
  if (words && long_texts.kind == LongText::kWindows) {
    throw ApiError(Fault::kInvalid, "windows of 'words', expected 'input'", "long_text");
  }
  if (reads_labels(model->model, LabelTask::kEntities)) {
    if (words) {
      throw ApiError(Fault::kInvalid,
                     "'words' is for a token classifier; model '" + model->source.name + "' reads labels", "words");
    }
    LabelRequest request = label_request(call);
    check_labels(call, request.labels, texts);
    auto job = new_job(call, std::move(model), std::move(request), std::move(texts), "input");
    divide_texts(call, *job, long_texts, merge_entities);
    return Computing{std::move(job),
                     [unit](const Job& done) {
                       return entities_body(
                           done, unit, [&](size_t i) -> auto& { return done.outputs[i].entities; });
                     },
                     true};
  }
  require_no_labels(call, model->source.name);
  const Grouping how{words ? word_aggregation(call.body) : aggregation_of(call.body, "aggregation"),
                     scheme_of(call.body)};
  auto job = new_job(call, std::move(model), HeadOptions{Head::kTokenClassification}, std::move(texts),
                     words ? "words" : "input");
  job->request.keeps_encoding = true;
  divide_texts(call, *job, long_texts, merge_tagged(how.aggregation, how.scheme));
  return Computing{std::move(job), [how, unit](const Job& done) { return tagged_body(done, unit, how); }, true};
}

HandlerResult vllm_pooling(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kTagger);
  if (reads_labels(model->model, LabelTask::kEntities)) {
    throw ApiError(Fault::kWrongKind,
                   "model '" + model->source.name + "' reads labels, expected a token classifier; /v1/ner takes labels",
                   "model");
  }
  optional_word(call.body, "task", {"token_classify"});
  optional_word(call.body, "encoding_format", {"float"});
  const bool activates = optional_bool(call.body, "use_activation").value_or(true);
  auto job = new_job(call, std::move(model), HeadOptions{Head::kTokenClassification}, only_texts(call), "input");
  job->request.may_truncate = call.options().auto_truncate;
  return Computing{std::move(job), [activates](const Job& done) {
                     std::string data;
                     size_t index = 0;
                     common::append_list(data, done.outputs, [&](std::string& out, const TextOutput& one) {
                       std::vector<float> values = one.logits.values;
                       for (size_t row = 0; activates && row < one.logits.rows; ++row) {
                         const auto scores = softmax(
                             std::span(one.logits.values).subspan(row * one.logits.outputs, one.logits.outputs));
                         std::transform(scores.begin(), scores.end(), &values[row * one.logits.outputs],
                                        [](double score) { return static_cast<float>(score); });
                       }
                       JsonWriter object;
                       object.number("index", uint64_t{index++});
                       object.string("object", "pooling");
                       const size_t shape[] = {one.logits.rows, one.logits.outputs};
                       common::append_tensor(object.member("data"), values, shape);
                       out += object.take();
                     });
                     JsonWriter object, usage;
                     object.string("object", "list");
                     object.string("model", done.model->source.name);
                     object.member("data") += data;
                     usage.number("prompt_tokens", uint64_t{usage_of(done).tokens});
                     usage.number("total_tokens", uint64_t{usage_of(done).tokens});
                     object.member("usage") += usage.take();
                     add_compute(object, done);
                     return object.take();
                   }};
}

}  // namespace bert::server
