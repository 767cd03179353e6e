// The C interface's calls from tokens and texts to numbers.
#include <vector>

#include "bindings/c/c_api.h"
#include "models/pipeline/computation.h"

namespace bert::c_api {

EmbedOptions embed_options(const bert_embed_options* given) {
  const bert_embed_options known = known_part(given);
  static constexpr PoolingMode kModes[] = {
      PoolingMode::kCls,      PoolingMode::kMean,           PoolingMode::kMax,
      PoolingMode::kPooler,   PoolingMode::kMeanSqrtLength, PoolingMode::kWeightedMean,
      PoolingMode::kLastToken};
  EmbedOptions options;
  const size_t pooling = index_of(known.pooling, std::size(kModes) + 1, "pooling");
  if (pooling > 0) options.pooling = kModes[pooling - 1];
  options.normalize = choice_of(known.normalize, "normalize");
  if (known.dimensions > 0) options.dimensions = known.dimensions;
  if (known.prompt != nullptr) options.prompt = known.prompt;
  return options;
}

std::optional<LongText> long_text_of(int32_t long_text) {
  static constexpr LongText kLongTexts[] = {LongText::kCut, LongText::kWindows, LongText::kError};
  const size_t index = index_of(long_text, std::size(kLongTexts) + 1, "long_text");
  if (index == 0) return std::nullopt;
  return kLongTexts[index - 1];
}

Truncation truncation_of(int32_t long_text) {
  const std::optional<LongText> chosen = long_text_of(long_text);
  if (chosen == LongText::kWindows) refuse("long_text: windows, expected a text that is cut off, or an error");
  return chosen == LongText::kError ? Truncation::kError : Truncation::kLongestFirst;
}

ProgressCallback progress_of(bert_progress progress, void* context) {
  if (progress == nullptr) return {};
  return [=](const TextProgress& done) { return progress(context, done.texts, done.tokens) != 0; };
}

TextResult read_text(const Model& model, std::string_view text, const VectorRequest& request, int32_t long_text) {
  TextOptions options{.tokenize = ids_alone(model, request)};
  options.tokenize->truncation = truncation_of(long_text);
  return run_one(model, request, {.text = std::string(text)}, options);
}

namespace {

Head head_of(int32_t head) {
  static constexpr Head kHeads[] = {Head::kMaskedLm,          Head::kSequenceClassification, Head::kTokenClassification,
                                    Head::kQuestionAnswering, Head::kNextSentence,           Head::kMultipleChoice,
                                    Head::kReplacedTokens};
  return kHeads[index_of(head, std::size(kHeads), "head")];
}

TokenSequence sequence_of(const bert_sequence& given) {
  TokenSequence sequence;
  if (given.size == 0) return sequence;
  sequence.ids = {&need(given.ids, "ids"), given.size};
  if (given.type_ids != nullptr) sequence.type_ids = {given.type_ids, given.size};
  if (given.attention_mask != nullptr) sequence.attention_mask = {given.attention_mask, given.size};
  return sequence;
}

std::vector<std::string_view> views_of(const char* const* texts, const size_t* text_bytes, size_t count) {
  if (count > 0) need(texts, "texts");
  std::vector<std::string_view> views;
  for (size_t i = 0; i < count; ++i) {
    views.push_back(text_of(texts[i], text_bytes == nullptr ? BERT_TO_NUL : text_bytes[i], "a text"));
  }
  return views;
}

void copy_reports(const std::vector<TextReport>& from, bert_text_report* reports) {
  if (reports == nullptr) return;
  for (const TextReport& report : from) {
    const bert_status status = report.error ? status_of(report.error->code()) : BERT_OK;
    *reports++ = {status, report.tokens, report.truncated_tokens, report.unknown_tokens};
  }
}

// Copies the reports, and throws the Error of the first text that failed.
void finish_texts(const std::vector<TextReport>& from, bert_text_report* reports) {
  copy_reports(from, reports);
  for (size_t i = 0; i < from.size(); ++i) {
    const std::optional<Error>& error = from[i].error;
    if (error) throw Error(error->code(), "text " + std::to_string(i) + ": " + error->what());
  }
}

// A count that cannot fit into memory is reported as the caller's mistake.
constexpr size_t kMaxSequences = PTRDIFF_MAX / sizeof(bert_sequence);

[[noreturn]] void refuse_count(size_t count) {
  refuse("count is " + std::to_string(count) + ", expected at most " + std::to_string(kMaxSequences));
}

std::vector<TokenSequence> batch_of(const bert_sequence* sequences, size_t count) {
  if (count > 0) need(sequences, "sequences");
  if (count > kMaxSequences) refuse_count(count);
  std::vector<TokenSequence> batch;
  batch.reserve(count);
  for (size_t i = 0; i < count; ++i) batch.push_back(sequence_of(sequences[i]));
  return batch;
}

float* floats_of(const bert_floats& given, size_t needed, const std::string& where) {
  if (given.data == nullptr || needed == 0) return nullptr;
  check_room(given.capacity, needed, "floats of " + where);
  return given.data;
}

// Checks the buffer's capacity, and returns the number of floats of a vector.
size_t check_vectors(const Model& model, const EmbedOptions& options, size_t count, size_t capacity) {
  const size_t size = model.embedding_size(options);
  if (count > kMaxSequences) refuse_count(count);
  if (capacity / size >= count) return size;
  throw TooSmall("room for " + std::to_string(capacity) + " floats of vectors, expected " + std::to_string(count) +
                 " times " + std::to_string(size));
}

}  // namespace
}  // namespace bert::c_api

