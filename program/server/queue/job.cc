#include "program/server/queue/job.h"

#include <algorithm>
#include <utility>

namespace bert::server {

TextTaskRunner runner_of(const Job& job, ReserveCallback reserve) {
  const Model& model = job.model->model;
  const TextRequest& request = job.request;
  TokenizeOptions tokenize;
  if (request.task) tokenize = default_tokenize_options(model, *request.task);
  tokenize.truncation = request.truncation;
  tokenize.truncation_direction = request.truncation_direction;
  tokenize.add_special_tokens = request.add_special_tokens;
  const Tokenizer& tokenizer = model.tokenizer();  // throws if there is none
  if (!request.task) return TextTaskRunner(tokenizer, {.tokenize = tokenize});
  tokenize.only_ids = !request.keeps_encoding;
  tokenize.stride = request.stride.value_or(0);
  if (request.max_length > 0) tokenize.max_length = std::min(tokenize.max_length, request.max_length);
  tokenize.max_windows = request.max_windows;
  tokenize.pair_tokens = request.pair_tokens;
  return TextTaskRunner(model, *request.task,
                        {.tokenize = tokenize,
                         .windows = request.stride.has_value(),
                         .fits_stride = request.fits_stride,
                         .reserve = std::move(reserve)});
}

TextItem queued_item(const Job& job, size_t text, size_t* truncated) {
  TextItem item = job.texts[text];
  if (item.words) return item;
  if (!item.ids) {
    item.text.insert(0, job.request.prompt);
    return item;
  }
  const Model& model = job.model->model;
  const size_t special = model.tokenizer().added_special_tokens(false);
  const size_t most = model.max_length();
  const size_t kept = std::min(most > special ? most - special : 0, item.ids->size());
  if (truncated != nullptr) *truncated = item.ids->size() - kept;
  item.ids = model.tokenizer().with_special_tokens({item.ids->data(), kept});
  return item;
}

size_t bytes_of(const TextItem& text) {
  size_t bytes = text.text.size() + (text.pair ? text.pair->size() : 0);
  if (text.ids) bytes += sizeof(int32_t) * text.ids->size();
  if (text.words) {
    for (const std::string& word : *text.words) bytes += sizeof(std::string) + word.size();
  }
  return bytes;
}

}  // namespace bert::server
