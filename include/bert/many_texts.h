// The results of calls for many texts, and their progress. Plain data.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "bert/error.h"
#include "bert/vector_request.h"

namespace bert {

// The counts and the error of one of many texts.
struct TextReport {
  size_t tokens = 0;            // tokens that were encoded
  size_t truncated_tokens = 0;  // removed tokens
  size_t unknown_tokens = 0;
  size_t coarse_rows = 0;  // with 8-bit weights: number of rows of activations that 8 bits represent poorly
  std::optional<Error> error = {};
};

struct VectorTexts {
  std::vector<TextVectors> vectors;  // [texts]; empty for a failed text
  std::vector<TextReport> reports;   // [texts]
};

struct EmbeddedTexts {
  std::vector<float> vectors;       // [texts, embedding_size(options)]; NaN for a failed text
  std::vector<TextReport> reports;  // [texts]
};

// Progress of a run over many texts: the first `texts` of the input have their results.
struct TextProgress {
  size_t texts = 0;
  size_t tokens = 0;  // of these texts, including special tokens
};

// Returns whether the run goes on; if not, the call ends with Error(kCancelled). Called in the thread that made the
// call, while the other threads go on working: before the first text, after every few forward passes, and after the
// last text. An exception from it ends the run too.
using ProgressCallback = std::function<bool(const TextProgress& done)>;

}  // namespace bert
