// Pools token vectors to one vector per text: the first or the last token, a mean or the maximum over all tokens; and
// normalises to unit length. Sums are in float64, over the tokens in order, so a text's vector does not depend on its
// batch. Stateless.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bert/model.h"
#include "engine/kernels/kernel_table.h"
#include "engine/tensor/matrix.h"

namespace bert {

// Pools one sequence.   hidden: [tokens, hidden]; places: [tokens], each token's index in the sequence; vector:
// [hidden]. mode must not be kPooler. kWeightedMean counts the indices from the first token's.
void pool_tokens(PoolingMode mode, ConstMatrixView hidden, std::span<const int32_t> places, std::span<float> vector);

// Returns the factor of each token's vector in this sum; empty: the pooling is not a sum over tokens.   [tokens]
std::vector<double> pooling_weights(PoolingMode mode, std::span<const int32_t> places);

// Computes the mean of a table's rows for ids, except left_out; zeros if there are no ids.   vector: [table.cols]
void mean_of_rows(const WeightView& table, std::span<const int32_t> ids, std::optional<int32_t> left_out,
                  const KernelTable& kernels, std::span<float> vector);

// Divides by the Euclidean norm, or by 1e-12 if that is larger, as the reference does.
void normalize(std::span<float> vector);

enum class Normalizing { kNever, kBeforeCut, kAfterCut };

// Writes the first vectors.cols numbers of each row of `whole`, which is overwritten, normalised before or after the
// cut.
void finish_vectors(MatrixView whole, Normalizing when, MatrixView vectors);

}  // namespace bert
