// The table of a static model, which has no encoder: a row for each token id. A text's vector is the mean of its
// tokens' rows. Reads files of sentence-transformers' StaticEmbedding and of model2vec. Stateless.
#pragma once

#include "bert/config.h"
#include "engine/checkpoint/weight_reader.h"

namespace bert {

struct StaticTable {
  WeightStorage storage;  // the memory of the rows
  WeightView rows;        // [vocab, width]
};

// Reads the tensor embedding.weight of StaticEmbedding, or embeddings of model2vec: float32, float16, bfloat16, and
// model2vec's 8-bit integers, which have no scale, are used in place; float64 is rounded to float32. model2vec's
// mapping [vocab] from a token to its row, and its weights [vocab], are applied here: the rows are then floats in
// memory. Throws Error for a missing tensor, a wrong shape or type, and a row that the mapping names but that does not
// exist.
StaticTable read_static_table(Checkpoint checkpoint, const WeightReaderOptions& options);

// Reads the tensor weight [vocab] of SparseStaticEmbedding, as rows of one number. Types and errors as in
// read_static_table.
StaticTable read_token_weights(Checkpoint checkpoint, const WeightReaderOptions& options);

// Returns the configuration of a model with this table: no layers, no positions, no segments.
ModelConfig static_config(const StaticTable& table);

}  // namespace bert
