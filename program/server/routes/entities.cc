// Entities in texts: by the request's labels, or by a token classifier's; and a token classifier's own scores, as in
// vLLM.
#include <algorithm>
#include <utility>

#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"
#include "program/server/routes/label_body.h"
#include "program/server/routes/windows.h"

namespace bert::server {
namespace {

std::string entities_body(const Job& job, std::optional<OffsetUnit> unit) {
  return list_of_texts(job, "entities", [&](JsonWriter& object, size_t index) {
    object.string("offsets", name(unit.value_or(OffsetUnit::kBytes)));
    object.member("entities") += json_of(job, index, unit);
  });
}

std::string words_body(const Job& job) {
  return list_of_texts(job, "words",
                       [&](JsonWriter& object, size_t index) { object.member("words") += json_of(job, index); });
}

}  // namespace

std::optional<OffsetUnit> offset_unit(const Call& call) {
  const auto given = call.word("offsets");
  for (const OffsetUnit unit : {OffsetUnit::kBytes, OffsetUnit::kCodePoints, OffsetUnit::kUtf16}) {
    if (given == name(unit)) return unit;
  }
  return std::nullopt;
}

HandlerResult ner(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kTagger);
  std::optional<std::vector<TextItem>> words = words_of(call, "input");
  std::vector<TextItem> texts = words ? std::move(*words) : only_texts(call);
  const std::optional<OffsetUnit> unit = offset_unit(call);
  const TaskSettings settings = label_settings(call, *model, LabelTask::kEntities, texts);
  const bool has_words = words.has_value();
  // Words are one sequence.
  const LongTexts long_texts = long_texts_of(call.body, settings, has_words ? LongText::kCut : LongText::kWindows);
  if (has_words && long_texts.kind == LongText::kWindows) {
    throw ApiError(Fault::kInvalid, "windows of 'words', expected 'input'", "long_text");
  }
  if (has_words && settings.has("labels")) {
    throw ApiError(Fault::kInvalid,
                   "'words' is for a token classifier; model '" + model->source.name + "' reads labels", "words");
  }
  if (has_words && settings.has("aggregation")) {  // for words
    check_word(settings.text("aggregation"), "aggregation",
               Words(kAggregationWords).subspan(static_cast<size_t>(Aggregation::kFirst)));
  }
  TaskCallPtr task = make_call(model->model, settings);
  return Computing{
      task_job(call, std::move(model), std::move(task), std::move(texts), has_words ? "words" : "input", long_texts),
      [has_words, unit](const Job& done) { return has_words ? words_body(done) : entities_body(done, unit); }, true};
}

HandlerResult vllm_pooling(const Call& call) {
  ServedModelPtr model = call.model(ModelKind::kTagger);
  if (reads_labels(model->model, LabelTask::kEntities)) {
    throw ApiError(Fault::kWrongKind,
                   "model '" + model->source.name + "' reads labels, expected a token classifier; /v1/ner takes labels",
                   "model");
  }
  call.word("task");
  call.word("encoding_format");
  const bool activates = optional_bool(call.body, "use_activation").value_or(true);
  auto job = new_job(call, std::move(model), HeadOptions{Head::kTokenClassification}, only_texts(call), "input");
  job->request.may_truncate = call.options().auto_truncate;
  return Computing{std::move(job), [activates](const Job& done) {
                     std::string data;
                     size_t index = 0;
                     append_list(data, done.outputs, [&](std::string& out, const TextOutput& one) {
                       const auto& logits = std::get<Logits>(one.output);
                       std::vector<float> values = logits.values;
                       for (size_t row = 0; activates && row < logits.rows; ++row) {
                         const auto scores =
                             softmax(std::span(logits.values).subspan(row * logits.outputs, logits.outputs));
                         std::transform(scores.begin(), scores.end(), &values[row * logits.outputs],
                                        [](double score) { return static_cast<float>(score); });
                       }
                       JsonWriter object;
                       object.number("index", uint64_t{index++});
                       object.string("object", "pooling");
                       const size_t shape[] = {logits.rows, logits.outputs};
                       append_tensor(object.member("data"), values, shape);
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
