// Late chunking: one forward pass over a whole text, then a vector for each of its chunks, pooled from the vectors of
// the chunk's tokens, which have seen the whole text.
// Source: Günther et al. 2024, arXiv 2409.04701.
//
//   bert::VectorRequest request{.dense = bert::EmbedOptions{}, .chunks = bert::ChunkOptions{.tokens = 128}};
//   bert::TextVectors vectors = model.vectors("a long text", request);
//   use(vectors.dense, vectors.chunks);  // [chunks, embedding_size], and where each chunk is
#pragma once

#include <cstddef>

#include "bert/tokenizer.h"

namespace bert {

// Where a text is divided. Both: whole sentences, as many as `tokens` allows; a longer sentence is divided. Neither: a
// text's chunks are those that the caller gives (TextItem::spans).
struct ChunkOptions {
  size_t tokens = 0;       // of a chunk at most, without special tokens, at the ends of words; 0: no limit
  bool sentences = false;  // at the ends of sentences
  bool operator==(const ChunkOptions&) const = default;
};

// A chunk of a text. The first one's tokens begin with the text's special tokens and the prompt, the last one's end
// with the special tokens behind the text; chunks that the caller gives have these only where they begin or end the
// text.
struct TextChunk {
  size_t first_token = 0;   // of the text's sequence
  size_t tokens = 0;        // at least 1
  Offset bytes;             // in the text, without its prompt
  Offset code_points = {};  // the same in code points
  bool operator==(const TextChunk&) const = default;
};

}  // namespace bert
