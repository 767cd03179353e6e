#include "tools/cli/input/sequences.h"

#include <algorithm>
#include <utility>

#include "tools/cli/output/console.h"

namespace bert::cli {
namespace {

void check_limit(const Options& options, size_t special_tokens, std::optional<size_t> max_positions, size_t limit) {
  if (options.max_length.has_value() && max_positions.has_value()) check_max_length(limit, *max_positions);
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

TextOptions text_options(const TokenRules& rules) {
  return {.tokenize = rules.tokenize,
          .windows = rules.windows,
          .fits_stride = rules.fits_stride,
          .batch_tokens = rules.batch_tokens};
}

TokenRules token_rules(const Options& options, size_t special_tokens, std::optional<size_t> max_length,
                       std::optional<size_t> max_positions) {
  TokenRules rules;
  if (options.split_special_tokens) rules.tokenize.split_special_tokens = true;
  rules.tokenize.truncation = options.truncation.value_or(Truncation::kLongestFirst);
  rules.tokenize.max_length = options.max_length.value_or(max_length.value_or(max_positions.value_or(0)));
  rules.batch_tokens = options.batch_tokens.value_or(0);
  rules.offset_unit = options.offset_unit;
  rules.tokenize.code_point_offsets = !options.offset_unit.has_value() &&
                                      (options.format == OutputFormat::kJson ||
                                       options.format == OutputFormat::kJsonl || options.format == OutputFormat::kNpz);
  const LongText long_text = options.chosen_long_text();
  rules.windows = long_text == LongText::kWindows;
  rules.fits_stride = !options.stride;
  rules.tokenize.stride = options.stride.value_or(kWindowStride);
  if (long_text == LongText::kError) {
    rules.tokenize.truncation = Truncation::kError;
  } else if (rules.tokenize.truncation == Truncation::kError) {
    throw UsageError("--truncation error refuses the texts that --long-text or --stride reads; give one");
  }
  check_limit(options, special_tokens, max_positions, rules.tokenize.max_length);
  return rules;
}

Sequences::Sequences(Input& input, const Model& model, const TextTask& task, const TokenRules& rules)
    : items_(input, rules),
      positions_(rules.positions),
      offset_unit_(rules.offset_unit),
      pipeline_(model, task, items_, text_options(rules)) {}

Sequences::Sequences(Input& input, const Tokenizer& tokenizer, const TokenRules& rules)
    : items_(input, rules),
      positions_(rules.positions),
      offset_unit_(rules.offset_unit),
      pipeline_(tokenizer, items_, text_options(rules)) {}

bool Sequences::next(Sequence& sequence) {
  if (!pipeline_.next(sequence)) return false;
  sequence.source = std::any_cast<ItemSource&&>(std::move(sequence.tag));
  sequence.positions = positions_;
  if (offset_unit_.has_value() && sequence.window.value_or(0) == 0) {
    if (sequence.words) {
      units_ = std::make_shared<TextUnits>(*sequence.words, *offset_unit_);
    } else {
      const size_t prompt_bytes = sequence.text.size() - std::min(sequence.text.size(), sequence.source.text_bytes);
      units_ = std::make_shared<TextUnits>(sequence.text.substr(prompt_bytes), sequence.pair, *offset_unit_);
    }
  }
  sequence.units = units_;
  return true;
}

TextSource::State Sequences::Items::next(TextItem& text, Wait wait) {
  Item item;
  const State state = input_.next(item, wait);
  if (state != State::kItem) return state;
  if (item.pair.has_value() && !no_pair_.empty()) item.fail(no_pair_);
  if (item.ids.has_value() && !no_ids_.empty()) item.fail(no_ids_);
  item.source.text_bytes = item.text.size();
  text = static_cast<TextItem&&>(item);
  text.tag = std::move(item.source);
  return state;
}

}  // namespace bert::cli
