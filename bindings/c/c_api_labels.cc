// The C interface's calls for entities and classes by labels.
#include "bert/bert_labels.h"
#include "bert/text_tasks.h"
#include "bindings/c/c_api.h"
#include "bindings/c/c_api_items.h"

using namespace bert;
using namespace bert::c_api;

int bert_model_reads_labels(const bert_model* model, bert_label_task task) {
  if (model == nullptr || (task != BERT_LABEL_ENTITIES && task != BERT_LABEL_CLASSES)) return 0;
  return reads_labels(model->model, static_cast<LabelTask>(task)) ? 1 : 0;
}

bert_status bert_find_entities(const bert_model* model, bert_text text, const bert_text* labels, size_t count,
                               const bert_label_options* options, bert_items** items) {
  return new_items(items, [&](bert_items& results) {
    const bert_label_options known = known_part(options);
    LabelRequest request{.labels = texts_of<std::string>(labels, count, "labels")};
    if (known.threshold != 0) request.threshold = known.threshold;
    request.nested = known.nested != 0;
    request.multi_label = known.multi_label != 0;
    const std::string_view whole = text_of(text, "text");
    const OffsetUnits units(whole, offset_unit(known.offset_unit));
    const auto entities = find_entities(need(model, "model").model, whole, request, window_options(known));
    results.truncated_tokens = entities.truncated_tokens;
    for (const Entity& found : entities) {
      bert_item& item = results.add(found.entity, request.labels);
      item.score = found.score;
      set_offsets(item, units, found.start, found.end);
    }
  });
}

bert_status bert_score_labels(const bert_model* model, bert_text text, const bert_text* labels, size_t count,
                              const bert_class_options* options, bert_items** items) {
  return new_items(items, [&](bert_items& results) {
    const bert_class_options known = known_part(options);
    const ClassRequest request{.labels = texts_of<std::string>(labels, count, "labels"),
                               .multi_label = known.multi_label != 0};
    const auto scores = score_labels(need(model, "model").model, text_of(text, "text"), request, window_options(known));
    results.truncated_tokens = scores.truncated_tokens;
    for (const LabelScore& found : scores) {
      results.add(found.label, request.labels).score = found.score;
    }
  });
}
