// Uses of computed vectors: smaller forms of them, and exact search among many.
//
//   bert::VectorIndex index(vectors, size, {.scan = bert::ScanRows::kInt8});      // vectors: [rows, size]
//   for (const bert::SearchHit& hit : index.search_one(query)) use(hit.row, hit.score);
//
// Errors are bert::Error. Functions are safe to call from many threads; so is a VectorIndex.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bert/export.h"
#include "bert/vector_request.h"

namespace bert {

// The type of a vector's numbers, as sentence-transformers' quantize_embeddings makes them. kInt8, kUint8: 256 steps of
// each dimension's range. kBinary, kUbinary: a bit for each dimension, 1 if positive; the first dimension is the
// highest bit of the first byte. kBinary is the byte minus 128, as int8.
enum class VectorPrecision { kFloat32, kInt8, kUint8, kBinary, kUbinary };
inline constexpr VectorPrecision kVectorPrecisions[] = {VectorPrecision::kFloat32, VectorPrecision::kInt8,
                                                        VectorPrecision::kUint8, VectorPrecision::kBinary,
                                                        VectorPrecision::kUbinary};
BERT_API std::string_view name(VectorPrecision precision);  // "float32", "int8", …

// The range of each dimension, for kInt8 and kUint8.
struct VectorRanges {
  std::vector<float> least;     // [size]
  std::vector<float> greatest;  // [size]
};

// Widens the ranges so that they contain these vectors, [vectors, size]; empty ranges become the vectors' ranges. A
// vector with a NaN is ignored.
BERT_API void include_in_ranges(VectorRanges& ranges, std::span<const float> vectors, size_t size);

// Returns the number of bytes of a vector of `size` numbers.
BERT_API size_t vector_bytes(VectorPrecision precision, size_t size);

// Converts vectors to bytes.   vectors: [vectors, size];  bytes: [vectors, vector_bytes(precision, size)];  ranges: for
// kInt8 and kUint8. A number outside its dimension's range becomes the nearest end of the range. A NaN becomes the
// lowest value.
BERT_API void quantize_vectors(std::span<const float> vectors, size_t size, VectorPrecision precision,
                               const VectorRanges& ranges, std::span<uint8_t> bytes);

// Quantises a vector without ranges to scale * values: scale = the largest absolute value / 127, values rounded to the
// nearest integer, ties to even. Returns the scale, 0 for a vector of zeros. The vector must be finite.
BERT_API float quantize_by_largest(std::span<const float> vector, std::span<int8_t> values);

// Computes the similarity of each vector of a, [left, size], with each vector of b, [right, size].   out: [left,
// right]. Dot products, and cosines, as dot products of vectors scaled to length 1, are summed in float32 in the same
// order on every CPU, as in a linear layer (docs/NUMERICS.md); distances are summed in float64. threads: 0: the cores
// that affinity and the container's limit allow.
BERT_API void similarities(SimilarityFunction function, std::span<const float> a, std::span<const float> b, size_t size,
                           std::span<float> out, size_t threads = 0);

// What a search reads for each row, from most to fewest bytes per dimension: 4, 1, or 1/8. kInt8: as by
// quantize_by_largest; kBinary: the signs.
enum class ScanRows { kFloat32, kInt8, kBinary };
BERT_API std::string_view name(ScanRows rows);  // "float32", "int8", "binary"

struct IndexOptions {
  ScanRows scan = ScanRows::kFloat32;
  size_t threads = 0;  // threads of a search; 0: the cores that affinity and the container's limit allow
};

struct SearchOptions {
  size_t top = 10;
  // For kBinary: this many rows with the fewest different signs are scored with their floats; 0: 10 * top.
  size_t candidates = 0;
};

struct SearchHit {
  size_t row = 0;
  double score = 0;  // the dot product of query and row, summed in float64
};

// An index of rows of floats, and of their smaller form if a search reads that. The score is the dot product, which is
// the cosine if the vectors have length 1.
//
// kFloat32 and kInt8 find the same rows as a float64 computation: a bound on the error tells which rows can be among
// the best by their small numbers, and these rows are scored with their floats. kBinary finds the best rows among its
// candidates only. Rows with equal scores are sorted by index. A row with a NaN or an infinity is never found.
class BERT_API VectorIndex {
 public:
  // Copies the vectors, [rows, size].
  VectorIndex(std::span<const float> vectors, size_t size, const IndexOptions& options = {});
  // Maps a file by VectorIndexWriter, and reads it once to check its checksums and that its rows are finite; the file
  // determines scan(). Throws Error for a file that is damaged, incomplete or not an index. The file must not be
  // written to while it is used; it may be replaced by a rename.
  static VectorIndex open(const std::filesystem::path& file, size_t threads = 0);

