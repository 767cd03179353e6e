// The C interface (C99) to bert/labels.h: names in a text and classes of a text, by labels that the caller chooses.
//
//   bert_text labels[] = {{"person", BERT_TO_NUL}, {"city", BERT_TO_NUL}};
//   bert_items* items = NULL;
//   if (bert_find_entities(model, text, labels, 2, NULL, &items) == BERT_OK && bert_items_count(items) > 0)
//     puts(bert_items_data(items)[0].text);
//   bert_items_free(items);
#ifndef BERT_BERT_LABELS_H
#define BERT_BERT_LABELS_H

#include "bert/bert.h"
#include "bert/bert_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a model that reads labels is asked for.
typedef enum bert_label_task { BERT_LABEL_ENTITIES = 0, BERT_LABEL_CLASSES = 1 } bert_label_task;

// 1 if the model reads labels for the task, else 0.
BERT_API int bert_model_reads_labels(const bert_model* model, bert_label_task task);

typedef struct bert_label_options {
  size_t struct_bytes;
  double threshold;     // entities have scores above it, up to 1; 0: 0.5
  int nested;           // not 0: an entity may lie in another one
  int multi_label;      // not 0: a span may have several labels
  int32_t offset_unit;  // a bert_offset_unit
  int32_t windows;      // a bert_windows; of two entities that overlap one is kept, as in bert/windows.h
  size_t stride;
  int32_t long_text;
  bert_progress progress;
  void* progress_context;
} bert_label_options;
#define BERT_LABEL_OPTIONS_INIT \
  { sizeof(bert_label_options), 0, 0, 0, BERT_BYTES, BERT_NO_WINDOWS, 0, BERT_LONG_TEXT_DEFAULT, NULL, NULL }

// The entities of a text (text: the label, index: of the caller's labels, score, start, end), in its order. labels:
// [count]; none is empty, of a repeated label the first counts. options: NULL for the defaults. BERT_UNSUPPORTED for a
// model that does not read labels for entities.
BERT_API bert_status bert_find_entities(const bert_model* model, bert_text text, const bert_text* labels, size_t count,
                                        const bert_label_options* options, bert_items** items);

typedef struct bert_class_options {
  size_t struct_bytes;
  int multi_label;  // not 0: each score stands alone, from 0 to 1; 0: they sum to 1
  int32_t windows;  // a bert_windows
  size_t stride;
  int32_t long_text;
  bert_progress progress;
  void* progress_context;
} bert_class_options;
#define BERT_CLASS_OPTIONS_INIT \
  { sizeof(bert_class_options), 0, BERT_NO_WINDOWS, 0, BERT_LONG_TEXT_DEFAULT, NULL, NULL }

// How well each label fits a text (text: the label, index, score), best first. labels and options as above.
// BERT_UNSUPPORTED for a model that does not read labels for classes.
BERT_API bert_status bert_score_labels(const bert_model* model, bert_text text, const bert_text* labels, size_t count,
                                       const bert_class_options* options, bert_items** items);

#ifdef __cplusplus
}
#endif

#endif
