// Computes a task for texts: which prompt and role they have, what may share a pass, and each pass.
#include <algorithm>
#include <new>
#include <optional>
#include <utility>
#include <variant>

#include "bert/text_pipeline.h"
#include "models/model/label_request.h"
#include "models/model/logit_score.h"
#include "models/model/resolved_request.h"
#include "models/pipeline/text_cutter.h"
#include "models/text/chunker.h"

namespace bert {
namespace {

constexpr size_t kBatchTokens = 2048;           // enough rows to share each weight that is read
constexpr size_t kBatchTokensWithLayers = 512;  // hidden states and attentions are many times larger
constexpr size_t kMostThreadsWithLess = 4;      // further threads do not make batches smaller

TextOptions checked(const Model& model, const TextTask& task, TextOptions options) {
  if (options.tokenize) check_max_length(options.tokenize->max_length, model.max_positions());
  const auto* request = std::get_if<VectorRequest>(&task);
  if (request == nullptr || !request->chunks) return options;
  if (options.windows) throw Error(ErrorCode::kInvalidArgument, "windows of texts in chunks, expected whole texts");
  if (options.tokenize) options.tokenize->only_ids = false;
  return options;
}

std::optional<ResolvedRequest> resolve_task(const Model& model, const TextTask& task) {
  if (const auto* head = std::get_if<HeadOptions>(&task)) model.require(head->head);
  if (const auto* request = std::get_if<VectorRequest>(&task)) return resolve(model, *request);
  return std::nullopt;
}

std::optional<PreparedLabels> labels_of(const Model& model, const TextTask& task) {
  if (const auto* request = std::get_if<LabelRequest>(&task)) return prepare_labels(model, *request);
  if (const auto* request = std::get_if<ClassRequest>(&task)) return prepare_labels(model, *request);
  return std::nullopt;
}

std::string prompt_of(const TextTask& task, const std::optional<ResolvedRequest>& request) {
  if (const auto* head = std::get_if<HeadOptions>(&task)) return head->prompt;
  return request ? request->prompt : "";
}

}  // namespace

struct TextTaskRunner::Impl {
  Impl(const Tokenizer& tokenizer, const TextOptions& options)
      : batch_tokens(options.batch_tokens), cutter(&tokenizer, nullptr, options, "") {}
  Impl(const Model& model_given, const TextTask& task_given, const TextOptions& options)
      : model(&model_given),
        task(task_given),
        request(resolve_task(model_given, task_given)),
        labels(labels_of(model_given, task_given)),
        batch_tokens(options.batch_tokens),
        cutter(model->has_tokenizer() ? &model->tokenizer() : nullptr, model, checked(model_given, task, options),
               prompt_of(task, request), request ? request->role : std::nullopt, labels ? &*labels : nullptr) {}

  void run(std::span<TextResult* const> pass) const;
  void divide(TextResult& result, std::span<const Offset> spans) const;
  bool needs_pairs() const;
  void compute(std::span<TextResult* const> pass) const;

