// The C interface (C99) to bert/labels.h: names in a text, by labels that the caller chooses.
//
//   const char* labels[] = {"person", "city"};
//   bert_entity entities[64];
//   size_t count = 0;
//   if (bert_find_entities(model, text, BERT_TO_NUL, labels, 2, NULL, entities, 64, &count) == BERT_OK)
//     for (size_t i = 0; i < count; ++i)
//       printf("%.*s: %s\n", (int)(entities[i].end - entities[i].start), text + entities[i].start,
//              labels[entities[i].label]);
#ifndef BERT_BERT_LABELS_H
#define BERT_BERT_LABELS_H

#include "bert/bert.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bert_label_options {
  size_t struct_bytes;
  double threshold;     // entities have scores above it, up to 1; 0: 0.5
  int nested;           // not 0: an entity may lie in another one
  int multi_label;      // not 0: a span may have several labels
  int32_t offset_unit;  // a bert_offset_unit: of bert_entity's start and end
} bert_label_options;
#define BERT_LABEL_OPTIONS_INIT \
  { sizeof(bert_label_options), 0, 0, 0, BERT_BYTES }

// A part of the text. This structure never grows.
typedef struct bert_entity {
  size_t start;  // in the text, in the options' unit, half-open
  size_t end;
  size_t code_point_start;  // the same in code points
  size_t code_point_end;
  size_t label;  // index of the caller's labels; of a repeated label the first
  double score;
} bert_entity;

// What a model that reads labels is asked for.
typedef enum bert_label_task { BERT_LABEL_ENTITIES = 0, BERT_LABEL_CLASSES = 1 } bert_label_task;

// 1 if the model reads labels for the task, else 0.
BERT_API int bert_model_reads_labels(const bert_model* model, bert_label_task task);

// The entities of a text in its order, into entities, with room for `capacity`. *count receives their number, also for
// BERT_BUFFER_TOO_SMALL. labels: [label_count], each up to its zero byte; none is empty. options: NULL for the
// defaults. BERT_UNSUPPORTED for a model that does not read labels
// for entities.
BERT_API bert_status bert_find_entities(const bert_model* model, const char* text, size_t text_bytes,
                                        const char* const* labels, size_t label_count,
                                        const bert_label_options* options, bert_entity* entities, size_t capacity,
                                        size_t* count);

// How well each label fits a text, into scores: [label_count], in the labels' order; a repeated label has the score of
// the first. multi_label: not 0: each score stands alone, from 0 to 1; 0: they sum to 1. BERT_UNSUPPORTED for a model
// that does not read labels for classes.
BERT_API bert_status bert_score_labels(const bert_model* model, const char* text, size_t text_bytes,
                                       const char* const* labels, size_t label_count, int multi_label, double* scores);

#ifdef __cplusplus
}
#endif

#endif