using namespace bert;
using namespace bert::c_api;

bert_status bert_encode_get_sizes(const bert_model* handle, const bert_sequence* sequence, bert_encode_sizes* sizes) {
  return guard([&] {
    need(sizes, "sizes");
    constexpr size_t kFirstBytes = offsetof(bert_encode_sizes, attentions) + sizeof(size_t);
    known_part(sizes, kFirstBytes);
    const Model& model = need(handle, "model").model;
    const size_t size = need(sequence, "sequence").size;
    if (size > model.max_positions()) {
      refuse(std::to_string(size) + " tokens, expected at most " + std::to_string(model.max_positions()));
    }
    const EncodeSizes found = model.sizes(sequence_of(*sequence));
    sizes->rows = found.tokens;
    sizes->last_hidden_state = found.last_hidden_state;
    sizes->pooler_output = found.pooler_output;
    sizes->hidden_states = found.hidden_states;
    sizes->attentions = found.attentions;
  });
}

bert_status bert_encode(const bert_model* handle, const bert_sequence* sequences, size_t count,
                        const bert_encode_buffers* buffers) {
  return guard([&] {
    const Model& model = need(handle, "model").model;
    const std::vector<TokenSequence> batch = batch_of(sequences, count);
    if (count > 0) need(buffers, "buffers");
    std::vector<EncodeBuffers> to(count);
    for (size_t i = 0; i < count; ++i) {
      const EncodeSizes sizes = model.sizes(batch[i]);
      const std::string of = " of sequence " + std::to_string(i);
      to[i].last_hidden_state =
          floats_of(buffers[i].last_hidden_state, sizes.last_hidden_state, "last_hidden_state" + of);
      to[i].pooler_output = floats_of(buffers[i].pooler_output, sizes.pooler_output, "pooler_output" + of);
      to[i].hidden_states = floats_of(buffers[i].hidden_states, sizes.hidden_states, "hidden_states" + of);
      to[i].attentions = floats_of(buffers[i].attentions, sizes.attentions, "attentions" + of);
    }
    model.encode(batch, to);
  });
}

bert_status bert_embed_get_size(const bert_model* model, const bert_embed_options* options, size_t* size) {
  return guard([&] { need(size, "size") = need(model, "model").model.embedding_size(embed_options(options)); });
}

bert_status bert_embed(const bert_model* handle, const bert_sequence* sequences, size_t count,
                       const bert_embed_options* options, float* vectors, size_t capacity) {
  return guard([&] {
    const Model& model = need(handle, "model").model;
    const EmbedOptions chosen = embed_options(options);
    const size_t size = check_vectors(model, chosen, count, capacity);
    const std::vector<TokenSequence> batch = batch_of(sequences, count);
    if (count > 0) need(vectors, "vectors");
    model.embed(batch, {vectors, count * size}, chosen);
  });
}

bert_status bert_embed_text(const bert_model* handle, const char* text, size_t text_bytes,
                            const bert_embed_options* options, float* vector, size_t capacity) {
  return guard([&] {
    const Model& model = need(handle, "model").model;
    const EmbedOptions chosen = embed_options(options);
    const std::string_view whole = text_of(text, text_bytes, "text");
    check_room(capacity, model.embedding_size(chosen), "floats of the vector");
    const bert_embed_options known = known_part(options);
    const TextResult made = read_text(model, whole, {.dense = chosen}, known.long_text);
    if (known.report != nullptr) {
      *known.report = {BERT_OK, made.tokens.encoding.size(), made.tokens.encoding.truncated_tokens,
                       made.tokens.unknown_tokens};
    }
    copy_if_wanted(made.vectors().dense, &need(vector, "vector"));
  });
}

