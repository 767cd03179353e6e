#include "tokenizer/wordpiece_pass.h"

#include <algorithm>
#include <cstring>

#include "engine/base/utf8.h"
#include "tokenizer/normalizer/normalizer_stream.h"

namespace bert {
namespace {

// A longer word leaves the fast path; the reference's limit is 100 characters.
constexpr size_t kFastWord = 128;

// Appends the tokens of a word that is not a token itself; an unknown word becomes one token. source_of(begin, end):
// returns the source of bytes [begin, end) of the word.
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
  int32_t word = -1;  // word of the last token
  void push_back(const Token& token) {
    collector.add(token.id, token.source.end, token.word != word);
    word = token.word;
  }
};

}  // namespace

// Collects normalized characters into words for the model.
class WordPiecePass::WordSink {
 public:
  WordSink(const BertSplitRules& rules, const WordPiece& model, Call& call)
      : rules_(rules), model_(model), call_(call) {}

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
    if (chars_ > model_.max_chars_per_word()) return;  // already unknown, so only its length matters
    append_utf8(bytes_, c);
    sources_.resize(bytes_.size(), source);
  }

  const BertSplitRules& rules_;
  const WordPiece& model_;
  Call& call_;
  CharRole role_ = CharRole::kSpace;
  size_t chars_ = 0;
  size_t begin_ = 0, end_ = 0;   // the whole word in the original text
  std::string bytes_;            // the normalized word
  std::vector<Offset> sources_;  // source of each byte
};

// One call of append_tokens().
struct WordPiecePass::Call {
  Call(const WordPiecePass& pass, SequenceState& state)
      : sequence(state), sink(pass.rules_, *pass.model_, *this), normalizer(pass.normalizer_, sink) {}

  SequenceState& sequence;
  std::vector<WordPieceToken> pieces = {};
  WordSink sink;
  BertNormalizerStream<WordSink> normalizer;
};

void WordPiecePass::WordSink::end_word() {
  if (chars_ == 0) return;
  const int32_t word = call_.sequence.word++;
  if (chars_ > model_.max_chars_per_word()) {
    call_.sequence.tokens.push_back({*model_.unknown_id(), word, {begin_, end_}});
  } else if (const int32_t id = model_.find_word(bytes_, hash_string(bytes_)); id != StringTable::kAbsent) {
    call_.sequence.tokens.push_back({id, word, {begin_, end_}});
  } else {
    append_pieces(model_, bytes_, word, call_.pieces, call_.sequence.tokens, [&](size_t begin, size_t end) {
      return Offset{sources_[begin].begin, sources_[end - 1].end};
    });
  }
  chars_ = 0;
  bytes_.clear();
  sources_.clear();
}

std::unique_ptr<WordPiecePass> WordPiecePass::of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                                 const AddedTokens& added_tokens, const SubwordModel& model) {
  // Added tokens of the normalized text need the whole normalized text.
  if (normalizer.single() == nullptr || pre_tokenizer.single() == nullptr || added_tokens.any_normalized())
    return nullptr;
  const BertSplitRules& rules = *pre_tokenizer.single();
  // Not for rules that split by classes or not at spaces: no BERT file requests them.
  if (model.word_piece() == nullptr || !rules.split_spaces || rules.split_word_classes) return nullptr;
  return std::unique_ptr<WordPiecePass>(new WordPiecePass(*normalizer.single(), rules, *model.word_piece()));
}

WordPiecePass::WordPiecePass(const BertNormalizer& normalizer, const BertSplitRules& rules, const WordPiece& model)
    : normalizer_(normalizer), rules_(rules), model_(&model) {
  for (unsigned char byte = 1; byte < 128; ++byte) {
    const uint8_t properties = unicode::properties(byte);
    if (properties & unicode::kRemoved && normalizer.clean_text) continue;
    const auto mapped = static_cast<char>(normalizer.lowercase ? unicode::lower_case(byte) : byte);
    switch (char_role(rules, byte, properties)) {
      case CharRole::kSpace:
        ascii_[byte] = kSpace;
        break;
      case CharRole::kAlone: {
        ascii_[byte] = kAlone;
        const int32_t id = model.find_word({&mapped, 1}, hash_string({&mapped, 1}));
        alone_ids_[byte] = id == StringTable::kAbsent || model.max_chars_per_word() == 0 ? *model.unknown_id() : id;
        break;
      }
      default:
        if (mapped > kAlone) ascii_[byte] = mapped;
    }
  }
  const bool all_plain = std::none_of(&ascii_['!'], &ascii_['~'] + 1, [](char kind) { return kind <= kSpace; });
  if (all_plain) cache_owner_ = ChunkCache::new_owner();
}

