#include "tools/cli/sequences.h"

#include <algorithm>

#include "tools/cli/console.h"

namespace bert::cli {
namespace {

void check_limit(const Options& options, size_t special_tokens, std::optional<size_t> max_positions, size_t limit) {
  if (options.max_length.has_value() && max_positions.has_value() && limit > *max_positions) {
    throw Error(ErrorCode::kInvalidArgument, "--max-length " + std::to_string(limit) +
                                                 " is past the model's position table of " +
                                                 std::to_string(*max_positions));
  }
  if (limit == 0) return;
  if (limit < special_tokens) {
    throw Error(ErrorCode::kInvalidArgument, "--max-length " + std::to_string(limit) + " has no room for the " +
                                                 std::to_string(special_tokens) + " special tokens");
  }
  if (options.stride.has_value() && *options.stride >= limit - special_tokens) {
    throw Error(ErrorCode::kInvalidArgument, "--stride " + std::to_string(*options.stride) +
                                                 " leaves nothing new for a window of " + std::to_string(limit) +
                                                 " tokens, " + std::to_string(special_tokens) + " of them special");
  }
}

}  // namespace

TokenRules token_rules(const Options& options, const Tokenizer& tokenizer, std::optional<size_t> max_length,
                       std::optional<size_t> max_positions) {
  TokenRules rules;
  rules.tokenize.plain_special_tokens = options.plain_special_tokens;
  rules.tokenize.truncation = options.truncation.value_or(Truncation::kLongestFirst);
  rules.tokenize.max_length = options.max_length.value_or(max_length.value_or(max_positions.value_or(0)));
  rules.windows = options.stride.has_value();
  rules.tokenize.stride = options.stride.value_or(0);
  if (rules.windows && rules.tokenize.truncation == Truncation::kError) {
    throw UsageError("--stride makes windows of the texts that --truncation error refuses; give one");
  }
  check_limit(options, tokenizer.added_special_tokens(false), max_positions, rules.tokenize.max_length);
  return rules;
}

bool Sequences::next(Sequence& sequence) {
  while (ready_.empty()) {
    Item item;
    if (!input_.next(item)) return false;
    const ItemSource source = item.source;
    try {
      tokenize(item);
    } catch (const Error& error) {
      Sequence failed;
      failed.source = source;
      failed.positions = rules_.positions;
      failed.error = error.what();
      ready_.assign(1, failed);
    }
  }
  sequence = std::move(ready_.front());
  ready_.pop_front();
  return true;
}

void Sequences::tokenize(Item& item) {
  Sequence sequence;
  sequence.source = item.source;
  sequence.positions = rules_.positions;
  if (item.error.empty() && item.pair.has_value()) item.error = rules_.no_pair;
  sequence.error = item.error;
  if (!rules_.prompt.empty()) item.text.insert(0, rules_.prompt);
  if (item.error.empty() && item.ids.has_value()) {
    sequence.from_text = false;
    sequence.encoding.ids = std::move(*item.ids);
    sequence.encoding.type_ids = std::move(item.type_ids);
    sequence.encoding.type_ids.resize(sequence.encoding.ids.size(), 0);
    sequence.error = rules_.no_ids;
  } else if (item.error.empty() && rules_.windows) {
    std::vector<Encoding> windows = tokenizer_.tokenize_windows(item.text, item.pair, rules_.tokenize);
    const size_t most = rules_.tokenize.max_length;
    if (most > 0 && std::any_of(windows.begin(), windows.end(), [&](const Encoding& w) { return w.size() > most; })) {
      throw Error(ErrorCode::kInvalidArgument,
                  "windows of " + std::to_string(most) + " tokens (--max-length) have no room for text beside the " +
                      std::to_string(tokenizer_.added_special_tokens(item.pair.has_value())) + " special tokens");
    }
    for (size_t w = 0; w < windows.size(); ++w) {
      Sequence window = sequence;
      window.window = w;
      window.encoding = std::move(windows[w]);
      if (w == 0) {
        window.text = std::move(item.text);
        window.pair = std::move(item.pair).value_or("");
      }
      ready_.push_back(std::move(window));
    }
    return;
  } else if (item.error.empty()) {
    sequence.encoding = item.pair.has_value() ? tokenizer_.tokenize(item.text, *item.pair, rules_.tokenize)
                                              : tokenizer_.tokenize(item.text, rules_.tokenize);
    sequence.text = std::move(item.text);
    sequence.pair = std::move(item.pair).value_or("");
  }
  ready_.push_back(std::move(sequence));
}

}  // namespace bert::cli