  const Model* model = nullptr;
  const TextTask task;
  const std::optional<ResolvedRequest> request;
  const std::optional<PreparedLabels> labels;
  const size_t batch_tokens;
  const TextCutter cutter;
};

// A model that scores a query and a document has no score of a text alone.
bool TextTaskRunner::Impl::needs_pairs() const {
  return std::holds_alternative<HeadOptions>(task) && has_logit_score(*model);
}

// A text into its chunks, or its error.
void TextTaskRunner::Impl::divide(TextResult& result, std::span<const Offset> spans) const {
  if (result.error) return;
  try {
    if (!result.from_text) throw Error(ErrorCode::kInvalidArgument, "ids, expected a text: it is divided into chunks");
    if (!result.pair.empty()) throw Error(ErrorCode::kInvalidArgument, "a pair, expected a text: it is divided");
    result.vectors.chunks = chunks_of(result.encoding, result.text, request->prompt.size(), *request->chunks, spans);
  } catch (const Error& error) {
    result.error = error;
  }
}

// One forward pass.
void TextTaskRunner::Impl::run(std::span<TextResult* const> pass) const {
  std::vector<TokenSequence> batch;
  for (const TextResult* result : pass) batch.push_back(cutter.sequence(*result));
  const auto give = [&]<class Output>(std::vector<Output> outputs, Output TextResult::*member) {
    for (size_t i = 0; i < pass.size(); ++i) pass[i]->*member = std::move(outputs[i]);
  };
  if (const auto* encode = std::get_if<EncodeOptions>(&task)) {
    give(model->encode(batch, *encode), &TextResult::encoded);
  } else if (const auto* head = std::get_if<HeadOptions>(&task)) {
    give(model->logits(head->head, batch, head->logits), &TextResult::logits);
  } else if (labels) {
    std::vector<const Encoding*> encodings;
    std::vector<std::string_view> texts;
    for (const TextResult* result : pass) {
      encodings.push_back(&result->encoding);
      texts.push_back(result->text);
    }
    std::vector<LabelResult> results = label_results(*model, batch, encodings, texts, *labels);
    for (size_t i = 0; i < pass.size(); ++i) {
      pass[i]->entities = std::move(results[i].entities);
      pass[i]->label_scores = std::move(results[i].scores);
    }
  } else if (request && request->chunks) {
    std::vector<std::vector<TextChunk>> chunks;
    for (const TextResult* result : pass) chunks.push_back(result->vectors.chunks);
    give(vectors_of_chunks(*model, *request->dense, batch, chunks), &TextResult::vectors);
  } else if (request) {
    std::vector<TextRole> roles;
    for (const TextResult* result : pass) roles.push_back(result->role);
    give(vectors_of(*model, *request, batch, roles), &TextResult::vectors);
  }
}

void TextTaskRunner::Impl::compute(std::span<TextResult* const> pass) const {
  if (pass.empty()) return;
  std::optional<Error> failure;
  try {
    return run(pass);
  } catch (const Error& error) {
    failure = error;
  } catch (const std::bad_alloc&) {
    failure = Error(ErrorCode::kOutOfMemory, "not enough memory for a forward pass of this text");
  }
  if (pass.size() == 1) {
    pass[0]->error = std::move(failure);
    return;
  }
  compute(pass.first(pass.size() / 2));
  compute(pass.subspan(pass.size() / 2));
}

TextTaskRunner::TextTaskRunner(const Model& model, const TextTask& task, const TextOptions& options)
    : impl_(std::make_unique<const Impl>(model, task, options)) {}
TextTaskRunner::TextTaskRunner(const Tokenizer& tokenizer, const TextOptions& options)
    : impl_(std::make_unique<const Impl>(tokenizer, options)) {}
TextTaskRunner::~TextTaskRunner() = default;
TextTaskRunner::TextTaskRunner(TextTaskRunner&&) noexcept = default;
TextTaskRunner& TextTaskRunner::operator=(TextTaskRunner&&) noexcept = default;

std::vector<TextResult> TextTaskRunner::cut(TextItem item, size_t index) const {
  const std::vector<Offset> spans = std::move(item.spans);
  if (!item.error && !item.ids && !item.pair && impl_->needs_pairs()) {
    item.error.emplace(ErrorCode::kInvalidText, "a text without its pair, expected a query and a document");
  }
  std::vector<TextResult> results = impl_->cutter.cut(std::move(item), index);
  if (impl_->request && impl_->request->chunks) {
    for (TextResult& result : results) impl_->divide(result, spans);
  }
  return results;
}

bool TextTaskRunner::shares_passes_with(const TextTaskRunner& other) const {
  const Impl &a = *impl_, &b = *other.impl_;
  if (a.model != b.model || a.task.index() != b.task.index()) return false;
  if (const auto* encode = std::get_if<EncodeOptions>(&a.task)) return *encode == std::get<EncodeOptions>(b.task);
  if (const auto* head = std::get_if<HeadOptions>(&a.task)) return *head == std::get<HeadOptions>(b.task);
  if (a.labels) return a.labels->request == b.labels->request;
  return !a.request || a.request->has_same_kinds(*b.request);
}

void TextTaskRunner::compute(std::span<TextResult* const> pass) const {
  if (!computes()) return;
  std::vector<TextResult*> sound;
  for (TextResult* result : pass) {
    if (!result->error) sound.push_back(result);
  }
  impl_->compute(sound);
}

bool TextTaskRunner::computes() const { return !std::holds_alternative<std::monostate>(impl_->task); }

size_t TextTaskRunner::pass_tokens(size_t threads) const {
  if (impl_->batch_tokens > 0) return impl_->batch_tokens;
  const auto* encode = std::get_if<EncodeOptions>(&impl_->task);
  const bool layers = encode != nullptr && (encode->hidden_states || encode->attentions);
  return (layers ? kBatchTokensWithLayers : kBatchTokens) / std::min(threads, kMostThreadsWithLess);
}

}  // namespace bert
