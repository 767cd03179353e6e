// Late chunking: one forward pass over a whole text, then a vector for each of its chunks. A chunk's vector is pooled
// from the vectors of the chunk's tokens, which attended to the whole text.
// Source: Günther et al. 2024, arXiv 2409.04701.
//
//   bert::VectorRequest request{.dense = bert::EmbedOptions{}, .chunks = bert::ChunkOptions{.tokens = 128}};
//   bert::TextVectors vectors = model.vectors("a long text", request);
//   use(vectors.dense, vectors.chunks);  // [chunks, embedding_size], and where each chunk is
#pragma once

#include <cstddef>

#include "bert/tokenizer.h"

namespace bert {

// How a text is divided into chunks. With both members set, a chunk is as many whole sentences as `tokens` allows; a
// longer sentence is divided. With neither, the caller gives the chunks (TextItem::spans).
struct ChunkOptions {
  size_t tokens = 0;       // the most tokens of a chunk, without special tokens; chunks end at ends of words; 0: no
                           // limit
  bool sentences = false;  // chunks end at ends of sentences
  bool operator==(const ChunkOptions&) const = default;
};

// A chunk of a text. The first chunk includes the special tokens and the prompt before the text, the last chunk the
// special tokens after the text. A chunk that the caller gives includes them only if it begins or ends the text.
struct TextChunk {
  size_t first_token = 0;   // index in the text's sequence of tokens
  size_t tokens = 0;        // at least 1
  Offset bytes;             // place in the text, without its prompt
  Offset code_points = {};  // place in the text, in code points
  bool operator==(const TextChunk&) const = default;
};

}  // namespace bert
