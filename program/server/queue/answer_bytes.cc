#include "program/server/queue/answer_bytes.h"

#include <variant>

#include "bert/tasks.h"

namespace bert::server {
namespace {

// Bytes per number or token of an output: its own, and its part of an answer in its largest form.
constexpr size_t kFloatBytes = sizeof(float) + 16;
constexpr size_t kSparseBytes = 8 + 48;
constexpr size_t kTokenBytes = 64 + 112;
constexpr size_t kEntityBytes = sizeof(Entity) + 256;
constexpr size_t kChunkBytes = sizeof(TextChunk) + 160;
constexpr size_t kLabelBytes = sizeof(LabelScore) + 64;
constexpr size_t kWordBytes = sizeof(WordLabel) + 24 + 64;  // 24: the list of its tokens' scores

// An overload for each type of output. The members of a structure are named, so that a new member fails to compile
// until it is counted.
size_t bytes_with_answer(std::monostate) { return 0; }

size_t bytes_with_answer(const std::vector<float>& values) { return kFloatBytes * values.size(); }

size_t bytes_with_answer(const EncodedSequence& encoded) {
  const auto& [rows, hidden, states, pooled, layers, attentions, contacts] = encoded;
  return kFloatBytes * (states.size() + pooled.size() + layers.size() + attentions.size() + contacts.size());
}

size_t bytes_with_answer(const TextVectors& vectors) {
  const auto& [dense, chunks, sparse, of_tokens] = vectors;
  return kFloatBytes * (dense.size() + of_tokens.values.size()) + kSparseBytes * sparse.ids.size() +
         kChunkBytes * chunks.size();
}

size_t bytes_with_answer(const Logits& logits) { return bytes_with_answer(logits.values); }

size_t bytes_with_answer(const std::vector<Entity>& entities) {
  size_t bytes = 0;
  for (const Entity& entity : entities)
    bytes += kEntityBytes + kTextBytes * (entity.entity.size() + entity.word.size());
  return bytes;
}

size_t bytes_with_answer(const std::vector<LabelScore>& scores) {
  size_t bytes = 0;
  for (const LabelScore& score : scores) bytes += kLabelBytes + kTextBytes * score.label.size();
  return bytes;
}

// In the answer, special tokens have their names, and other tokens their part of the text.
size_t bytes_of_tokens(const Model& model, const Encoding& encoding) {
  size_t bytes = kTokenBytes * encoding.size();
  for (size_t i = 0; i < encoding.size() && i < encoding.special_tokens_mask.size(); ++i) {
    if (encoding.special_tokens_mask[i] != 0) bytes += kTextBytes * model.tokenizer().token(encoding.ids[i]).size();
  }
  for (const Offset& word : encoding.offsets) bytes += kTextBytes * (word.end - word.begin);
  return bytes;
}

// Returns the bytes of what an answer makes of logits and the model's own labels: scores with all names for each row,
// or an entity for each token.
size_t bytes_of_own_labels(const Job& job, const TextResult& result) {
  const auto* task = job.request.task ? std::get_if<HeadOptions>(&*job.request.task) : nullptr;
  if (task == nullptr) return 0;
  const auto& logits = std::get<Logits>(result.output);
  const size_t names = kTextBytes * job.model->label_bytes * logits.rows;
  if (task->head == Head::kSequenceClassification) return names + kLabelBytes * logits.values.size();
  if (!job.request.keeps_encoding) return 0;
  if (!result.input.words) return names + kEntityBytes * result.tokens.encoding.size();
  size_t bytes = names + sizeof(double) * logits.values.size();
  for (const std::string& word : *result.input.words) bytes += kWordBytes + kTextBytes * word.size();
  return bytes;
}

}  // namespace

size_t answer_bytes(const Job& job, const TextResult& result, bool keeps_encoding) {
  size_t bytes = bytes_of_own_labels(job, result) +
                 std::visit([](const auto& output) { return bytes_with_answer(output); }, result.output);
  if (keeps_encoding) bytes += bytes_of_tokens(job.model->model, result.tokens.encoding);
  return bytes;
}

size_t answer_bytes(const Job& job, const OutputSize& size) {
  const auto* task = job.request.task ? std::get_if<ModelTaskPtr>(&*job.request.task) : nullptr;
  const bool finds = task != nullptr && (*task)->finds_entities();
  return (finds ? kEntityBytes : kLabelBytes) * size.items + kTextBytes * size.text_bytes;
}

}  // namespace bert::server
