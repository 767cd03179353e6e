#include "tokenizer/pipeline.h"

#include <string>

#include "bert/error.h"
#include "engine/base/utf8.h"

namespace bert {
namespace {

// A word longer than this leaves the fast path; the reference's limit is 100 characters.
constexpr size_t kFastWord = 128;

// Appends the tokens of a word that is not one token itself; unknown: one token over the whole word.
// source_of(begin, end): where bytes [begin, end) of the word came from.
template <typename SourceOf>
void append_pieces(const WordPiece& model, std::string_view bytes, int32_t word, std::vector<WordPieceToken>& pieces,
                   std::vector<Token>& tokens, const SourceOf& source_of) {
  if (!model.split(bytes, pieces)) {
    tokens.push_back({model.unknown_id(), word, source_of(0, bytes.size())});
    return;
  }
  for (const WordPieceToken& piece : pieces) tokens.push_back({piece.id, word, source_of(piece.begin, piece.end)});
}

[[noreturn]] void refuse_byte(std::string_view text, std::string_view what, size_t position) {
  constexpr char kHex[] = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(text[position]);
  throw Error(ErrorCode::kInvalidText, std::string(what) + ": not valid UTF-8 at byte " + std::to_string(position) +
                                           ": found 0x" + kHex[byte >> 4] + kHex[byte & 15]);
}

}  // namespace

// Collects normalized characters to words and hands each to the model.
class Pipeline::WordSink {
 public:
  WordSink(const PreTokenizer& rules, const WordPiece& model, Run& run) : rules_(rules), model_(model), run_(run) {}

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

  const PreTokenizer& rules_;
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
  bool plain_special;
  std::vector<Token>& tokens;
  WordSink sink;
  NormalizerStream<WordSink> stream;
  int32_t word = 0;
  std::vector<WordPieceToken> pieces = {};

