// The public Tokenizer: settings from the loader, and the diagram
//   text -> SequenceTokenizer -> truncation -> PostProcessor -> padding -> Encoding.
#include "bert/tokenizer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "bert/offsets.h"
#include "tokenizer/decoder/decoder.h"
#include "tokenizer/model/byte_level.h"
#include "tokenizer/model/model_factory.h"
#include "tokenizer/post_processor/truncation.h"
#include "tokenizer/sequence_tokenizer.h"
#include "tokenizer/settings.h"

namespace bert {

struct Tokenizer::Impl {
  // Members refer to each other, so an Impl cannot move.
  explicit Impl(TokenizerSettings loaded)
      : settings(std::move(loaded)),
        continuing_prefix(prefix_of(settings.model)),
        cleans_up(settings.clean_up_spaces && !std::holds_alternative<BpeSettings>(settings.model)),
        model(make_model(settings.vocabulary, std::move(settings.model), settings.source)),
        sequence_tokenizer(settings.normalizer, settings.pre_tokenizer, settings.added_tokens, *model) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // The tokens of the input, and views of the texts, which the caller keeps alive.
  struct Sequences {
    std::array<std::string_view, 2> texts;
    std::array<OffsetUnits, 2> code_points;
    TokenList text;
    std::optional<TokenList> pair;
    std::array<std::vector<VerbatimToken>, 2> verbatim;  // empty unless spans are trimmed
    size_t size() const { return text.size() + (pair ? pair->size() : 0); }
  };
  // keep: the most tokens of each text that the caller needs.
  Sequences encode(std::string_view text, std::optional<std::string_view> pair, const TokenizeOptions& options,
                   size_t keep) const;

  // pair_tokens: room that is reserved for a shorter pair.
  SequenceLengths kept_lengths(const Sequences& sequences, const TokenizeOptions& options,
                               size_t pair_tokens = 0) const;

  Direction direction(const TokenizeOptions& options) const {
    return options.truncation_direction.value_or(settings.truncation_direction);
  }

  Encoding assemble(const Sequences& sequences, TokenRange text, std::optional<TokenRange> pair,
                    const TokenizeOptions& options) const;

  Encoding tokenize(std::string_view text, std::optional<std::string_view> pair, const TokenizeOptions& options) const;

  void trim_spans(const Sequences& sequences, size_t begin, size_t pair_begin, Encoding& encoding) const;

  static void add_code_points(const Sequences& sequences, Encoding& encoding);

  static std::string prefix_of(const ModelSettings& model) {
    if (const auto* word_piece = std::get_if<WordPieceSettings>(&model)) return word_piece->continuing_prefix;
    if (const auto* bpe = std::get_if<BpeSettings>(&model)) return bpe->continuing_prefix;
    return "";
  }