  VectorIndex(VectorIndex&&) noexcept;
  VectorIndex& operator=(VectorIndex&&) noexcept;
  ~VectorIndex();

  size_t rows() const;
  size_t size() const;  // numbers of a vector
  ScanRows scan() const;
  std::string_view label() const;                // the file's label; "" in memory
  size_t unusable_rows() const;                  // number of rows with a NaN or an infinity
  bool has_checksums() const;                    // false: the index is in memory, or its file has the format's version
                                                 // 1
  std::span<const float> row(size_t row) const;  // [size]

  // Returns the best rows for each query, best first; fewer than `top` if the index has fewer.   queries: [queries,
  // size], finite
  std::vector<std::vector<SearchHit>> search(std::span<const float> queries, const SearchOptions& options = {}) const;
  // Returns the best rows for one query.   query: [size], finite
  std::vector<SearchHit> search_one(std::span<const float> query, const SearchOptions& options = {}) const;

  struct Impl;

 private:
  explicit VectorIndex(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

// Returns whether the file begins like one by VectorIndexWriter. Throws Error for a file that cannot be read.
BERT_API bool is_vector_index(const std::filesystem::path& file);

// Writes the file of a VectorIndex through a function of the caller, which receives the bytes in order. Memory holds
// the rows' small form, not their floats. Used by one thread.
class BERT_API VectorIndexWriter {
 public:
  using Write = std::function<void(std::string_view bytes)>;

  // label: any text, such as what the vectors were made of; VectorIndex::label returns it.
  VectorIndexWriter(Write write, size_t size, ScanRows scan, std::string_view label);
  ~VectorIndexWriter();
  VectorIndexWriter(const VectorIndexWriter&) = delete;
  VectorIndexWriter& operator=(const VectorIndexWriter&) = delete;

  void add(std::span<const float> vector);  // [size]
  void finish();                            // must be called last, or the file is incomplete

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The document's vector with the largest dot product with a query's vector; of equal ones the first.
struct VectorMatch {
  size_t index = 0;
  float product = 0;
};

// Late interaction: scores documents for a query when both have several vectors, as bert/token_vectors.h makes them.
// The score is the sum, over the query's vectors, of the largest dot product with a vector of the document. Products
// are summed in float32 in the same order on every CPU, as in a linear layer (docs/NUMERICS.md), scores in float64; a
// document without vectors scores 0. Vectors must be finite. Throws Error for spans that are not whole vectors.
class BERT_API MaxSim {
 public:
  explicit MaxSim(size_t threads = 0);  // 0: the cores that affinity and the container's limit allow
  MaxSim(MaxSim&&) noexcept;
  MaxSim& operator=(MaxSim&&) noexcept;
  ~MaxSim();

  // query: [vectors, size];  documents: [all vectors, size], document d from starts[d] to starts[d + 1];
  // scores: [documents]
  void scores(std::span<const float> query, std::span<const float> documents, std::span<const size_t> starts,
              size_t size, std::span<double> scores) const;
  double score(std::span<const float> query, std::span<const float> document, size_t size) const;
  // Returns a match for each of the query's vectors; empty if the document has no vectors.
  std::vector<VectorMatch> matches(std::span<const float> query, std::span<const float> document, size_t size) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace bert
