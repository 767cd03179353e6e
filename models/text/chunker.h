// Divides a tokenised text into chunks, whose vectors one forward pass computes (bert/chunks.h). Stateless.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "bert/chunks.h"
#include "bert/tokenizer.h"

namespace bert {

// Finds sentences by punctuation and lines, for chunks that should not break inside one. Returns their places in bytes,
// in order, without the white space around each; they cover all other characters. A sentence ends at a line's end, and
// after . ! ? … and similar marks, with the closing quotes and brackets after them, if white space follows and then no
// lower-case letter; after Chinese and Japanese marks also without white space.
std::vector<Offset> sentences_of(std::string_view text);

// encoding: of `text`, whose first prompt_bytes are the prompt, with offsets. spans: the caller's chunks, in bytes of
// the text without its prompt, instead of a division by options; empty: none. A token belongs to the chunk in which it
// begins. Returns no chunks for a text without tokens of its own. Throws Error(kInvalidArgument) for spans that are not
// in order, outside of the text, or without a token.
std::vector<TextChunk> chunks_of(const Encoding& encoding, std::string_view text, size_t prompt_bytes,
                                 const ChunkOptions& options, std::span<const Offset> spans);

}  // namespace bert