bool WordPiecePass::append_tokens(SequenceState& sequence, size_t begin, size_t end) const {
  Call call(*this, sequence);
  const char* const text = sequence.text.data();
  ChunkCache* const cache = cache_owner_ != 0 ? ChunkCache::of_this_thread() : nullptr;
  for (size_t i = begin; i < end;) {
    if (ascii_[static_cast<unsigned char>(text[i])] == kSpace) {
      ++i;
      continue;
    }
    if (const size_t next = cache == nullptr ? i : encode_chunk(call, i, end, *cache); next > i) {
      i = next + 1;  // next is a space, or the end
      continue;
    }
    const size_t next = encode_plain({text, end}, i, sequence.word, call.pieces, sequence.tokens);
    i = next > i ? next : encode_slow(call, i, end);
  }
  return true;
}

// Encodes the chunk that begins at `begin` if it is short and the cache has its tokens; returns where it stopped.
inline size_t WordPiecePass::encode_chunk(Call& call, size_t begin, size_t end, ChunkCache& cache) const {
  char last[Chunk::kRoom] = {};
  const char* bytes = call.sequence.text.data() + begin;
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
    const auto found = tokens_of_chunk({bytes, chunk.length}, call.pieces);
    if (!found) return begin;
    tokens = &cache.keep(chunk, cache_owner_, *found);
  }
  int32_t word = call.sequence.word - 1;
  size_t from = begin;
  for (const ChunkCache::Token token : *tokens) {
    word += static_cast<int32_t>(token.begins_word());
    const size_t to = begin + token.end();
    call.sequence.tokens.push_back({token.id(), word, {from, to}});
    from = to;
    if (token.is_last()) break;
  }
  call.sequence.word = word + 1;
  return stop;
}

// Returns nullopt if the cache cannot store the tokens.
[[gnu::noinline]] std::optional<ChunkCache::Tokens> WordPiecePass::tokens_of_chunk(
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

// Appends the tokens of the word of ASCII characters, or of the one character, that begins at text[begin]. Returns
// where it stopped, which is begin if the word is longer than kFastWord or has other characters.
template <class Tokens>
size_t WordPiecePass::encode_plain(std::string_view text, size_t begin, int32_t& word,
                                   std::vector<WordPieceToken>& pieces, Tokens& tokens) const {
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
  const bool is_unknown = letters.size() > model_->max_chars_per_word();
  const int32_t id = is_unknown ? *model_->unknown_id() : model_->find_word(letters, hash);
  if (id == StringTable::kAbsent) {
    append_pieces(*model_, letters, word++, pieces, tokens, [&](size_t from, size_t to) {
      return Offset{begin + from, begin + to};
    });
  } else {
    tokens.push_back({id, word++, {begin, i}});
  }
  return i;
}

// Encodes from begin to the next ASCII space or punctuation; returns where it stopped. No step of the normalizer looks
// across such a character, because it is a starter that no step changes.
size_t WordPiecePass::encode_slow(Call& call, size_t begin, size_t end) const {
  const std::string_view text = call.sequence.text.substr(0, end);
  size_t i = begin;
  while (i < end) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      const char kind = ascii_[byte];
      if (kind == kSpace || kind == kAlone) break;
      call.normalizer.push(byte, {i, i + 1});
      ++i;
      continue;
    }
    const Utf8Char c = decode_utf8(text, i);
    if (c.bytes == 0) refuse_byte(text, call.sequence.what, i);
    call.normalizer.push(c.code_point, {i, i + c.bytes});
    i += c.bytes;
  }
  call.normalizer.flush();
  call.sink.end_word();
  return i;
}

}  // namespace bert