  TokenizerSettings settings;
  std::string continuing_prefix;
  bool cleans_up;
  std::unique_ptr<const SubwordModel> model;
  SequenceTokenizer sequence_tokenizer;
};

namespace {

// Limits the memory: the windows of a text and of its pair multiply.
constexpr size_t kMaxWindows = size_t{1} << 22;

// Returns max_length without the special tokens. Throws Error if even those do not fit.
size_t room_for_text(const TokenizeOptions& options, size_t special_tokens) {
  if (!options.add_special_tokens) return options.max_length;
  if (options.max_length >= special_tokens) return options.max_length - special_tokens;
  throw Error(ErrorCode::kInvalidArgument, "max_length " + std::to_string(options.max_length) + " is less than the " +
                                               std::to_string(special_tokens) + " special tokens of the template");
}

}  // namespace

Tokenizer::Impl::Sequences Tokenizer::Impl::encode(std::string_view text, std::optional<std::string_view> pair,
                                                   const TokenizeOptions& options, size_t keep) const {
  const std::string_view second = pair.value_or(std::string_view());
  const bool split_special = options.split_special_tokens.value_or(settings.split_special_tokens);
  // append_tokens() has accepted the text, so it is valid UTF-8.
  const auto code_points = [&](std::string_view of) {
    return OffsetUnits(options.code_point_offsets && !options.only_ids ? of : "", OffsetUnit::kCodePoints);
  };
  Sequences sequences = {.texts = {text, second},
                         .code_points = {code_points(text), code_points(second)},
                         .text = TokenList(keep, direction(options), options.only_ids),
                         .pair = {},
                         .verbatim = {}};
  const bool trims = settings.post_processor.trimming && !options.only_ids;
  sequence_tokenizer.append_tokens(text, "text", split_special, sequences.text,
                                   trims ? &sequences.verbatim[0] : nullptr);
  if (pair) {
    TokenList& of_pair = sequences.pair.emplace(keep, direction(options), options.only_ids);
    sequence_tokenizer.append_tokens(second, "pair", split_special, of_pair, trims ? &sequences.verbatim[1] : nullptr);
  }
  return sequences;
}

SequenceLengths Tokenizer::Impl::kept_lengths(const Sequences& sequences, const TokenizeOptions& options,
                                              size_t pair_tokens) const {
  SequenceLengths lengths{sequences.text.size(), std::nullopt};
  if (sequences.pair) lengths.pair = sequences.pair->size();
  if (options.max_length == 0) return lengths;
  const size_t special_tokens = settings.post_processor.added_tokens(sequences.pair.has_value());
  const size_t room = room_for_text(options, special_tokens);
  if (!lengths.pair || *lengths.pair >= pair_tokens) return truncated_lengths(lengths, room, options.truncation);
  const SequenceLengths kept = truncated_lengths({lengths.text, pair_tokens}, room, options.truncation);
  return {kept.text, std::min(*lengths.pair, *kept.pair)};
}

Encoding Tokenizer::Impl::assemble(const Sequences& sequences, TokenRange text, std::optional<TokenRange> pair,
                                   const TokenizeOptions& options) const {
  std::optional<TokenColumns> second;
  if (pair) second = sequences.pair->part(*pair);
  Encoding result = settings.post_processor.assemble(sequences.text.part(text), second, options.add_special_tokens);
  if (options.only_ids) return result;
  if (settings.post_processor.trimming) trim_spans(sequences, text.begin, pair ? pair->begin : 0, result);
  if (options.code_point_offsets) add_code_points(sequences, result);
  return result;
}

// begin, pair_begin: the first token of each sequence in the encoding.
void Tokenizer::Impl::trim_spans(const Sequences& sequences, size_t begin, size_t pair_begin,
                                 Encoding& encoding) const {
  std::array<size_t, 2> next = {begin, pair_begin};
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.sequence_ids[i] == kNoSequence) continue;
    const auto sequence = static_cast<size_t>(encoding.sequence_ids[i]);
    const size_t index = next[sequence]++;
    const auto& verbatim = sequences.verbatim[sequence];
    const auto found = std::lower_bound(verbatim.begin(), verbatim.end(), index,
                                        [](const VerbatimToken& token, size_t at) { return token.index < at; });
    const EndSpaces spaces = found != verbatim.end() && found->index == index
                                 ? found->spaces
                                 : end_spaces(settings.vocabulary.token(encoding.ids[i]));
    Offset& span = encoding.offsets[i];
    const bool first = index == (sequence == 0 ? begin : pair_begin) || span.begin == 0;
    span =
        trim_span(spaces, sequences.texts[sequence], span, first && settings.post_processor.trimming->add_prefix_space);
  }
}

void Tokenizer::Impl::add_code_points(const Sequences& sequences, Encoding& encoding) {
  encoding.code_point_offsets.resize(encoding.size());
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.sequence_ids[i] == kNoSequence) continue;
    const OffsetUnits& points = sequences.code_points[static_cast<size_t>(encoding.sequence_ids[i])];
    const Offset& span = encoding.offsets[i];
    encoding.code_point_offsets[i] = {points.before(span.begin), points.before(span.end)};
  }
}

Encoding Tokenizer::Impl::tokenize(std::string_view text, std::optional<std::string_view> pair,
                                   const TokenizeOptions& options) const {
  const Sequences sequences = encode(text, pair, options, options.max_length == 0 ? SIZE_MAX : options.max_length);
  const SequenceLengths kept = kept_lengths(sequences, options);
  const auto kept_range = [&](size_t length, size_t stays) {
    return direction(options) == Direction::kRight ? TokenRange{0, stays} : TokenRange{length - stays, length};
  };
  std::optional<TokenRange> pair_range;
  if (kept.pair) pair_range = kept_range(sequences.pair->size(), *kept.pair);
  Encoding result = assemble(sequences, kept_range(sequences.text.size(), kept.text), pair_range, options);
  result.truncated_tokens = sequences.size() - kept.text - kept.pair.value_or(0);
  const Padding& padding = options.padding;
  pad(result, padded_length(padding, result.size()), padding.direction, settings.pad_token, options.only_ids);
  return result;
}

