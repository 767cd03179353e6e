#include "tokenizer/spaced_word_pass.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "engine/base/utf8.h"

namespace bert {
namespace {

bool is_printable(char byte) { return byte >= '!' && byte <= '~'; }

// Returns the end of the printable ASCII that begins at text[at].
size_t printable_end(std::string_view text, size_t at) {
  while (at < text.size() && is_printable(text[at])) ++at;
  return at;
}

size_t skip_spaces(std::string_view text, size_t at) {
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

// Returns whether the steps may begin after a plain word that ends at text[end]: if its spaces are followed by a
// printable character that no character beyond ASCII joins.
bool ends_plainly(std::string_view text, size_t end) {
  if (end < text.size() && text[end] != ' ') return false;
  const size_t next = skip_spaces(text, end);
  if (next == text.size()) return true;
  return is_printable(text[next]) && (next + 1 == text.size() || static_cast<unsigned char>(text[next + 1]) < 0x80);
}

// Returns where the next plain word after text[begin] begins, up to which the steps tokenize; else the text's end.
size_t next_plain_word(std::string_view text, size_t begin) {
  for (size_t at = begin; at < text.size();) {
    at = skip_spaces(text, std::min(text.find(' ', at), text.size()));
    if (const size_t end = printable_end(text, at); end > at && ends_plainly(text, end)) return at;
  }
  return text.size();
}

bool leaves_ascii(const Charsmap& charsmap) {
  for (char byte = ' '; byte <= '~'; ++byte) {
    NormalizedText text = original_text({&byte, 1}, 0);
    charsmap.apply(text);
    if (text.bytes != std::string_view(&byte, 1)) return false;
  }
  return true;
}

}  // namespace

std::unique_ptr<SpacedWordPass> SpacedWordPass::of(const Normalizer& normalizer, const PreTokenizer& pre_tokenizer,
                                                   const AddedTokens& added_tokens, const SubwordModel& model,
                                                   std::shared_ptr<const TextPass> other_steps) {
  const std::vector<PreTokenizerStep>& steps = pre_tokenizer.steps();
  if (steps.size() != 2 || steps[0] != PreTokenizerStep(BertSplitRules{.split_spaces = true})) return nullptr;
  const Metaspace* const marks = std::get_if<Metaspace>(&steps[1]);
  if (marks == nullptr || marks->prepend != Metaspace::Prepend::kAlways || !marks->split) return nullptr;
  if (marks->mark < 0x80) return nullptr;  // a plain word could contain the mark
  std::string mark;
  append_utf8(mark, marks->mark);
  std::unique_ptr<SpacedWordPass> pass(
      new SpacedWordPass(added_tokens, model, std::move(other_steps), std::move(mark)));
  pass->charsmap_ = normalizer.charsmap();
  const bool is_known = normalizer.steps().size() == 1 && (pass->charsmap_ != nullptr || normalizer == Normalizer());
  if (!is_known || (pass->charsmap_ != nullptr && !leaves_ascii(*pass->charsmap_))) return nullptr;
  return pass;
}

bool SpacedWordPass::takes(std::string_view text, bool split_special) const {
  if (charsmap_ != nullptr && charsmap_->removes_beginning(text)) return false;
  // Without spaces, every token is inside a plain word or inside a part for the steps.
  if (added_tokens_.any_normalized_with_space()) return false;
  bool has_added = false;
  added_tokens_.find_normalized(text, split_special, [&](const AddedTokenMatch&) { has_added = true; });
  return !has_added;
}

bool SpacedWordPass::append_tokens(SequenceState& sequence, size_t begin, size_t end) const {
  if (sequence.verbatim != nullptr) return false;
  const std::string_view text = sequence.text.substr(0, end);
  if (!takes(text.substr(begin), sequence.split_special)) return false;
  while (begin < end) {
    begin = append_plain_words(text, begin, sequence.word, sequence.tokens);
    const size_t next = next_plain_word(text, begin);
    if (begin < next) steps_->append_tokens(sequence, begin, next);
    begin = next;
  }
  return true;
}

// Appends plain words up to the first word that needs the steps; returns its beginning, or the text's end.
size_t SpacedWordPass::append_plain_words(std::string_view text, size_t begin, int32_t& word, TokenList& tokens) const {
  ChunkCache* const cache = ChunkCache::of_this_thread();
  size_t at = begin, steps_begin = begin;
  for (;;) {
    at = skip_spaces(text, at);
    if (at == text.size()) return at;
    Chunk chunk;
    if (cache != nullptr && text.size() - at >= Chunk::kRoom) chunk = Chunk::read(text.data() + at);
    const size_t end = chunk.length > 0 ? at + chunk.length : printable_end(text, at);
    if (end == at || !ends_plainly(text, end)) return steps_begin;
    const ChunkCache::Tokens* const kept = chunk.length > 0 ? cache->find(chunk, cache_owner_) : nullptr;
    if (kept == nullptr) {
      ChunkCache::Collector collector;
      append_word(text, at, end, word, tokens, collector);
      if (const auto found = collector.tokens(); found && chunk.length > 0) cache->keep(chunk, cache_owner_, *found);
    } else {
      size_t from = 0;
      for (const ChunkCache::Token token : *kept) {
        const size_t to = token.end();
        tokens.push_back({token.id(), word, {at + from, at + (to == 0 ? 1 : to)}});
        from = to;
        if (token.is_last()) break;
      }
    }
    ++word;
    at = end;
    steps_begin = skip_spaces(text, end);
  }
}

// collector: receives the tokens if each begins where the previous one ends. A token that is only the mark ends at byte
// 0.
void SpacedWordPass::append_word(std::string_view text, size_t begin, size_t end, int32_t word, TokenList& tokens,
                                 ChunkCache::Collector& collector) const {
  struct Sink : SubwordSink {
    size_t begin, mark;
    int32_t word;
    TokenList& tokens;
    ChunkCache::Collector& collector;
    size_t last = 0;
    Sink(size_t begin_of_word, size_t mark_size, int32_t number, TokenList& list, ChunkCache::Collector& of_word)
        : begin(begin_of_word), mark(mark_size), word(number), tokens(list), collector(of_word) {}
    // The mark has the source of the first character.
    size_t without_mark(size_t at) const { return at < mark ? 0 : at - mark; }
    void push_back(const SubwordToken& token) override {
      const size_t from = without_mark(token.begin), to = without_mark(token.end);
      tokens.push_back({token.id, word, {begin + from, begin + (to == 0 ? 1 : to)}});
      const bool is_next = token.begin == last && (token.end <= mark ? token.end == mark : true);
      collector.add(is_next ? token.id : ChunkCache::kIdEnd, is_next ? to : 0, last == 0);
      last = token.end;
    }
  };
  Sink sink(begin, mark_.size(), word, tokens, collector);
  const std::string marked = mark_ + std::string(text.substr(begin, end - begin));
  const TextRange all = {0, marked.size()};
  model_->tokenize(marked, {&all, 1}, sink);
}

}  // namespace bert
