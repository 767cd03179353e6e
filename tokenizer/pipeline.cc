#include "tokenizer/pipeline.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "bert/error.h"
#include "engine/base/utf8.h"
#include "tokenizer/normalizer/normalizer_stream.h"

namespace bert {
namespace {

// Bytes per token of English text, spaces included, rounded down: a list of tokens seldom has to move.
constexpr size_t kBytesPerToken = 3;

// A word longer than this leaves the fast path; the reference's limit is 100 characters.
constexpr size_t kFastWord = 128;

// Appends the tokens of a word that is not one token itself; unknown: one token over the whole word.
// source_of(begin, end): the source of bytes [begin, end) of the word.
template <typename Tokens, typename SourceOf>
void append_pieces(const WordPiece& model, std::string_view bytes, int32_t word, std::vector<WordPieceToken>& pieces,
                   Tokens& tokens, const SourceOf& source_of) {
  if (!model.split(bytes, pieces)) {
    tokens.push_back({*model.unknown_id(), word, source_of(0, bytes.size())});
    return;
  }
  for (const WordPieceToken& piece : pieces) tokens.push_back({piece.id, word, source_of(piece.begin, piece.end)});
}

// The tokens of a chunk, for the cache.
struct ChunkTokens {
  ChunkCache::Collector collector;
  int32_t word = -1;  // of the last one
  void push_back(const Token& token) {
    collector.add(token.id, token.source.end, token.word != word);
    word = token.word;
  }
};

[[noreturn]] void refuse_byte(std::string_view text, std::string_view what, size_t position) {
  constexpr char kHex[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(text[position]);
  throw Error(ErrorCode::kInvalidText, std::string(what) + ": not valid UTF-8 at byte " + std::to_string(position) +
                                           ": found 0x" + kHex[byte >> 4] + kHex[byte & 15]);
}

}  // namespace

// Collects normalized characters into words for the model.
class Pipeline::WordSink {
 public:
  WordSink(const BertSplitRules& rules, const WordPiece& model, Run& run) : rules_(rules), model_(model), run_(run) {}

  void put(char32_t c, uint8_t properties, Offset source) {
    const CharRole role = char_role(rules_, c, properties);
    if (role != role_ || role == CharRole::kAlone) end_word();
    role_ = role;
    if (role != CharRole::kSpace) append(c, source);
  }
  void end_word();

 private:
  void append(char32_t c, Offset source) {
    if (chars_++ == 0) begin_ = source.begin;
    end_ = source.end;
    if (chars_ > model_.max_chars_per_word()) return;  // unknown already: its length is all that matters
    append_utf8(bytes_, c);
    sources_.resize(bytes_.size(), source);
  }

