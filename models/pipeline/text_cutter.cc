#include "models/pipeline/text_cutter.h"

#include <algorithm>
#include <new>
#include <utility>

#include "bert/token_vectors.h"
#include "models/model/logit_score.h"
#include "models/model/resolved_request.h"

namespace bert {
namespace {

TokenizeOptions tokenize_options(const Model* model, const TextOptions& options) {
  if (options.tokenize) return *options.tokenize;
  return {.max_length = model == nullptr ? 0 : model->max_length()};
}

}  // namespace

size_t count_unknown(const Tokenizer& tokenizer, const Encoding& encoding) {
  const std::optional<int32_t> unknown = tokenizer.unknown_id();
  if (!unknown) return 0;
  return static_cast<size_t>(std::count(encoding.ids.begin(), encoding.ids.end(), *unknown));
}

TextCutter::TextCutter(const Tokenizer* tokenizer, const Model* model, const TextOptions& options, std::string prompt,
                       std::optional<TextRole> role, const PreparedLabels* labels)
    : tokenizer_(tokenizer),
      model_(model),
      options_(tokenize_options(model, options)),
      windows_(options.windows),
      prompt_(std::move(prompt)),
      role_(role),
      labels_(labels) {
  if (labels_ != nullptr && windows_) {
    throw Error(ErrorCode::kInvalidArgument, "windows of texts with labels, expected whole texts");
  }
  if (role_ && windows_) {
    throw Error(ErrorCode::kInvalidArgument, "windows of token vectors, expected whole texts");
  }
  if (role_ && !options.tokenize) options_.max_length = 0;  // the role's own
}

std::vector<TextResult> TextCutter::cut(TextItem item, size_t index) const {
  std::vector<TextResult> results;
  try {
    if (item.error) throw *item.error;
    results = tokenize(item);
  } catch (const Error& error) {
    results.assign(1, {});
    results[0].error = error;
  } catch (const std::bad_alloc&) {
    results.assign(1, {});
    results[0].error = Error(ErrorCode::kOutOfMemory, "not enough memory for the tokens of this text");
  }
  for (TextResult& result : results) {
    result.index = index;
    result.tag = &result == &results.back() ? std::move(item.tag) : item.tag;
    check(result);
  }
  return results;
}

std::vector<TextResult> TextCutter::tokenize(TextItem& item) const {
  std::vector<TextResult> results(1);
  TextResult& first = results[0];
  if (labels_ != nullptr) {
    if (item.ids) throw Error(ErrorCode::kInvalidArgument, "ids, expected a text: it is read with labels");
    if (item.pair) throw Error(ErrorCode::kInvalidArgument, "a pair, expected one text: it is read with labels");
    first.encoding = tokenize_with_labels(*model_, item.text, *labels_, options_);
    first.text = std::move(item.text);
    return results;
  }
  if (item.ids) {
    first.from_text = false;
    first.encoding.ids = std::move(*item.ids);
    first.encoding.type_ids = std::move(item.type_ids);
    if (first.encoding.type_ids.empty()) first.encoding.type_ids.resize(first.encoding.ids.size(), 0);
    return results;
  }
  if (role_) {
    if (item.pair) throw Error(ErrorCode::kInvalidArgument, "a pair, expected one text: it has token vectors alone");
    first.role = item.role.value_or(*role_);
    RoleEncoding encoded = bert::tokenize(*model_, item.text, first.role, options_);
    first.encoding = std::move(encoded.encoding);
    first.unattended = encoded.unattended;
    first.text = std::move(item.text);
    return results;
  }
  if (item.pair && model_ != nullptr && has_logit_score(*model_)) {
    first.encoding = tokenize_messages(*model_, item.text, *item.pair, prompt_, options_);
    first.text = std::move(item.text);
    first.pair = std::move(*item.pair);
    return results;
  }
  item.text.insert(0, prompt_);
  if (windows_) {
    std::vector<Encoding> windows = encode_windows(item);
    results.resize(windows.size());
    for (size_t i = 0; i < windows.size(); ++i) {
      results[i].window = i;
      results[i].encoding = std::move(windows[i]);
    }
  } else {
    first.encoding =
        item.pair ? tokenizer().tokenize(item.text, *item.pair, options_) : tokenizer().tokenize(item.text, options_);
  }
  results[0].text = std::move(item.text);
  if (item.pair) results[0].pair = std::move(*item.pair);
  return results;
}

std::vector<Encoding> TextCutter::encode_windows(const TextItem& item) const {
  std::vector<Encoding> windows = tokenizer().tokenize_windows(item.text, item.pair, options_);
  const size_t most = options_.max_length;
  if (most > 0 && std::any_of(windows.begin(), windows.end(), [&](const Encoding& w) { return w.size() > most; })) {
    throw Error(ErrorCode::kInvalidArgument,
                "windows of " + std::to_string(most) + " tokens (max_length) have no room for text beside the " +
                    std::to_string(tokenizer().added_special_tokens(item.pair.has_value())) + " special tokens");
  }
  return windows;
}

void TextCutter::check(TextResult& result) const {
  if (result.error) return;
  if (tokenizer_ != nullptr) result.unknown_tokens = count_unknown(*tokenizer_, result.encoding);
  if (model_ == nullptr) return;
  try {
    model_->check(sequence(result));
  } catch (const Error& error) {
    result.error = error;
  }
}

// Given ids are not changed; only the model knows what it leaves out of an encoding.
TokenSequence TextCutter::sequence(const TextResult& result) const {
  if (!result.from_text) return {result.encoding.ids, result.encoding.type_ids};
  if (role_) return sequence_by_role(*model_, result.encoding, result.unattended);
  return model_->sequence(result.encoding);
}

}  // namespace bert
