// Classes of texts: of the labels that a request has, or of those of a classifier.
#include <utility>

#include "bert/task_calls.h"
#include "program/server/routes/handlers.h"
#include "program/server/routes/json_body.h"
#include "program/server/routes/label_body.h"
#include "program/server/routes/windows.h"

namespace bert::server {
namespace {

std::string classes_body(const Job& job) {
  return list_of_texts(job, "labels",
                       [&](JsonWriter& object, size_t index) { object.member("labels") += json_of(job, index); });
}

// A model that finds entities by labels may score them for whole texts too.
ServedModelPtr class_model(const Call& call) {
  if (ServedModelPtr named = call.named(); named && reads_labels(named->model, LabelTask::kClasses)) return named;
  return call.model(ModelKind::kClassifier);
}

}  // namespace

HandlerResult classify(const Call& call) {
  ServedModelPtr model = class_model(call);
  std::vector<TextItem> texts = only_texts(call);
  const std::optional<size_t> top_k = optional_size(call.body, "top_k");
  std::optional<ClassRequest> request;
  if (reads_labels(model->model, LabelTask::kClasses)) {
    request =
        ClassRequest{.labels = labels_of(call), .multi_label = optional_bool(call.body, "multi_label").value_or(false)};
    check_labels(call, request->labels, texts);
  } else {
    require_no_labels(call, model->source.name);
  }
  TaskCallPtr task =
      classify_call(model->model, std::move(request), {.scores = window_scores_of(call.body), .top_k = top_k});
  const LongText by_default = call.options().auto_truncate ? LongText::kCut : LongText::kError;
  return Computing{task_job(call, std::move(model), std::move(task), std::move(texts), "input",
                            long_texts_of(call.body, by_default)),
                   classes_body, true};
}

}  // namespace bert::server
