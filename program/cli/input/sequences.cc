#include "program/cli/input/sequences.h"

#include <algorithm>
#include <utility>

#include "program/cli/output/console.h"

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

TextOptions task_options(const TaskCall& call, const TokenRules& rules) {
  TextOptions options = text_options(rules);
  const Truncation chosen = options.tokenize->truncation;
  options.tokenize->max_windows = kMostWindows;
  call.adjust(options);
  if (rules.keeps_truncation) options.tokenize->truncation = chosen;
  return options;
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
  rules.keeps_truncation = options.truncation.has_value();
  rules.tokenize.stride = options.stride.value_or(kWindowStride);
  if (long_text == LongText::kError) {
    rules.tokenize.truncation = Truncation::kError;
  } else if (rules.tokenize.truncation == Truncation::kError) {
    throw UsageError("--truncation error refuses the texts that --long-text or --stride reads; give one");
  }
  check_limit(options, special_tokens, max_positions, rules.tokenize.max_length);
  return rules;
}

TextSource::State SourceItems::next(TextItem& text, Wait wait) {
  Item item;
  const State state = input_.next(item, wait);
  if (state != State::kItem) return state;
  if (item.pair.has_value() && !no_pair_.empty()) item.fail(no_pair_);
  if (item.ids.has_value() && !no_ids_.empty()) item.fail(no_ids_);
  item.source.text_bytes = item.text.size();
  text = std::move(static_cast<TextItem&>(item));
  text.tag = std::move(item.source);
  return State::kItem;
}

Sequence SequenceMaker::make(TextResult result) {
  Sequence sequence;
  static_cast<TextResult&>(sequence) = std::move(result);
  if (auto* const source = std::any_cast<ItemSource>(&sequence.input.tag)) sequence.source = std::move(*source);
  sequence.positions = positions_;
  if (offset_unit_.has_value() && sequence.input.window.value_or(0) == 0) {
    if (sequence.input.words) {
      units_ = std::make_shared<TextUnits>(*sequence.input.words, *offset_unit_);
    } else {
      const size_t prompt_bytes =
          sequence.input.text.size() - std::min(sequence.input.text.size(), sequence.source.text_bytes);
      units_ =
          std::make_shared<TextUnits>(sequence.input.text.substr(prompt_bytes), sequence.input.pair, *offset_unit_);
    }
  }
  sequence.units = units_;
  return sequence;
}

Sequences::Sequences(Input& input, const Model& model, const TextTask& task, const TokenRules& rules)
    : items_(input, rules), maker_(rules), pipeline_(model, task, items_, text_options(rules)) {}

Sequences::Sequences(Input& input, const Tokenizer& tokenizer, const TokenRules& rules)
    : items_(input, rules), maker_(rules), pipeline_(tokenizer, items_, text_options(rules)) {}

bool Sequences::next(Sequence& sequence) {
  TextResult result;
  if (!pipeline_.next(result)) return false;
  sequence = maker_.make(std::move(result));
  return true;
}

TaskTexts::TaskTexts(Input& input, const Model& model, const TaskCall& call, const TokenRules& rules)
    : items_(input, rules), maker_(rules), run_(model, call, items_, task_options(call, rules)) {}

bool TaskTexts::next(Sequence& text) {
  read_.clear();
  if (!run_.next()) return false;
  std::optional<Error> error = run_.error();
  try {
    if (!error) result_ = run_.result();
  } catch (const Error& of_result) {
    error = of_result;
  }
  const size_t truncated = run_.truncated_tokens();
  size_t unknown = 0, of_item = 0;
  for (TextResult& one : run_.sequences()) {
    of_item += one.tokens.unknown_tokens;
    unknown = std::max(unknown, of_item);
    if (one.input.is_last) of_item = 0;
    read_.push_back(maker_.make(std::move(one)));
  }
  text = read_.front();
  text.input.window.reset();
  text.error = std::move(error);
  text.tokens.encoding.truncated_tokens = truncated;
  text.tokens.unknown_tokens = unknown;
  return true;
}

}  // namespace bert::cli
