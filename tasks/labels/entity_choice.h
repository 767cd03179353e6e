// Chooses which of the scored spans are entities. Stateless.
#pragma once

#include <cstddef>
#include <vector>

namespace bert {

// A span of words and a label.
struct ScoredSpan {
  size_t first = 0;  // index of the first word
  size_t last = 0;
  size_t label = 0;
  double score = 0;  // from 0 to 1
};

// Chooses the best first; a span that overlaps a chosen one is dropped. Source: gliner 0.2.29, decoding. Returns the
// entities in the order of their first words. nested: a span may be inside another span, but not cross it.
// multi_label: a span may be chosen with several labels.
std::vector<ScoredSpan> choose_entities(std::vector<ScoredSpan> spans, size_t words, bool nested, bool multi_label);

// How spans of one label exclude each other.
enum class OverlapPolicy {
  kBestFirst,  // the best first; a span that overlaps a chosen one is dropped
  kBestSum,    // the spans without overlaps that have the largest sum of scores
  kNested,     // the best first; a span that crosses a chosen one is dropped
  kLongest,    // spans that are inside no other span
};

// Chooses among different spans of words [0, words) with each label, in any order; spans of one label do not exclude
// spans of another. Source: gliner2 2.1.0, overlap and finalize_spans. Returns them in the order of their
// first words; with equal first words, the best first.
std::vector<ScoredSpan> choose_for_each_label(std::vector<ScoredSpan> spans, size_t words, OverlapPolicy policy);

}  // namespace bert