Tokenizer::Tokenizer(TokenizerSettings settings) : impl_(std::make_unique<const Impl>(std::move(settings))) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Encoding Tokenizer::tokenize(std::string_view text, const TokenizeOptions& options) const {
  return impl_->tokenize(text, std::nullopt, options);
}

Encoding Tokenizer::tokenize(std::string_view text, std::string_view pair, const TokenizeOptions& options) const {
  return impl_->tokenize(text, pair, options);
}

Encoding Tokenizer::tokenize_words(std::span<const std::string_view> words, const TokenizeOptions& options) const {
  TokenizeOptions of_word = options;
  of_word.add_special_tokens = false;
  of_word.max_length = 0;
  of_word.padding = {};
  const bool code_points = options.code_point_offsets && !options.only_ids;
  const size_t added = options.add_special_tokens ? impl_->settings.post_processor.added_tokens(false) : 0;
  const size_t room = options.max_length == 0 ? SIZE_MAX : room_for_text(options, added);
  TokenList tokens(room, impl_->direction(options), options.only_ids);
  TokenList code_point_tokens(room, impl_->direction(options), !code_points);
  for (size_t i = 0; i < words.size(); ++i) {
    const Encoding word = impl_->tokenize(words[i], std::nullopt, of_word);
    for (size_t t = 0; t < word.size(); ++t) {
      const auto index = static_cast<int32_t>(i);
      tokens.push_back({word.ids[t], index, options.only_ids ? Offset() : word.offsets[t]});
      if (code_points) code_point_tokens.push_back({word.ids[t], index, word.code_point_offsets[t]});
    }
  }
  const size_t stays = truncated_lengths({tokens.size(), std::nullopt}, room, options.truncation).text;
  const TokenRange range = impl_->direction(options) == Direction::kRight
                               ? TokenRange{0, stays}
                               : TokenRange{tokens.size() - stays, tokens.size()};
  const PostProcessor& template_of_text = impl_->settings.post_processor;
  Encoding result = template_of_text.assemble(tokens.part(range), std::nullopt, options.add_special_tokens);
  if (code_points) {
    result.code_point_offsets =
        template_of_text.assemble(code_point_tokens.part(range), std::nullopt, options.add_special_tokens).offsets;
  }
  result.truncated_tokens = tokens.size() - stays;
  const Padding& padding = options.padding;
  pad(result, padded_length(padding, result.size()), padding.direction, impl_->settings.pad_token, options.only_ids);
  return result;
}

