// The C interface's calls for entities and classes by labels.
#include <algorithm>

#include "bert/bert_labels.h"
#include "bert/labels.h"
#include "models/c_api/c_api.h"

using namespace bert;
using namespace bert::c_api;

namespace {

std::vector<std::string> labels_of(const char* const* labels, size_t count) {
  std::vector<std::string> list;
  for (size_t i = 0; i < count; ++i) {
    need(labels, "labels");
    list.emplace_back(&need(labels[i], "a label"));
  }
  return list;
}

}  // namespace

int bert_model_reads_labels(const bert_model* model, bert_label_task task) {
  if (model == nullptr || (task != BERT_LABEL_ENTITIES && task != BERT_LABEL_CLASSES)) return 0;
  return reads_labels(model->model, static_cast<LabelTask>(task)) ? 1 : 0;
}

bert_status bert_find_entities(const bert_model* model, const char* text, size_t text_bytes, const char* const* labels,
                               size_t label_count, const bert_label_options* options, bert_entity* entities,
                               size_t capacity, size_t* count) {
  return guard([&] {
    need(count, "count");
    const bert_label_options known = known_part(options);
    LabelRequest request{.labels = labels_of(labels, label_count)};
    if (known.threshold != 0) request.threshold = known.threshold;
    request.nested = known.nested != 0;
    request.multi_label = known.multi_label != 0;
    const std::string_view whole = text_of(text, text_bytes, "text");
    const OffsetUnits units(whole, offset_unit(known.offset_unit));
    const std::vector<Entity> found = find_entities(need(model, "model").model, whole, request);
    *count = found.size();
    check_room(entities == nullptr ? 0 : capacity, found.size(), "entities");
    for (size_t i = 0; i < found.size(); ++i) {
      const auto label = std::find(request.labels.begin(), request.labels.end(), found[i].entity);
      entities[i] = {units.before(found[i].start),
                     units.before(found[i].end),
                     found[i].code_point_start,
                     found[i].code_point_end,
                     static_cast<size_t>(label - request.labels.begin()),
                     found[i].score};
    }
  });
}

bert_status bert_score_labels(const bert_model* model, const char* text, size_t text_bytes, const char* const* labels,
                              size_t label_count, int multi_label, double* scores) {
  return guard([&] {
    need(scores, "scores");
    const ClassRequest request{.labels = labels_of(labels, label_count), .multi_label = multi_label != 0};
    for (const LabelScore& found :
         score_labels(need(model, "model").model, text_of(text, text_bytes, "text"), request)) {
      for (size_t i = 0; i < label_count; ++i) {
        if (request.labels[i] == found.label) scores[i] = found.score;
      }
    }
  });
}
