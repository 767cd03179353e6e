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

Sequences::Sequences(Input& input, const Model& model, const TextTask& task, const TokenRules& rules)
    : items_(input, rules),
      positions_(rules.positions),
      offset_unit_(rules.offset_unit),
      pipeline_(model, task, items_, text_options(rules)) {}

Sequences::Sequences(Input& input, const Model& model, const TaskCall& call, const TokenRules& rules)
    : items_(input, rules, &call),
      positions_(rules.positions),
      offset_unit_(rules.offset_unit),
      pipeline_(model, call.computation(), items_, task_options(call, rules)) {}

Sequences::Sequences(Input& input, const Tokenizer& tokenizer, const TokenRules& rules)
    : items_(input, rules),
      positions_(rules.positions),
      offset_unit_(rules.offset_unit),
      pipeline_(tokenizer, items_, text_options(rules)) {}

bool Sequences::next(Sequence& sequence) {
  if (!pipeline_.next(sequence)) return false;
  auto* const source = std::any_cast<ItemSource>(&sequence.input.tag);
  sequence.source = source != nullptr ? std::move(*source) : ItemSource();  // a query has none
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
  return true;
}

Sequences::Items::Items(Input& input, const TokenRules& rules, const TaskCall* call)
    : input_(input), no_ids_(rules.no_ids), no_pair_(rules.no_pair), call_(call) {
  if (call == nullptr) return;
  if (const TextItem* query = call->query()) items_.push_back(*query);
}

TextSource::State Sequences::Items::next(TextItem& text, Wait wait) {
  if (items_.empty()) {
    Item item;
    const State state = input_.next(item, wait);
    if (state != State::kItem) return state;
    if (item.pair.has_value() && !no_pair_.empty()) item.fail(no_pair_);
    if (item.ids.has_value() && !no_ids_.empty()) item.fail(no_ids_);
    item.source.text_bytes = item.text.size();
    static_cast<TextItem&>(item).tag = std::move(item.source);
    if (call_ == nullptr) {
      items_.push_back(static_cast<TextItem&&>(item));
    } else {
      items_ = call_->items(static_cast<TextItem&&>(item));
      std::reverse(items_.begin(), items_.end());
    }
  }
  text = std::move(items_.back());
  items_.pop_back();
  return State::kItem;
}

bool TaskTexts::next(Sequence& text) {
  read_.resize(query_ ? 1 : 0);
  size_t missing = call_.item_count() + (!query_ && call_.query() ? 1 : 0);
  for (Sequence sequence; missing > 0 && sequences_.next(sequence);) {
    if (sequence.input.is_last) --missing;
    read_.push_back(std::move(sequence));
    if (query_ || !call_.query()) continue;
    if (read_.front().error) throw *read_.front().error;
    query_ = true;
  }
  if (sequences().empty()) return false;
  text = sequences().front();
  text.input.window.reset();
  size_t truncated = 0, unknown = 0;
  const auto add = [&](size_t& sum, size_t count) {
    // Of several items: the same text, cut for each of them.
    sum = call_.item_count() == 1 ? sum + count : std::max(sum, count);
  };
  for (const Sequence& one : sequences()) {
    add(truncated, one.tokens.encoding.truncated_tokens);
    add(unknown, one.tokens.unknown_tokens);
    if (!text.error) text.error = one.error;
  }
  if (text.error) text.error = call_.error(*text.error);
  text.tokens.encoding.truncated_tokens = truncated;
  text.tokens.unknown_tokens = unknown;
  return true;
}

TaskOutput TaskTexts::result() const { return call_.result(std::vector<TaskSequence>(read_.begin(), read_.end())); }

}  // namespace bert::cli
