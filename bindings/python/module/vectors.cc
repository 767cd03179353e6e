#include "bindings/python/module/bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "bert/vectors.h"
#include "bindings/python/module/arrays.h"
#include "bindings/python/module/interpreter_lock.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bert::python {
namespace {

using Rows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::span<const float> numbers_of(const Rows& rows) { return {rows.data(), rows.size()}; }

VectorPrecision precision_of(const std::string& given) {
  for (const VectorPrecision precision : kVectorPrecisions) {
    if (name(precision) == given) return precision;
  }
  throw Error(ErrorCode::kInvalidArgument, "no precision '" + given + "'");
}

Array<uint8_t> quantize(const Rows& vectors, const std::string& given, const std::optional<Rows>& ranges) {
  const VectorPrecision precision = precision_of(given);
  const size_t rows = vectors.shape(0), size = vectors.shape(1);
  VectorRanges of_dimensions;
  if (ranges) {
    if (ranges->shape(0) != 2) throw Error(ErrorCode::kInvalidArgument, "ranges, expected two rows");
    const float* least = ranges->data();
    const float* greatest = least + ranges->shape(1);
    of_dimensions = {{least, greatest}, {greatest, greatest + ranges->shape(1)}};
  }
  std::vector<uint8_t> bytes(rows * vector_bytes(precision, size));
  {
    const Unlocked unlock;
    quantize_vectors(numbers_of(vectors), size, precision, of_dimensions, bytes);
  }
  return to_array(std::move(bytes), {rows, vector_bytes(precision, size)});
}

Array<float> ranges_of(const Rows& vectors) {
  const size_t size = vectors.shape(1);
  VectorRanges ranges;
  {
    const Unlocked unlock;
    include_in_ranges(ranges, numbers_of(vectors), size);
  }
  std::vector<float> both = std::move(ranges.least);
  both.insert(both.end(), ranges.greatest.begin(), ranges.greatest.end());
  const size_t rows = both.empty() ? 0 : 2;
  return to_array(std::move(both), {rows, size});
}

SimilarityFunction function_of(const std::string& given) {
  for (const SimilarityFunction function : {SimilarityFunction::kCosine, SimilarityFunction::kDot,
                                            SimilarityFunction::kEuclidean, SimilarityFunction::kManhattan}) {
    if (name(function) == given) return function;
  }
  throw Error(ErrorCode::kInvalidArgument, "similarity '" + given + "', expected cosine, dot, euclidean or manhattan");
}

Array<float> similarity_of_each(const std::string& given, const Rows& a, const Rows& b) {
  const SimilarityFunction function = function_of(given);
  std::vector<float> values(a.shape(0) * b.shape(0));
  if (!values.empty()) {
    const Unlocked unlock;
    similarities(function, numbers_of(a), numbers_of(b), a.shape(1), values);
  }
  return to_array(std::move(values), {a.shape(0), b.shape(0)});
}

Array<float> similarity_pairwise(const std::string& given, const Rows& a, const Rows& b) {
  const SimilarityFunction function = function_of(given);
  const size_t rows = a.shape(0), size = a.shape(1);
  std::vector<float> values(rows);
  {
    const Unlocked unlock;
    for (size_t i = 0; i < rows; ++i) {
      values[i] = static_cast<float>(
          similarity(function, numbers_of(a).subspan(i * size, size), numbers_of(b).subspan(i * size, size)));
    }
  }
  return to_array(std::move(values), {rows});
}

// Returns the scores of documents for a query, [documents]. documents: [vectors, size] each.
Array<double> max_sim(const Rows& query, const std::vector<Rows>& documents) {
  const size_t size = query.shape(1);
  std::vector<double> scores(documents.size());
  for (size_t i = 0; i < documents.size(); ++i) {
    if (documents[i].shape(1) == size) continue;
    throw Error(ErrorCode::kInvalidArgument, "documents[" + std::to_string(i) + "] has vectors of " +
                                                 std::to_string(documents[i].shape(1)) + " numbers, expected " +
                                                 std::to_string(size) + ", the query's");
  }
  {
    const Unlocked unlock;
    const MaxSim by_threads;
    for (size_t i = 0; i < documents.size(); ++i) {
      scores[i] = by_threads.score(numbers_of(query), numbers_of(documents[i]), size);
    }
  }
  return to_array(std::move(scores), {documents.size()});
}

}  // namespace

void bind_vectors(nb::module_& module) {
  module.def("quantize", &quantize, "vectors"_a, "precision"_a, "ranges"_a.none());
  module.def("similarity", &similarity_of_each, "function"_a, "a"_a, "b"_a);
  module.def("similarity_pairwise", &similarity_pairwise, "function"_a, "a"_a, "b"_a);
  module.def("max_sim", &max_sim, "query"_a, "documents"_a);
  module.def("ranges_of", &ranges_of, "vectors"_a);
}

}  // namespace bert::python