  const BertSplitRules& rules_;
  const WordPiece& model_;
  Run& run_;
  CharRole role_ = CharRole::kSpace;
  size_t chars_ = 0;
  size_t begin_ = 0, end_ = 0;   // of the whole word in the original text
  std::string bytes_;            // of the normalized word
  std::vector<Offset> sources_;  // of each byte
};

// One call of encode().
struct Pipeline::Run {
  std::string_view text;
  std::string_view what;
  bool split_special;
  TokenList& tokens;
  std::vector<VerbatimToken>* verbatim;
  int32_t word = 0;
  std::vector<WordPieceToken> pieces = {};
  // The next token has these characters.
  void note_verbatim(std::string_view characters) const {
    if (verbatim != nullptr && tokens.keeps_next()) verbatim->push_back({tokens.size(), end_spaces(characters)});
  }
  // For the single pass.
  struct Stream;
  Stream* stream = nullptr;
};

struct Pipeline::Run::Stream {
  WordSink sink;
  BertNormalizerStream<WordSink> normalizer;
  Stream(const Pipeline& pipeline, Run& run)
      : sink(*pipeline.pre_tokenizer_.single(), *pipeline.words_, run),
        normalizer(*pipeline.normalizer_.single(), sink) {}
};

void Pipeline::WordSink::end_word() {
  if (chars_ == 0) return;
  const int32_t word = run_.word++;
  if (chars_ > model_.max_chars_per_word()) {
    run_.tokens.push_back({*model_.unknown_id(), word, {begin_, end_}});
  } else if (const int32_t id = model_.find_word(bytes_, hash_string(bytes_)); id != StringTable::kAbsent) {
    run_.tokens.push_back({id, word, {begin_, end_}});
  } else {
    append_pieces(model_, bytes_, word, run_.pieces, run_.tokens, [&](size_t begin, size_t end) {
      return Offset{sources_[begin].begin, sources_[end - 1].end};
    });
  }
  chars_ = 0;
  bytes_.clear();
  sources_.clear();
}

Pipeline::Pipeline(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer, const AddedTokens& added_tokens,
                   const SubwordModel& model, size_t piece)
    : normalizer_(normalizer),
      pre_tokenizer_(pre_tokenizer),
      added_tokens_(added_tokens),
      model_(model),
      piece_(std::max<size_t>(piece, 4)),
      bytes_(ByteLevelPass::of(normalizer, pre_tokenizer, model)),
      spaced_words_(SpacedWordPass::of(normalizer, pre_tokenizer, model)) {
  // Added tokens of the normalized text need all of it.
  if (normalizer.single() == nullptr || pre_tokenizer.single() == nullptr || added_tokens.any_normalized()) return;
  words_ = model.word_piece();
  if (words_ == nullptr) return;
  const BertNormalizer& steps = *normalizer.single();
  const BertSplitRules& rules = *pre_tokenizer.single();
  // No fast path if spaces do not split words or classes do: no BERT file requests it.
  if (!rules.split_spaces || rules.split_word_classes) return;
  for (unsigned char byte = 1; byte < 128; ++byte) {
    const uint8_t properties = unicode::properties(byte);
    if (properties & unicode::kRemoved && steps.clean_text) continue;
    const auto mapped = static_cast<char>(steps.lowercase ? unicode::lower_case(byte) : byte);
    switch (char_role(rules, byte, properties)) {
      case CharRole::kSpace:
        ascii_[byte] = kSpace;
        break;
      case CharRole::kAlone: {
        ascii_[byte] = kAlone;
        const int32_t id = words_->find_word({&mapped, 1}, hash_string({&mapped, 1}));
        alone_ids_[byte] = id == StringTable::kAbsent || words_->max_chars_per_word() == 0 ? *words_->unknown_id() : id;
        break;
      }
      default:
        if (mapped > kAlone) ascii_[byte] = mapped;
    }
  }
  const bool all_plain = std::none_of(&ascii_['!'], &ascii_['~'] + 1, [](char kind) { return kind <= kSpace; });
  if (all_plain) cache_owner_ = ChunkCache::new_owner();
}

void Pipeline::encode(std::string_view text, std::string_view what, bool split_special, TokenList& tokens,
                      std::vector<VerbatimToken>* verbatim) const {
  Run run{.text = text, .what = what, .split_special = split_special, .tokens = tokens, .verbatim = verbatim};
  std::optional<Run::Stream> stream;
  if (words_ != nullptr) run.stream = &stream.emplace(*this, run);
  tokens.reserve(text.size() / kBytesPerToken);
  size_t begin = 0;
  added_tokens_.find_raw(text, split_special, [&](const AddedTokenMatch& match) {
    encode_piece(run, begin, match.begin);
    run.note_verbatim(text.substr(match.begin, match.end - match.begin));
    tokens.push_back({match.id, run.word++, {match.begin, match.end}});
    begin = match.end;
  });
  encode_piece(run, begin, text.size());
}

void Pipeline::encode_at_once(Run& run, size_t begin, size_t end) const {
  const char* const text = run.text.data();
  ChunkCache* const cache = cache_owner_ != 0 ? ChunkCache::of_this_thread() : nullptr;
  for (size_t i = begin; i < end;) {
    if (ascii_[static_cast<unsigned char>(text[i])] == kSpace) {
      ++i;
      continue;
    }
    if (const size_t next = cache == nullptr ? i : encode_chunk(run, i, end, *cache); next > i) {
      i = next + 1;  // a space, or the end
      continue;
    }
    const size_t next = encode_plain({text, end}, i, run.word, run.pieces, run.tokens);
    i = next > i ? next : encode_slow(run, i, end);
  }
}

// The chunk that begins at `begin`, if it is short and the cache keeps its tokens; returns where it stopped.
inline size_t Pipeline::encode_chunk(Run& run, size_t begin, size_t end, ChunkCache& cache) const {
  char last[Chunk::kRoom] = {};
  const char* bytes = run.text.data() + begin;
  if (end - begin < Chunk::kRoom) {
    std::memcpy(last, bytes, end - begin);
    bytes = last;
  }
  const Chunk chunk = Chunk::read(bytes);
  if (chunk.length == 0) return begin;
  const size_t stop = begin + chunk.length;
  if (stop < end && ascii_[static_cast<unsigned char>(bytes[chunk.length])] != kSpace) return begin;
  const ChunkCache::Tokens* tokens = cache.find(chunk, cache_owner_);
  if (tokens == nullptr) {
    const auto found = tokens_of_chunk({bytes, chunk.length}, run.pieces);
    if (!found) return begin;
    tokens = &cache.keep(chunk, cache_owner_, *found);
  }
  int32_t word = run.word - 1;
  size_t from = begin;
  for (const ChunkCache::Token token : *tokens) {
    word += static_cast<int32_t>(token.begins_word());
    const size_t to = begin + token.end();
    run.tokens.push_back({token.id(), word, {from, to}});
    from = to;
    if (token.is_last()) break;
  }
  run.word = word + 1;
  return stop;
}

// Nothing if the cache cannot keep them.
[[gnu::noinline]] std::optional<ChunkCache::Tokens> Pipeline::tokens_of_chunk(
    std::string_view chunk, std::vector<WordPieceToken>& pieces) const {
  ChunkTokens tokens;
  int32_t word = 0;
  for (size_t i = 0; i < chunk.size();) {
    const size_t next = encode_plain(chunk, i, word, pieces, tokens);
    if (next == i) return std::nullopt;
    i = next;
  }
  return tokens.collector.tokens();
}

// Appends the tokens of the word of ASCII characters, or of the one character, that begins at text[begin]; returns
// where it stopped, which is begin if the word is longer than kFastWord or has other characters.
template <class Tokens>
size_t Pipeline::encode_plain(std::string_view text, size_t begin, int32_t& word, std::vector<WordPieceToken>& pieces,
                              Tokens& tokens) const {
  const char kind = ascii_[static_cast<unsigned char>(text[begin])];
  if (kind == kSlow) return begin;
  if (kind == kAlone) {
    tokens.push_back({alone_ids_[static_cast<unsigned char>(text[begin])], word++, {begin, begin + 1}});
    return begin + 1;
  }
  const size_t limit = std::min(text.size(), begin + kFastWord);
  char bytes[kFastWord];
  uint64_t hash = 0;
  size_t i = begin;
  char letter = kind;
  do {
    bytes[i - begin] = letter;
    hash = extend_hash(hash, letter);
    ++i;
    letter = i < limit ? ascii_[static_cast<unsigned char>(text[i])] : i < text.size() ? kSlow : kSpace;
  } while (letter > kAlone);
  if (letter == kSlow) return begin;
  const std::string_view letters(bytes, i - begin);
  const bool is_unknown = letters.size() > words_->max_chars_per_word();
  const int32_t id = is_unknown ? *words_->unknown_id() : words_->find_word(letters, hash);
  if (id == StringTable::kAbsent) {
    append_pieces(*words_, letters, word++, pieces, tokens, [&](size_t from, size_t to) {
      return Offset{begin + from, begin + to};
    });
  } else {
    tokens.push_back({id, word++, {begin, i}});
  }
  return i;
}

// From begin to the next ASCII space or punctuation; returns where it stopped. No step of the normalizer looks across
// such a character: it is a starter that nothing changes.
size_t Pipeline::encode_slow(Run& run, size_t begin, size_t end) const {
  const std::string_view text = run.text.substr(0, end);
  size_t i = begin;
  while (i < end) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      const char kind = ascii_[byte];
      if (kind == kSpace || kind == kAlone) break;
      run.stream->normalizer.push(byte, {i, i + 1});
      ++i;
      continue;
    }
    const Utf8Char c = decode_utf8(text, i);
    if (c.bytes == 0) refuse_byte(text, run.what, i);
    run.stream->normalizer.push(c.code_point, {i, i + c.bytes});
    i += c.bytes;
  }
  run.stream->normalizer.flush();
  run.stream->sink.end_word();
  return i;
}

