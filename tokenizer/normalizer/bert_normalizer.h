// BERT's normalizer: each character passes clean, split ideographs, decompose, strip and lower case, then goes to a
// sink. It streams, so a text of any size needs no copy; only marks that canonical ordering may move are buffered. Each
// character carries its byte range in the original, by the reference's alignment rule. A BertNormalizerStream belongs
// to one thread; BertNormalizer is plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bert/tokenizer.h"
#include "tokenizer/unicode/unicode.h"

namespace bert {

// Which steps are active. They always run in this order, which is the only order in files. Lower case commutes with
// decompose and strip (tests check this for every scalar value).
struct BertNormalizer {
  bool clean_text = false;        // deletes control characters; white space becomes U+0020
  bool split_cjk = false;         // adds a space on both sides of an ideograph
  bool decompose = false;         // NFD
  bool strip_nonspacing = false;  // deletes Mn, as BertNormalizer does
  bool strip_marks = false;       // deletes Mn, Mc and Me, as the StripAccents normalizer does
  bool lowercase = false;
  bool operator==(const BertNormalizer&) const = default;
};

// Sink must have void put(char32_t c, uint8_t properties, Offset source).
template <typename Sink>
class BertNormalizerStream {
 public:
  BertNormalizerStream(const BertNormalizer& steps, Sink& sink) : steps_(steps), sink_(sink) {
    if (steps.clean_text) touched_ |= unicode::kRemoved | unicode::kSpace;
    if (steps.split_cjk) touched_ |= unicode::kCjk;
    if (steps.decompose) touched_ |= unicode::kDecomposes | unicode::kHasClass;
    if (steps.strip_nonspacing) touched_ |= unicode::kNonspacing;
    if (steps.strip_marks) touched_ = 0xFF;  // there is no bit for marks, so every character is checked below
    if (steps.lowercase) touched_ |= unicode::kHasLower;
  }

  void push(char32_t c, Offset source) {
    const uint8_t properties = unicode::properties(c);
    if ((properties & touched_) == 0 && !steps_.strip_marks) {
      flush();
      sink_.put(c, properties, source);
      return;
    }
    if (steps_.clean_text) {
      if (properties & unicode::kRemoved) return;
      if (properties & unicode::kSpace) return order(U' ', source);
    }
    if (steps_.split_cjk && (properties & unicode::kCjk)) {
      order(U' ', source);
      order(c, source);
      order(U' ', source);
      return;
    }
    order(c, source);
  }

  // Call at the end of the text.
  void flush() {
    if (!waiting_.empty()) flush_waiting();
  }

 private:
  // A mark that waits for canonical ordering. inserted: it is not the first character of its decomposition.
  struct Waiting {
    uint8_t combining_class;
    bool inserted;
    char32_t c;
  };

  void order(char32_t c, Offset source) {
    if (!steps_.decompose) return strip(c, source);
    if ((unicode::properties(c) & (unicode::kDecomposes | unicode::kHasClass)) == 0) {
      flush();
      return strip(c, source);
    }
    char32_t parts[unicode::kMaxDecomposition];
    const size_t count = unicode::decompose(c, parts);
    for (size_t i = 0; i < count; ++i) {
      const uint8_t combining_class = unicode::combining_class(parts[i]);
      if (combining_class == 0) {
        flush();
        last_source_ = source;
        strip(parts[i], source);
      } else {
        waiting_.push_back({combining_class, i > 0, parts[i]});
        if (i == 0) waiting_sources_.push_back(source);
      }
    }
  }

  // The reference reassigns sources after ordering: a character takes the source of the next original character, an
  // inserted one repeats the previous source. So marks that moved get the source of their new position, not their own.
  void flush_waiting() {
    std::stable_sort(waiting_.begin(), waiting_.end(),
                     [](const Waiting& a, const Waiting& b) { return a.combining_class < b.combining_class; });
    size_t next = 0;
    for (const Waiting& mark : waiting_) {
      if (!mark.inserted) last_source_ = waiting_sources_[next++];
      strip(mark.c, last_source_);
    }
    waiting_.clear();
    waiting_sources_.clear();
  }

  void strip(char32_t c, Offset source) {
    const uint8_t properties = unicode::properties(c);
    if (steps_.strip_nonspacing && (properties & unicode::kNonspacing)) return;
    if (steps_.strip_marks && unicode::is_mark(c)) return;
    if (!steps_.lowercase || (properties & unicode::kHasLower) == 0) return sink_.put(c, properties, source);
    const char32_t lower = unicode::lower_case(c);
    sink_.put(lower, unicode::properties(lower), source);
    if (c == unicode::kDottedCapitalI) {
      sink_.put(unicode::kDotAbove, unicode::properties(unicode::kDotAbove), source);
    }
  }

  const BertNormalizer steps_;
  Sink& sink_;
  uint8_t touched_ = 0;  // characters without these properties do not change
  Offset last_source_;
  std::vector<Waiting> waiting_;
  std::vector<Offset> waiting_sources_;
};

}  // namespace bert
