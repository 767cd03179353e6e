// Classes of texts: by the request's labels, or by a classifier's.
#include <utility>

#include "program/server/routes/handlers.h"
#include "program/server/routes/label_body.h"
#include "program/server/routes/windows.h"

namespace bert::server {
namespace {

std::string classes_body(const Job& job) {
  return list_of_texts(job, "labels",
                       [&](JsonWriter& object, size_t index) { object.member("labels") += json_of(job, index); });
}

// Returns a model that scores labels for texts; a model that finds entities by labels may do that too.
ServedModelPtr class_model(const Call& call) {
  if (ServedModelPtr named = call.named(); named && reads_labels(named->model, LabelTask::kClasses)) return named;
  return call.model(ModelKind::kClassifier);
}

}  // namespace

HandlerResult classify(const Call& call) {
  ServedModelPtr model = class_model(call);
  std::vector<TextItem> texts = only_texts(call);
  const TaskSettings settings = label_settings(call, *model, LabelTask::kClasses, texts);
  TaskCallPtr task = make_call(model->model, settings);
  return Computing{task_job(call, std::move(model), std::move(task), std::move(texts), "input",
                            long_texts_of(call.body, settings, call.cut_or_error())),
                   classes_body, true};
}

}  // namespace bert::server
