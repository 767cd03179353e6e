// Normalizes a text in pieces, with the result of the whole text. Memory is needed for a piece and for what no step may
// cut (a run of marks, or of white space). For one call; used by one thread.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/base/utf8.h"
#include "tokenizer/normalizer/normalized_text.h"
#include "tokenizer/normalizer/normalizer.h"

namespace bert {

// A text that arrives in pieces and leaves in parts that end where it may be cut.
class WaitingText {
 public:
  explicit WaitingText(size_t begin) { text_.begin = begin; }
  std::string_view bytes() const { return text_.bytes; }

  void append(NormalizedText piece);

  // Returns the part that can leave: everything if the text ends here, else the part before the cut that find_cut()
  // returns, 0 for none.
  template <typename FindCut>
  NormalizedText take(bool last, const FindCut& find_cut) {
    const size_t size = text_.bytes.size();
    const size_t cut = last ? size : size < try_at_ ? 0 : find_cut();
    try_at_ = cut == 0 ? 2 * size : 0;  // keeps all searches together linear in the text
    return text_.take(cut);
  }

 private:
  NormalizedText text_;
  size_t try_at_ = 0;  // bytes; a search for a cut in fewer bytes failed
};

class NormalizerStream {
 public:
  // Keeps a reference to the normalizer. begin: where the text begins in the original.
  NormalizerStream(const Normalizer& normalizer, size_t begin);

  // Adds the next piece of the text; returns what can be normalized now. last: the text ends here.
  NormalizedText push(NormalizedText piece, bool last);

 private:
  // A step, and the text that it has not normalized yet.
  struct Step {
    WaitingText waiting;
    bool begun = false;
  };
  static size_t last_cut(const NormalizerStep& rules, const Step& step);

  const Normalizer& normalizer_;
  std::vector<Step> steps_;
};

// Returns the last place before `end`, after the first character, that `may_cut` accepts; 0: none. may_cut(at): whether
// to cut between the characters before and at text[at].
template <typename MayCut>
size_t find_last_cut(std::string_view text, size_t end, const MayCut& may_cut) {
  for (size_t at = character_start(text, end); at > 0; at = character_start(text, at - 1)) {
    if (may_cut(at)) return at;
  }
  return 0;
}

}  // namespace bert
