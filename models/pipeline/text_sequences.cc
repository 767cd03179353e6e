#include "models/pipeline/text_sequences.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bert/error.h"
#include "engine/base/joined.h"
#include "models/model/logit_score.h"

namespace bert {
namespace {

std::vector<TextResult> of_ids(TextItem& item) {
  std::vector<TextResult> results(1);
  TextResult& result = results[0];
  result.tokens.from_text = false;
  result.tokens.encoding.ids = std::move(*item.ids);
  result.tokens.encoding.type_ids = std::move(item.type_ids);
  if (result.tokens.encoding.type_ids.empty())
    result.tokens.encoding.type_ids.resize(result.tokens.encoding.ids.size(), 0);
  return results;
}

}  // namespace

TextSequences::TextSequences(const Model& model, const TextRules& rules, std::string prompt)
    : model_(&model),
      options_(rules.tokenize),
      windows_(rules.windows),
      fits_stride_(rules.fits_stride),
      prompt_(std::move(prompt)) {}

TextSequences::TextSequences(const Tokenizer& tokenizer, const TextRules& rules)
    : tokenizer_(&tokenizer), options_(rules.tokenize), windows_(rules.windows), fits_stride_(rules.fits_stride) {}

std::vector<TextResult> TextSequences::of(TextItem& item) const {
  if (item.ids) return of_ids(item);
  if (item.words) {
    check_words(item);
    std::vector<TextResult> results(1);
    results[0].tokens.encoding =
        tokenizer().tokenize_words(std::vector<std::string_view>(item.words->begin(), item.words->end()), options_);
    results[0].input.words = std::move(item.words);
    return results;
  }
  std::vector<Encoding> encodings;
  const bool in_windows = windows_ && item.role != TextRole::kQuery;
  if (item.pair && model_ != nullptr && has_logit_score(*model_)) {
    encodings = messages_of(item);
  } else {
    item.text.insert(0, prompt_);
    if (in_windows) {
      encodings = windows_of(item);
    } else {
      encodings.push_back(item.pair ? tokenizer().tokenize(item.text, *item.pair, options_)
                                    : tokenizer().tokenize(item.text, options_));
    }
  }
  std::vector<TextResult> results(encodings.size());
  for (size_t i = 0; i < encodings.size(); ++i) {
    if (in_windows) results[i].input.window = i;
    results[i].tokens.encoding = std::move(encodings[i]);
  }
  results[0].input.text = std::move(item.text);
  if (item.pair) results[0].input.pair = std::move(*item.pair);
  return results;
}

void TextSequences::check_words(const TextItem& item) const {
  const char* problem = item.pair                   ? "words and a pair, expected one of them"
                        : windows_ && !fits_stride_ ? "words are one sequence, without windows"
                        : !prompt_.empty()          ? "words have no place for a prompt"
                                                    : nullptr;
  if (problem != nullptr) throw Error(ErrorCode::kInvalidText, problem);
}

std::vector<Encoding> TextSequences::windows_of(const TextItem& item) const {
  std::vector<Encoding> windows = tokenizer().tokenize_windows(item.text, item.pair, options_);
  const size_t most = options_.max_length;
  if (most > 0 && std::any_of(windows.begin(), windows.end(), [&](const Encoding& w) { return w.size() > most; })) {
    throw Error(ErrorCode::kInvalidArgument,
                "windows of " + number_of(most, "token") + " (max_length) have no room for text beside the " +
                    number_of(tokenizer().added_special_tokens(item.pair.has_value()), "special token"));
  }
  return windows;
}

// Returns the sequences of a chat: windows of the document, each in the template beside the whole query.
std::vector<Encoding> TextSequences::messages_of(const TextItem& item) const {
  const auto encoding_of = [&](std::string_view document) {
    return tokenize_messages(*model_, item.text, document, prompt_, options_);
  };
  if (!windows_) return {encoding_of(*item.pair)};
  const auto size_of = [&](std::string_view document) {
    const Encoding encoding = encoding_of(document);
    return encoding.size() + encoding.truncated_tokens;
  };
  std::vector<Encoding> encodings;
  for (const std::string_view part : document_windows(tokenizer(), *item.pair, options_, size_of)) {
    encodings.push_back(encoding_of(part));
  }
  return encodings;
}

std::vector<std::string_view> document_windows(const Tokenizer& tokenizer, std::string_view text,
                                               const TokenizeOptions& options,
                                               const std::function<size_t(std::string_view)>& size_of) {
  const size_t limit = options.max_length;
  if (limit == 0 || size_of(text) <= limit) return {text};
  const size_t others = size_of("");
  // A part may have more tokens alone than inside the text.
  for (size_t room = limit > others ? limit - others : 0; room > options.stride;) {
    std::vector<std::string_view> parts;
    size_t most = 0;
    for (const Encoding& window : tokenizer.tokenize_windows(text, std::nullopt,
                                                             {.add_special_tokens = false,
                                                             .max_length = room,
                                                             .stride = options.stride,
                                                             .max_windows = options.max_windows})) {
      const size_t begin = window.offsets.front().begin, end = window.offsets.back().end;
      parts.push_back(text.substr(begin, end - begin));
      most = std::max(most, size_of(parts.back()));
    }
    if (most <= limit) return parts;
    room -= std::min(room, most - limit);
  }
  throw Error(ErrorCode::kInvalidArgument, "windows of " + number_of(limit, "token") + " (max_length) that share " +
                                               std::to_string(options.stride) + " have no room for text beside the " +
                                               number_of(others, "other token"));
}

}  // namespace bert