std::vector<Encoding> Tokenizer::tokenize_windows(std::string_view text, std::optional<std::string_view> pair,
                                                  const TokenizeOptions& options) const {
  if (options.max_length > 0) {
    // The reference checks the stride against the room of a single text before it reads a text.
    const size_t room = room_for_text(options, impl_->settings.post_processor.added_tokens(false));
    if (options.stride > room) {
      throw Error(ErrorCode::kInvalidArgument, "stride " + std::to_string(options.stride) + ": windows of max_length " +
                                                   std::to_string(options.max_length) + " hold " +
                                                   std::to_string(room) +
                                                   " tokens of text, expected a stride less than that");
    }
  }
  const Impl::Sequences sequences = impl_->encode(text, pair, options, SIZE_MAX);
  const SequenceLengths kept = impl_->kept_lengths(sequences, options, options.pair_tokens);
  const auto windows = [&](const TokenList& tokens, size_t stays) {
    return token_windows(tokens.size(), stays, options.stride, impl_->direction(options));
  };
  const std::vector<TokenRange> texts = windows(sequences.text, kept.text);
  std::vector<std::optional<TokenRange>> pairs = {std::nullopt};
  if (kept.pair) {
    const std::vector<TokenRange> ranges = windows(*sequences.pair, *kept.pair);
    pairs.assign(ranges.begin(), ranges.end());
  }
  const size_t most = options.max_windows == 0 ? kMaxWindows : std::min(kMaxWindows, options.max_windows);
  if (texts.size() * pairs.size() > most) {
    throw Error(ErrorCode::kInvalidArgument, std::to_string(texts.size()) + " windows of the text with " +
                                                 std::to_string(pairs.size()) + " of the pair, expected at most " +
                                                 std::to_string(most) + " together");
  }
  // First the main result; then every overflowing part of the text with every part of the pair; then the main text with
  // the pair's overflowing parts.
  std::vector<Encoding> results;
  results.reserve(texts.size() * pairs.size());
  results.push_back(impl_->assemble(sequences, texts[0], pairs[0], options));
  for (size_t i = 1; i < texts.size(); ++i) {
    for (const auto& range : pairs) results.push_back(impl_->assemble(sequences, texts[i], range, options));
  }
  for (size_t i = 1; i < pairs.size(); ++i) results.push_back(impl_->assemble(sequences, texts[0], pairs[i], options));
  const Padding& padding = options.padding;
  if (padding.length == 0 && padding.multiple_of == 0) return results;
  const size_t length = padded_length(padding, results[0].size());
  for (Encoding& result : results) {
    pad(result, length, padding.direction, impl_->settings.pad_token, options.only_ids);
  }
  return results;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special_tokens) const {
  const TokenizerSettings& settings = impl_->settings;
  std::vector<std::string> tokens;
  for (const int32_t id : ids) {
    const AddedToken* added = settings.added_tokens.token(id);
    if (added == nullptr && !settings.vocabulary.has(id)) continue;
    const std::string_view content =
        added != nullptr ? std::string_view(added->content) : settings.vocabulary.token(id);
    if (skip_special_tokens && settings.added_tokens.is_special(content)) continue;
    tokens.emplace_back(content);
  }
  std::string text = settings.decoder.decode(std::move(tokens));
  return impl_->cleans_up ? clean_up_spaces(std::move(text), CleanUp::kTransformers) : text;
}

std::string Tokenizer::join(std::span<const std::string> tokens) const {
  return impl_->settings.decoder.decode({tokens.begin(), tokens.end()});
}

std::string_view Tokenizer::token(int32_t id) const {
  const AddedToken* added = impl_->settings.added_tokens.token(id);
  return added != nullptr ? std::string_view(added->content) : impl_->settings.vocabulary.token(id);
}

std::optional<int32_t> Tokenizer::id(std::string_view token) const { return impl_->settings.id(token); }

std::optional<int32_t> Tokenizer::mask_id() const { return impl_->settings.mask_id; }
std::optional<int32_t> Tokenizer::unknown_id() const { return impl_->settings.unknown_id; }
std::optional<int32_t> Tokenizer::model_unknown_id() const { return impl_->model->unknown_id(); }
int32_t Tokenizer::padding_id() const { return impl_->settings.pad_token.id; }

size_t Tokenizer::vocabulary_size() const {
  return std::max(impl_->settings.vocabulary.id_end(), impl_->settings.added_tokens.id_end());
}

std::vector<int32_t> Tokenizer::with_special_tokens(std::span<const int32_t> ids) const {
  std::vector<int32_t> result;
  result.reserve(ids.size() + added_special_tokens(false));
  for (const TemplatePiece& piece : impl_->settings.post_processor.single) {
    if (piece.kind == TemplatePiece::Kind::kToken) {
      result.push_back(piece.id);
    } else {
      result.insert(result.end(), ids.begin(), ids.end());
    }
  }
  return result;
}

size_t Tokenizer::added_special_tokens(bool pair) const { return impl_->settings.post_processor.added_tokens(pair); }

std::optional<size_t> Tokenizer::model_max_length() const { return impl_->settings.model_max_length; }
bool Tokenizer::has_segments() const { return impl_->settings.has_segments; }

std::string_view Tokenizer::continuing_prefix() const { return impl_->continuing_prefix; }
const std::vector<std::string>& Tokenizer::notices() const { return impl_->settings.notices; }
const std::vector<std::string>& Tokenizer::remarks() const { return impl_->settings.remarks; }

}  // namespace bert