  Run(const Pipeline& pipeline, std::string_view text_, std::string_view what_, bool plain_special_,
      std::vector<Token>& tokens_)
      : text(text_),
        what(what_),
        plain_special(plain_special_),
        tokens(tokens_),
        sink(pipeline.pre_tokenizer_, pipeline.model_, *this),
        stream(pipeline.normalizer_, sink) {}
};

void Pipeline::WordSink::end_word() {
  if (chars_ == 0) return;
  const int32_t word = run_.word++;
  if (chars_ > model_.max_chars_per_word()) {
    run_.tokens.push_back({model_.unknown_id(), word, {begin_, end_}});
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
                   const WordPiece& model)
    : normalizer_(normalizer), pre_tokenizer_(pre_tokenizer), added_tokens_(added_tokens), model_(model) {
  // Where spaces do not part words, or classes do, everything is slow: no BERT file asks for it.
  if (!pre_tokenizer.split_spaces || pre_tokenizer.split_word_classes) return;
  for (unsigned char byte = 1; byte < 128; ++byte) {
    const uint8_t properties = unicode::properties(byte);
    if (properties & unicode::kRemoved && normalizer.clean_text) continue;
    const auto mapped = static_cast<char>(normalizer.lowercase ? unicode::lower_case(byte) : byte);
    switch (char_role(pre_tokenizer, byte, properties)) {
      case CharRole::kSpace:
        ascii_[byte] = kSpace;
        break;
      case CharRole::kAlone: {
        ascii_[byte] = kAlone;
        const int32_t id = model.find_word({&mapped, 1}, hash_string({&mapped, 1}));
        alone_ids_[byte] = id == StringTable::kAbsent || model.max_chars_per_word() == 0 ? model.unknown_id() : id;
        break;
      }
      default:
        if (mapped > kAlone) ascii_[byte] = mapped;
    }
  }
}

void Pipeline::encode(std::string_view text, std::string_view what, bool plain_special,
                      std::vector<Token>& tokens) const {
  Run run(*this, text, what, plain_special, tokens);
  std::vector<AddedTokenMatch> matches;
  added_tokens_.find_raw(text, plain_special, matches);
  size_t begin = 0;
  for (const AddedTokenMatch& match : matches) {
    encode_piece(run, begin, match.begin);
    tokens.push_back({match.id, run.word++, {match.begin, match.end}});
    begin = match.end;
  }
  encode_piece(run, begin, text.size());
}

void Pipeline::encode_piece(Run& run, size_t begin, size_t end) const {
  if (begin >= end) return;
  if (added_tokens_.any_normalized()) return encode_normalized_piece(run, begin, end);
  const char* const text = run.text.data();
  const size_t max_chars = model_.max_chars_per_word();
  char bytes[kFastWord];
  for (size_t i = begin; i < end;) {
    const char kind = ascii_[static_cast<unsigned char>(text[i])];
    if (kind == kSpace) {
      ++i;
      continue;
    }
    if (kind == kAlone) {
      run.tokens.push_back({alone_ids_[static_cast<unsigned char>(text[i])], run.word++, {i, i + 1}});
      ++i;
      continue;
    }
    const size_t start = i;
    uint64_t hash = 0;
    size_t length = 0;
    char letter = kind;
    while (letter > kAlone && length < kFastWord) {
      bytes[length++] = letter;
      hash = extend_hash(hash, letter);
      letter = ++i < end ? ascii_[static_cast<unsigned char>(text[i])] : kSpace;
    }
    if (letter > kAlone || letter == kSlow) {  // too long, or a character that is not plain: the word starts again
      i = encode_slow(run, start, end);
      continue;
    }
    const int32_t word = run.word++;
    const std::string_view letters(bytes, length);
    if (length > max_chars) {
      run.tokens.push_back({model_.unknown_id(), word, {start, i}});
    } else if (const int32_t id = model_.find_word(letters, hash); id != StringTable::kAbsent) {
      run.tokens.push_back({id, word, {start, i}});
    } else {
      append_pieces(model_, letters, word, run.pieces, run.tokens, [&](size_t from, size_t to) {
        return Offset{start + from, start + to};
      });
    }
  }
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
      run.stream.push(byte, {i, i + 1});
      ++i;
      continue;
    }
    const Utf8Char c = decode_utf8(text, i);
    if (c.bytes == 0) refuse_byte(text, run.what, i);
    run.stream.push(c.code_point, {i, i + c.bytes});
    i += c.bytes;
  }
  run.stream.flush();
  run.sink.end_word();
  return i;
}

namespace {

// A normalized text that stays, to be searched for added tokens.
struct NormalizedText {
  std::string bytes;
  std::vector<Offset> sources;  // of each byte
  void put(char32_t c, uint8_t, Offset source) {
    append_utf8(bytes, c);
    sources.resize(bytes.size(), source);
  }
};

}  // namespace

void Pipeline::encode_normalized_piece(Run& run, size_t begin, size_t end) const {
  NormalizedText normalized;
  NormalizerStream stream(normalizer_, normalized);
  const std::string_view text = run.text.substr(0, end);
  for (size_t i = begin; i < end;) {
    const Utf8Char c = decode_utf8(text, i);
    if (c.bytes == 0) refuse_byte(text, run.what, i);
    stream.push(c.code_point, {i, i + c.bytes});
    i += c.bytes;
  }
  stream.flush();
  const auto words_between = [&](size_t from, size_t to) {
    for (size_t i = from; i < to;) {
      const Utf8Char c = decode_utf8(normalized.bytes, i);
      run.sink.put(c.code_point, unicode::properties(c.code_point), normalized.sources[i]);
      i += c.bytes;
    }
    run.sink.end_word();
  };
  std::vector<AddedTokenMatch> matches;
  added_tokens_.find_normalized(normalized.bytes, run.plain_special, matches);
  size_t from = 0;
  for (const AddedTokenMatch& match : matches) {
    words_between(from, match.begin);
    run.tokens.push_back(
        {match.id, run.word++, {normalized.sources[match.begin].begin, normalized.sources[match.end - 1].end}});
    from = match.end;
  }
  words_between(from, normalized.bytes.size());
}

}  // namespace bert
