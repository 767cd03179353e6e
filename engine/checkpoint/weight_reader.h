// From a checkpoint's tensors to a model's weights: each is asked for once, by name, with the shape it must have, and
// is used as it lies in the file where type and alignment allow. Everything that can be wrong with a tensor is an error
// here, before the first forward pass. Which names a family uses is data that the caller brings.
// A reader is used by one thread, once; the WeightStorage it leaves behind is immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "engine/base/aligned_buffer.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/tensor/matrix.h"

namespace bert {

// How a family's tensors are called. A name in a file is: wrappers, then maybe a prefix, then the name asked for, where
// an old ending may stand for a new one.
struct WeightNames {
  std::string anchor;                 // a tensor that every model has; tells which prefix the file uses
  std::vector<std::string> prefixes;  // of the encoder, the empty one included: "", "bert."
  std::vector<std::string> wrappers;  // in front of everything, left by training tools: "module."
  std::vector<std::pair<std::string, std::string>> endings;  // old, new: {"LayerNorm.gamma", "LayerNorm.weight"}
  std::vector<std::string> ignorable;  // names that may stay unused; "cls.*" is all that begin with "cls.", "*.x" all
                                       // that end with ".x"
};

struct WeightReaderOptions {
  bool ignore_unexpected = false;  // tensors of unknown names are noticed, not refused
  bool check_finite = false;       // refuse a NaN or an infinity in any tensor that is used
};

// What a model uses a tensor for, as the reader of its weights says; the first use counts.
enum class WeightRole : uint8_t {
  kUnused,
  kTable,              // of the embedding layer: a pass reads the rows of its tokens
  kProjection,         // of a dense layer, its bias included
  kNorm,               // weight or bias
  kRelativePositions,  // what scores add by distance
  kHead,               // of a head and not of the encoder
};

// What the weights' views point to. Keep it as long as the views; it may be moved.
struct WeightStorage {
  Checkpoint checkpoint;
  std::vector<AlignedBuffer<std::byte>> conversions;  // of tensors that could not be used as they lie
  std::vector<WeightRole> roles;                      // of checkpoint.tensors(), in its order
  std::vector<std::string> notices;                   // what a person should know; the checkpoint's included
};

class WeightReader {
 public:
  // Finds the prefix under which the anchor exists. Throws Error where there is none, or two.
  WeightReader(Checkpoint checkpoint, WeightNames names, const WeightReaderOptions& options = {});

  // [rows, cols] in the file's own type (F32, F16, BF16), in place where aligned. F64 is narrowed to F32.
  // Throws Error: not there, another shape, a type that is no floating-point number.
  WeightView matrix(std::string_view name, size_t rows, size_t cols, WeightRole role);

  // [size] floats, in place where the file has aligned F32; widened or narrowed else.
  std::span<const float> vector(std::string_view name, size_t size, WeightRole role);

  // [rows, cols] floats without gaps, widened where the file has another type.
  std::span<const float> floats(std::string_view name, size_t rows, size_t cols, WeightRole role);

  bool has(std::string_view name) const;  // under this name, or an old spelling of it

  // For what a person should know of how the weights were chosen.
  void notice(std::string text) { storage_.notices.push_back(std::move(text)); }

  // Ends the reading: what was not asked for must be ignorable, else it is refused, or noticed where the options say
  // so. Leaves the reader empty.
  WeightStorage finish();

 private:
  struct Name {
    std::string name;  // as it is asked for
    size_t tensor;     // index in checkpoint.tensors()
    bool operator<(const Name& other) const { return std::tie(name, tensor) < std::tie(other.name, other.tensor); }
  };

  void find_prefix();
  std::string unwrapped(std::string_view name) const;
  std::pair<size_t, size_t> range_of(std::string_view name) const;  // in by_name_
  const StoredTensor& take(std::string_view name, std::span<const size_t> shape, WeightRole role);
  const void* numbers(const StoredTensor& tensor, DType wanted);  // in place or converted
  AlignedBuffer<std::byte>& allocate(size_t size_bytes);
  [[noreturn]] void refuse(const StoredTensor& tensor, ErrorCode code, const std::string& message) const;
  void check_finite(const StoredTensor& tensor) const;
  bool is_ignorable(std::string_view name) const;
  void prefetch_used() const;

  WeightStorage storage_;
  WeightNames names_;
  WeightReaderOptions options_;
  std::string prefix_;
  std::vector<Name> by_name_;  // sorted
};

}  // namespace bert
