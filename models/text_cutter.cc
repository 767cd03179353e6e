#include "models/text_cutter.h"

#include <algorithm>
#include <utility>

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
                       std::optional<TextRole> role)
    : tokenizer_(tokenizer),
      model_(model),
      options_(tokenize_options(model, options)),
      windows_(options.windows),
      prompt_(std::move(prompt)),
      role_(role) {
  if (role_ && windows_) {
    throw Error(ErrorCode::kInvalidArgument, "windows asked for with token vectors, expected whole texts");
  }
  if (role_ && !options.tokenize) options_.max_length = 0;  // the role's own
}

void TextCutter::cut(TextItem item, size_t index, std::vector<TextResult>& results) const {
  TextResult blank;
  blank.index = index;
  blank.tag = std::move(item.tag);
  const size_t first = results.size();
  try {
    if (item.error) throw *item.error;
    tokenize(item, blank, results);
  } catch (const Error& error) {
    results.resize(first);
    results.push_back(blank);
    results.back().error = error;
  }
  for (size_t i = first; i < results.size(); ++i) check(results[i]);
}

void TextCutter::tokenize(TextItem& item, const TextResult& blank, std::vector<TextResult>& results) const {
  if (item.ids) {
    results.push_back(blank);
    TextResult& result = results.back();
    result.from_text = false;
    result.encoding.ids = std::move(*item.ids);
    result.encoding.type_ids = std::move(item.type_ids);
    if (result.encoding.type_ids.empty()) result.encoding.type_ids.resize(result.encoding.ids.size(), 0);
    return;
  }
  if (role_) {
    if (item.pair) throw Error(ErrorCode::kInvalidArgument, "a pair, expected one text: it has token vectors alone");
    results.push_back(blank);
    RoleEncoding encoded = bert::tokenize(*model_, item.text, *role_, options_);
    results.back().encoding = std::move(encoded.encoding);
    results.back().unattended = encoded.unattended;
    results.back().text = std::move(item.text);
    return;
  }
  item.text.insert(0, prompt_);
  const size_t first = results.size();
  for (Encoding& encoding : encodings(item)) {
    results.push_back(blank);
    if (windows_) results.back().window = results.size() - 1 - first;
    results.back().encoding = std::move(encoding);
  }
  results[first].text = std::move(item.text);
  results[first].pair = std::move(item.pair).value_or("");
}

std::vector<Encoding> TextCutter::encodings(const TextItem& item) const {
  if (!windows_) {
    std::vector<Encoding> one;
    one.push_back(item.pair ? tokenizer().tokenize(item.text, *item.pair, options_)
                            : tokenizer().tokenize(item.text, options_));
    return one;
  }
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
  if (role_) {
    TokenSequence sequence = model_->sequence(result.encoding);
    sequence.attention_mask = {};
    sequence.unattended = result.unattended;
    return sequence;
  }
  return model_->sequence(result.encoding);
}

}  // namespace bert
