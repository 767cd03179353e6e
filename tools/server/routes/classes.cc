// Classes of texts: of the labels that a request has, or of those of a classifier.
#include <utility>

#include "bert/tasks.h"
#include "tools/server/routes/handlers.h"
#include "tools/server/routes/json_body.h"
#include "tools/server/routes/label_body.h"
#include "tools/server/routes/windows.h"

namespace bert::server {
namespace {

std::string classes_body(const Job& job, size_t most, bool has_scores) {
  return list_of_texts(job, "labels", [&](common::JsonWriter& object, size_t index) {
    const TextOutput& output = job.outputs[index];
    std::vector<LabelScore> scores =
        has_scores ? output.label_scores : label_scores(job.model->model.config(), output.logits);
    if (most < scores.size()) scores.resize(most);
    common::append_scores(object.member("labels"), scores);
  });
}

// Merges the windows' scores of a classifier's own labels.
MergeWindows merge_own_labels(WindowScores how) {
  return [how](const WindowOutputs& windows, TextOutput& whole) {
    std::vector<std::vector<LabelScore>> scores;
    for (const TextOutput& window : windows.outputs) {
      scores.push_back(label_scores(windows.job.model->model.config(), window.logits));
    }
    whole.label_scores = merge_windows(scores, how);
  };
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
  const size_t most = optional_size(call.body, "top_k").value_or(SIZE_MAX);
  const bool reads = reads_labels(model->model, LabelTask::kClasses);
  TextTask task = HeadOptions{Head::kSequenceClassification};
  if (reads) {
    ClassRequest request{.labels = labels_of(call),
                         .multi_label = optional_bool(call.body, "multi_label").value_or(false)};
    check_labels(call, request.labels, texts);
    task = std::move(request);
  } else {
    require_no_labels(call, model->source.name);
  }
  auto job = new_job(call, std::move(model), std::move(task), std::move(texts), "input");
  const WindowScores how = window_scores_of(call.body);
  const LongText by_default = call.options().auto_truncate ? LongText::kCut : LongText::kError;
  divide_texts(call, *job, long_texts_of(call.body, by_default),
               reads ? merge_label_scores(how) : merge_own_labels(how));
  return Computing{std::move(job),
                   [most, reads](const Job& done) { return classes_body(done, most, reads || !done.windows.empty()); },
                   true};
}

}  // namespace bert::server
