// A normalizer over a text in pieces: what its steps make of the whole text, in memory for a piece and for what no step
// may cut (a run of marks, of white space). One call's; used by one thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "tokenizer/normalizer/normalized_text.h"
#include "tokenizer/normalizer/normalizer.h"

namespace bert {

// A text that comes in pieces and leaves in parts, each up to a place where it may be cut.
class WaitingText {
 public:
  explicit WaitingText(size_t begin) { text_.begin = begin; }
  std::string_view bytes() const { return text_.bytes; }

  void append(NormalizedText piece);

  // What leaves now: all, if the text ends here, else the part before the cut that find_cut() finds, 0 for none.
  template <typename FindCut>
  NormalizedText take(bool last, const FindCut& find_cut) {
    const size_t size = text_.bytes.size();
    const size_t cut = last ? size : size < try_at_ ? 0 : find_cut();
    try_at_ = cut == 0 ? 2 * size : 0;  // so that all searches together are linear in the text
    return text_.take(cut);
  }

 private:
  NormalizedText text_;
  size_t try_at_ = 0;  // bytes; a search for a cut in less than that failed
};

class NormalizerStream {
 public:
  // Keeps a reference to the normalizer. begin: where the text begins in the original.
  NormalizerStream(const Normalizer& normalizer, size_t begin);

  // The next piece of the text; what is normalized now. last: the text ends here.
  NormalizedText push(NormalizedText piece, bool last);

 private:
  // A step, and its text that it has not normalized yet.
  struct Step {
    WaitingText waiting;
    bool begun = false;
  };
  static size_t last_cut(const NormalizerStep& rules, const Step& step);

  const Normalizer& normalizer_;
  std::vector<Step> steps_;
};

// The last place before `end`, behind the first character, that `may_cut` accepts; 0: none. may_cut(at): between the
// characters before and at text[at].
template <typename MayCut>
size_t find_last_cut(std::string_view text, size_t end, const MayCut& may_cut) {
  for (size_t at = character_start(text, end); at > 0; at = character_start(text, at - 1)) {
    if (may_cut(at)) return at;
  }
  return 0;
}

}  // namespace bert