void Pipeline::encode_piece(Run& run, size_t begin, size_t end) const {
  if (begin >= end) return;
  if (words_ != nullptr) return encode_at_once(run, begin, end);
  if (end > kMaxOriginal) {
    throw Error(ErrorCode::kInvalidText, std::string(run.what) + ": found " + std::to_string(run.text.size()) +
                                             " bytes, expected at most " + std::to_string(kMaxOriginal));
  }
  const std::string_view piece = run.text.substr(begin, end - begin);
  if (const auto position = find_invalid_utf8(piece)) refuse_byte(run.text, run.what, begin + *position);
  if (bytes_ && bytes_->takes(piece)) return encode_bytes(run, begin, end);
  const bool may_pass = spaced_words_ && run.verbatim == nullptr;
  if (!may_pass || !spaced_words_->takes(piece, added_tokens_, run.split_special)) {
    return encode_in_steps(run, begin, end);
  }
  spaced_words_->append_tokens(run.text.substr(0, end), begin, run.word, run.tokens,
                               [&](size_t from, size_t to) { encode_in_steps(run, from, to); });
}

void Pipeline::encode_bytes(Run& run, size_t begin, size_t end) const {
  const std::string_view part = run.text.substr(0, end);
  size_t from = begin;
  added_tokens_.find_normalized(part.substr(begin), run.split_special, [&](const AddedTokenMatch& match) {
    const TextRange range = {begin + match.begin, begin + match.end};
    run.word += bytes_->append_tokens(part, {from, range.begin}, run.word, run.tokens);
    run.note_verbatim(part.substr(range.begin, range.end - range.begin));
    run.tokens.push_back({match.id, run.word++, {range.begin, range.end}});
    from = range.end;
  });
  run.word += bytes_->append_tokens(part, {from, end}, run.word, run.tokens);
}

