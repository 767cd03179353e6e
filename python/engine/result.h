// What a run found in one text. Immutable but for the arrays that are handed to Python once.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bert/tasks.h"
#include "bert/text_pipeline.h"
#include "python/engine/arrays.h"

namespace bert::python {

class Result {
 public:
  // windows: of one text, at least one. `model` is a Python object of the class Model.
  Result(nanobind::object model, std::vector<TextResult> windows);

  size_t index() const { return first().index; }
  size_t truncated_tokens() const;
  size_t unknown_tokens() const;

  // The tokens of the text, or of its first window.
  std::vector<std::string> tokens() const;
  Array<int32_t> ids() const;                  // [tokens]
  Array<int32_t> type_ids() const;             // [tokens]
  Array<uint8_t> special_tokens_mask() const;  // [tokens]
  Array<int32_t> word_ids() const;             // [tokens]
  Array<int64_t> offsets() const;              // [tokens, 2], in code points

  // Each once: the memory becomes the array's. None if the model has no pooler, or if they were not requested.
  Array<float> last_hidden_state();  // [tokens, hidden]
  nanobind::object pooler_output();  // [hidden]
  nanobind::object hidden_states();  // [layers + 1, tokens, hidden]
  nanobind::object attentions();     // [layers, heads, tokens, tokens]

  const TextResult& text_result() const { return first(); }  // of the first window

  // Lists of dicts, as in python/bert_infer/types.py.
  nanobind::list labels() const;
  const Logits& head_logits() const { return first().logits; }
  nanobind::list entities(Aggregation aggregation) const;
  nanobind::list labelled_entities() const;  // of a LabelRequest
  nanobind::list class_scores() const;       // of a ClassRequest
  nanobind::list answers(const AnswerOptions& options) const;
  nanobind::list masks(size_t top_k, const std::vector<std::string>& targets) const;
  float logit() const;  // of a classifier with one label
  const TextVectors& vectors() const;
  double relevance() const;           // the same after the model's activation
  Array<float> logits() const;        // [rows, outputs] of the text, or of its first window
  Array<int32_t> sparse_ids() const;  // of the first window
  Array<float> sparse_weights() const;
  Array<float> embedding() const;      // [size], of the first window
  Array<float> token_vectors() const;  // [vectors, size]
  Array<float> chunk_vectors() const;  // [chunks, size]
  Array<int64_t> chunk_spans() const;  // [chunks, 2], in code points

 private:
  const Model& model() const { return nanobind::cast<const Model&>(model_); }
  const TextResult& first() const { return windows_.front(); }
  std::vector<TokenLogits> token_logits() const;

  nanobind::object model_;
  std::vector<TextResult> windows_;
};

nanobind::list label_list(const std::vector<LabelScore>& labels);  // of dicts {"label", "score"}

}  // namespace bert::python