bert_status bert_embed_texts(const bert_model* handle, const char* const* texts, const size_t* text_bytes, size_t count,
                             const bert_embed_options* options, float* vectors, size_t capacity,
                             bert_text_report* reports) {
  return guard([&] {
    const Model& model = need(handle, "model").model;
    const EmbedOptions chosen = embed_options(options);
    const bert_embed_options known = known_part(options);
    const size_t size = check_vectors(model, chosen, count, capacity);
    if (count > 0) need(vectors, "vectors");
    const std::vector<std::string_view> views = views_of(texts, text_bytes, count);
    std::vector<TextReport> found(count);
    try {
      model.embed(views, {vectors, count * size}, found, chosen, progress_of(known.progress, known.progress_context),
                  truncation_of(known.long_text));
    } catch (const Error&) {
      copy_reports(found, reports);
      throw;
    }
    finish_texts(found, reports);
  });
}

bert_status bert_embed_sparse_texts(const bert_model* handle, const char* const* texts, const size_t* text_bytes,
                                    size_t count, const bert_sparse_options* options, size_t* row_starts, int32_t* ids,
                                    float* weights, size_t capacity, bert_text_report* reports) {
  return guard([&] {
    const Model& model = need(handle, "model").model;
    const bert_sparse_options known = known_part(options);
    VectorRequest request{.sparse = SparseOptions{}};
    if (known.max_active > 0) request.sparse->max_active = known.max_active;
    if (count > kMaxSequences) refuse_count(count);
    need(row_starts, "row_starts");
    if (capacity > 0) need(ids, "ids"), need(weights, "weights");
    const VectorTexts embedded =
        model.vectors(views_of(texts, text_bytes, count), request, progress_of(known.progress, known.progress_context),
                      truncation_of(known.long_text));
    row_starts[0] = 0;
    for (size_t i = 0; i < count; ++i) row_starts[i + 1] = row_starts[i] + embedded.vectors[i].sparse.ids.size();
    check_room(capacity, row_starts[count], "entries of the sparse vectors");
    for (size_t i = 0; i < count; ++i) {
      const SparseVector& vector = embedded.vectors[i].sparse;
      std::copy(vector.ids.begin(), vector.ids.end(), ids + row_starts[i]);
      std::copy(vector.weights.begin(), vector.weights.end(), weights + row_starts[i]);
    }
    finish_texts(embedded.reports, reports);
  });
}

bert_status bert_logits_get_sizes(const bert_model* handle, int32_t head, const bert_sequence* sequence, size_t* rows,
                                  size_t* outputs) {
  return guard([&] {
    need(rows, "rows"), need(outputs, "outputs");
    const Model& model = need(handle, "model").model;
    const LogitsSizes sizes = model.logits_sizes(head_of(head), sequence_of(need(sequence, "sequence")));
    *rows = sizes.rows;
    *outputs = sizes.outputs;
  });
}

bert_status bert_logits(const bert_model* handle, int32_t head, const bert_sequence* sequences, size_t count,
                        const bert_floats* logits) {
  return guard([&] {
    const Model& model = need(handle, "model").model;
    const Head chosen = head_of(head);
    const std::vector<TokenSequence> batch = batch_of(sequences, count);
    if (count > 0) need(logits, "logits");
    for (size_t i = 0; i < count; ++i) {
      const LogitsSizes sizes = model.logits_sizes(chosen, batch[i]);
      need(logits[i].data, "data of logits");
      check_room(logits[i].capacity, sizes.rows * sizes.outputs,
                 "floats of the logits of sequence " + std::to_string(i));
    }
    const std::vector<Logits> results = model.logits(chosen, batch);
    for (size_t i = 0; i < count; ++i) copy_if_wanted(results[i].values, logits[i].data);
  });
}

bert_status bert_cosine_similarity(const float* a, const float* b, size_t size, double* cosine) {
  return guard([&] {
    if (size > 0) need(a, "a"), need(b, "b");
    need(cosine, "cosine") = cosine_similarity({a, size}, {b, size});
  });
}
