#include "tokenizer/byte_level_pass.h"

#include <string>
#include <variant>

#include "engine/base/utf8.h"
#include "tokenizer/unicode/normal_form.h"

namespace bert {
namespace {

// Returns the function that finds words: of ByteLevel alone, or of a known expression before a ByteLevel that does not
// split.
WordEnd word_end_of(const std::vector<PreTokenizerStep>& steps) {
  const ByteLevel* const last = std::get_if<ByteLevel>(&steps.back());
  if (last == nullptr) return nullptr;
  if (steps.size() == 1) return last->split ? gpt2_word_end : nullptr;
  const PatternSplit* const split = std::get_if<PatternSplit>(&steps[0]);
  if (steps.size() != 2 || split == nullptr || last->split || last->add_prefix_space) return nullptr;
  return split->behavior == SplitBehavior::kIsolated && !split->invert ? split->pattern.word_end() : nullptr;
}

}  // namespace

std::unique_ptr<ByteLevelPass> ByteLevelPass::of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                                 const AddedTokens& added_tokens, const SubwordModel& model) {
  const Bpe* const bpe = model.byte_pairs();
  const WordEnd word_end = word_end_of(pre_tokenizer.steps());
  const std::vector<NormalizerStep>& steps = normalizer.steps();
  if (bpe == nullptr || !bpe->has_all_bytes() || word_end == nullptr || steps.size() > 1) return nullptr;
  const bool composes = steps[0] == NormalizerStep(NormalForm{.composed = true});
  if (!composes && steps[0] != NormalizerStep(BertNormalizer())) return nullptr;
  std::unique_ptr<ByteLevelPass> pass(new ByteLevelPass(added_tokens, *bpe, word_end));
  pass->adds_space_ = std::get<ByteLevel>(pre_tokenizer.steps().back()).add_prefix_space;
  pass->composes_ = composes;
  return pass;
}

// One call of append_tokens().
class ByteLevelPass::Call {
 public:
  Call(const ByteLevelPass& pass, std::string_view text, int32_t first_word, TokenList& tokens)
      : pass_(pass), text_(text), cache_(ChunkCache::of_this_thread()), word_(first_word), tokens_(tokens) {}

  int32_t word() const { return word_; }

  // Appends a word that begins at text[begin] after an inserted space; returns the word's end.
  size_t append_spaced_word(size_t begin) {
    // The word's end depends on what follows, so words of the text are added until the first word ends before the last.
    std::string spaced = " ";
    size_t end = spaced.size();
    for (size_t at = begin; end == spaced.size() && at < text_.size();) {
      const size_t next = pass_.word_end_(text_, at);
      spaced.append(text_, at, next - at);
      at = next;
      end = pass_.word_end_(spaced, 0);
    }
    pass_.model_->split_bytes(std::string_view(spaced).substr(0, end), symbols_);
    size_t from = 0;  // begin of the token in the word
    for (size_t i = 0; i < symbols_.size(); ++i) {
      const size_t to = from + symbols_.length(i);
      // The space has the source of the first character.
      push(symbols_.id(i), begin + (from == 0 ? 0 : from - 1), begin + (to == 1 ? 1 : to - 1));
      from = to;
    }
    ++word_;
    return begin + end - 1;
  }

  // Appends the words from text[begin] on.
  void append_words(size_t begin) {
    while (begin < text_.size()) {
      const bool has_room = text_.size() - begin >= Chunk::kRoom;
      Chunk chunk = has_room ? Chunk::read_letters(text_.data() + begin) : Chunk();
      if (chunk.length > 0) {
        append_word(begin, begin + chunk.length, chunk);
        begin += chunk.length;
        continue;
      }
      const size_t end = pass_.word_end_(text_, begin);
      if (end - begin <= Chunk::kLongest && text_[end - 1] != '\0') {
        chunk =
            has_room ? Chunk::of_first(text_.data() + begin, end - begin) : Chunk::of(text_.substr(begin, end - begin));
      }
      append_word(begin, end, chunk);
      begin = end;
    }
  }

 private:
  [[gnu::always_inline]] void push(int32_t id, size_t from, size_t to) {
    // The source of a byte is its character.
    while (continues_character(text_[from])) --from;
    while (to < text_.size() && continues_character(text_[to])) ++to;
    tokens_.push_back({id, word_, {from, to}});
  }

  // chunk: the word; its length is 0 if the cache does not store it.
  [[gnu::always_inline]] void append_word(size_t begin, size_t end, const Chunk& chunk) {
    const bool is_cached = chunk.length > 0 && cache_ != nullptr;
    const ChunkCache::Tokens* kept = is_cached ? cache_->find(chunk, pass_.cache_owner_) : nullptr;
    if (kept == nullptr) return merge_word(begin, end, is_cached ? &chunk : nullptr);
    size_t from = begin;
    for (const ChunkCache::Token token : *kept) {
      const size_t to = begin + token.end();
      push(token.id(), from, to);
      from = to;
      if (token.is_last()) break;
    }
    ++word_;
  }

  [[gnu::noinline]] void merge_word(size_t begin, size_t end, const Chunk* chunk) {
    pass_.model_->split_bytes(text_.substr(begin, end - begin), symbols_);
    ChunkCache::Collector collector;
    size_t from = begin;
    for (size_t i = 0; i < symbols_.size(); ++i) {
      const size_t to = from + symbols_.length(i);
      push(symbols_.id(i), from, to);
      if (chunk != nullptr) collector.add(symbols_.id(i), to - begin, i == 0);
      from = to;
    }
    if (const auto found = collector.tokens()) cache_->keep(*chunk, pass_.cache_owner_, *found);
    ++word_;
  }

  const ByteLevelPass& pass_;
  std::string_view text_;
  ChunkCache* cache_;
  int32_t word_;
  TokenList& tokens_;
  BpeWord symbols_;
};

bool ByteLevelPass::append_tokens(SequenceState& sequence, size_t begin, size_t end) const {
  const std::string_view part = sequence.text.substr(begin, end - begin);
  if (composes_ && !is_surely_nfc(part)) return false;
  size_t from = begin;
  added_tokens_.find_normalized(part, sequence.split_special, [&](const AddedTokenMatch& match) {
    const Offset range = {begin + match.begin, begin + match.end};
    append_words(sequence, from, range.begin);
    sequence.append_added_token(match.id, part.substr(match.begin, match.end - match.begin), range);
    from = range.end;
  });
  append_words(sequence, from, end);
  return true;
}

void ByteLevelPass::append_words(SequenceState& sequence, size_t begin, size_t end) const {
  if (begin == end) return;
  const std::string_view text = sequence.text.substr(0, end);
  Call call(*this, text, sequence.word, sequence.tokens);
  call.append_words(adds_space_ && text[begin] != ' ' ? call.append_spaced_word(begin) : begin);
  sequence.word = call.word();
}

}  // namespace bert
