// From token representations to one vector per text: the first or the last token, a mean or the maximum over all
// tokens; and normalisation to unit length. Sums run in float64, tokens in order, so a text's vector does not depend on
// its batch. Stateless.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bert/model.h"
#include "engine/kernels/kernel_table.h"
#include "engine/tensor/matrix.h"

namespace bert {

// hidden: [tokens, hidden] of one sequence; places: [tokens], each token's index in it; vector: [hidden]. mode is not
// kPooler. kWeightedMean counts the indices from the first token's.
void pool_tokens(PoolingMode mode, ConstMatrixView hidden, std::span<const int32_t> places, std::span<float> vector);

// What each token's vector is multiplied by in this sum; empty: the pooling is no sum over tokens.   [tokens]
std::vector<double> pooling_weights(PoolingMode mode, std::span<const int32_t> places);

// The mean of a table's rows for ids, without left_out; zeros if there is none.   vector: [table.cols]
void mean_of_rows(const WeightView& table, std::span<const int32_t> ids, std::optional<int32_t> left_out,
                  const KernelTable& kernels, std::span<float> vector);

// Divides by the Euclidean norm, or by 1e-12 if that is larger, as the reference does.
void normalize(std::span<float> vector);

enum class Normalizing { kNever, kBeforeCut, kAfterCut };

// The first vectors.cols numbers of each row of `whole`, which it overwrites.
void finish_vectors(MatrixView whole, Normalizing when, MatrixView vectors);

}  // namespace bert
