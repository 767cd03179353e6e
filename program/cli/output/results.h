// Writes results as JSON, with their common members: "id", "window", the error object, the tokens (docs/OUTPUT.md has
// the schemas). Used by one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bert/model.h"
#include "program/cli/common.h"
#include "program/cli/input/sequences.h"
#include "program/cli/output/npy.h"
#include "program/cli/output/output.h"

namespace bert::cli {

// Writes objects one by one. The format json is one document: an array, or the object itself if there is exactly one.
// In every other format each object is a line.
class JsonResults {
 public:
  JsonResults(Output& output, OutputFormat format) : output_(output), is_document_(format == OutputFormat::kJson) {}

  void add(std::string object);
  void finish();

 private:
  Output& output_;
  const bool is_document_;
  std::optional<std::string> first_;  // kept until it is known whether there are more
  size_t count_ = 0;
};

// Begins an object with the sequence's "id", its kept members, "window" and "positions", if it has them.
JsonWriter begin_result(const Sequence& sequence);
JsonWriter begin_result(const ItemSource& source);  // only "id" and the members of --keep

// Returns {"id", "window", "line", "error"}, with the members that exist.
std::string error_object(const Sequence& sequence);

// Adds truncated_tokens and unknown_tokens.
void add_token_counts(JsonWriter& object, const Sequence& sequence);

// Adds offset_unit, with --offsets.
void add_offset_unit(JsonWriter& object, const Sequence& sequence);

// Adds tokens, ids, type_ids, attention_mask, special_tokens_mask, word_ids, offsets, and the counts. For ids from the
// input, adds only tokens, ids, type_ids, attention_mask. There are no tokens if the model has no tokenizer.
void add_encoding(JsonWriter& object, const Sequence& sequence, const Model& model);
void add_encoding(JsonWriter& object, const Sequence& sequence, const Tokenizer* tokenizer);

// Returns these members as arrays for npz, with "id", "window" and "positions".
std::vector<Array> encoding_arrays(const Sequence& sequence, const Model& model);

// Adds "attentions", as a member or an array: [attention layers, heads, queries, tokens (key)].
void add_attentions(JsonWriter& object, std::span<const float> weights, const ModelConfig& config, size_t queries,
                    size_t tokens);
Array attentions_array(std::span<const float> weights, const ModelConfig& config, size_t queries, size_t tokens);

// Returns "line" and "error", with "id", "window" and "positions", for npz.
std::vector<Array> error_arrays(const Sequence& sequence);

// Returns the title of one of several results in a text for people: its number, line or id.
std::string result_title(const Sequence& sequence);

}  // namespace bert::cli