void Pipeline::encode_in_steps(Run& run, size_t begin, size_t end) const {
  NormalizerStream normalizer(normalizer_, begin);
  WaitingText waiting(begin);  // normalized, but not tokenized
  for (size_t from = begin, to; from < end; from = to) {
    to = end - from <= piece_ ? end : character_start(run.text, from + piece_);
    const bool last = to == end;
    waiting.append(normalizer.push(original_text(run.text.substr(from, to - from), from), last));
    NormalizedText part = waiting.take(last, [&] {
      const std::string_view text = waiting.bytes();
      return text.empty() ? 0 : find_last_cut(text, text.size() - 1, [&](size_t at) { return may_cut(text, at); });
    });
    if (!part.bytes.empty()) encode_normalized(run, std::move(part));
  }
}

bool Pipeline::may_cut(std::string_view normalized, size_t at) const {
  const char32_t before = decode_utf8(normalized, character_start(normalized, at - 1)).code_point;
  const char32_t after = decode_utf8(normalized, at).code_point;
  return pre_tokenizer_.may_cut(before, after) && added_tokens_.may_cut(normalized, at);
}

// The tokens of a part of a text, in order.
class Pipeline::SubwordReader : public SubwordSink {
 public:
  SubwordReader(Run& run, const NormalizedText& text, std::optional<int32_t> verbatim_id)
      : run_(run), text_(text), verbatim_id_(verbatim_id) {}

  void push_back(const SubwordToken& token) override {
    if (token.id == verbatim_id_) {
      run_.note_verbatim(std::string_view(text_.bytes).substr(token.begin, token.end - token.begin));
    }
    run_.tokens.push_back({token.id, run_.word + token.word, text_.source({token.begin, token.end})});
  }

 private:
  Run& run_;
  const NormalizedText& text_;
  std::optional<int32_t> verbatim_id_;
};

void Pipeline::encode_normalized(Run& run, NormalizedText normalized) const {
  const size_t size = normalized.bytes.size();
  const auto words_between = [&](size_t from, size_t to) {
    if (from >= to) return;
    SplitText split;
    if (from == 0 && to == size) {
      split.text = std::move(normalized);
    } else {
      split.text.append(normalized, {from, to});
    }
    split.words.push_back({0, split.text.bytes.size()});
    pre_tokenizer_.apply(split);
    SubwordReader reader(run, split.text, model_.verbatim_id());
    run.word += model_.tokenize(split.text.bytes, split.words, reader);
  };
  size_t from = 0;
  added_tokens_.find_normalized(normalized.bytes, run.split_special, [&](const AddedTokenMatch& match) {
    words_between(from, match.begin);
    run.note_verbatim(std::string_view(normalized.bytes).substr(match.begin, match.end - match.begin));
    run.tokens.push_back({match.id, run.word++, normalized.source({match.begin, match.end})});
    from = match.end;
  });
  words_between(from, size);
}

}  // namespace bert
