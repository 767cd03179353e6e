// From a checkpoint's tensors to a model's weights: each is requested once, by name and expected shape, and used in
// place if type and alignment allow. Every problem of a tensor is an error here, before the first forward pass. The
// names of the model's family are data from the caller.
// A reader is used by one thread, once; the resulting WeightStorage is immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "engine/base/aligned_buffer.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/int8_weights.h"
#include "engine/checkpoint/low_rank.h"
#include "engine/tensor/matrix.h"

namespace bert {

// The tensor names of a family. A name in a file is: wrappers, an optional prefix, the requested name, possibly with an
// old ending.
// Constant data: views of memory that must outlive the reader.
struct WeightNames {
  struct Ending {
    std::string_view old_name, new_name;  // "LayerNorm.gamma", "LayerNorm.weight"
  };
  std::string_view anchor;                          // a tensor of every model; shows which prefix the file uses
  std::span<const std::string_view> prefixes;       // of the encoder, including the empty one: "", "bert."
  std::span<const std::string_view> wrappers = {};  // before everything, left by training tools: "module."
  std::span<const Ending> endings = {};
  // Names that may stay unused; "cls.*" matches all that begin with "cls.", "*.x" all that end with ".x".
  std::span<const std::string_view> ignorable = {};
  std::span<const std::string_view> reported = {};  // likewise, of another part of the model: a notice says so
};

struct WeightReaderOptions {
  bool ignore_unexpected = false;  // unknown tensors are reported, not rejected
  bool check_finite = false;       // reject NaN and infinity in the tensors that are used
  // The format of 8-bit weights, each with a tensor of scales; nullopt: such weights are rejected.
  std::optional<WeightFormat> int8 = {};
  bool quantize = false;  // converts the encoder's projections to that format
  // One of `count` low-rank changes (LoRA) of the encoder's tables and projections, which the file has beside each:
  // x.parametrizations.weight.0.lora_A and lora_B for the weight x. Such weights become floats.
  struct Adapter {
    size_t index;
    size_t count;
    size_t rank;
    double scale;
  };
  std::optional<Adapter> adapter = {};  // nullopt: none is applied
  // An adapter (LoRA) with files of its own: the checkpoint's from first_file on, with the names of the library peft.
  // base_model.model.x.lora_A.weight and lora_B change the weight of the module x, which becomes floats; another tensor
  // there takes the place of the base model's, or is one more.
  struct AdapterFiles {
    size_t first_file;
    std::function<double(std::string_view module, size_t rank)> scale;  // of B · A
  };
  std::optional<AdapterFiles> adapter_files = {};
  size_t threads = 1;  // for these conversions and the sums of 8-bit weights
};

// How the model uses the tensor; the first use counts.
enum class WeightRole : uint8_t {
  kUnused,
  kTable,              // of the embedding layer: a forward pass reads the rows of its tokens
  kProjection,         // of a dense layer, including its bias
  kNorm,               // weight or bias
  kRelativePositions,  // attention bias by distance
  kConvolution,        // weight or bias
  kHead,               // of a task head
};

// A tensor that was quantised when it was read.
struct QuantizedTensor {
  size_t tensor;          // index in checkpoint.tensors()
  const int8_t* weights;  // [rows, cols]
  const float* scales;    // [rows]
};

// The memory of the weights' views. Keep it as long as the views; it may be moved.
struct WeightStorage {
  Checkpoint checkpoint;
  std::vector<AlignedBuffer<std::byte>> conversions = {};  // of tensors that could not be used in place
  std::vector<WeightRole> roles = {};                      // of checkpoint.tensors(), in its order
  std::vector<std::string> names = {};                     // of checkpoint.tensors(), as a reader requests them
  std::vector<size_t> used_bytes = {};                     // of checkpoint.tensors(), after conversion
  std::vector<QuantizedTensor> quantized = {};
  std::vector<size_t> adapted = {};       // tensors that an adapter changed, with memory of their own
  std::vector<std::string> notices = {};  // messages for the user, including the checkpoint's

  size_t adapted_bytes() const {
    size_t bytes = 0;
    for (const size_t tensor : adapted) bytes += used_bytes[tensor];
    return bytes;
  }
};

class WeightReader {
 public:
  // Finds the prefix of the anchor. Throws Error unless there is exactly one.
  WeightReader(Checkpoint checkpoint, const WeightNames& names, const WeightReaderOptions& options = {});

  // [rows, cols] in the file's own type (F32, F16, BF16, I8 with scales), in place if aligned. F64 is narrowed to F32.
  // Throws Error: missing, another shape, or another type. The integers and sums of 8-bit weights, and weights that an
  // adapter changes, are there after finish(). Tables have no sums.
  WeightView matrix(std::string_view name, size_t rows, size_t cols, WeightRole role);

  // A table as the weights of a product: 8-bit rows get sums, which are there after finish().
  WeightView product_weights(const WeightView& table);

  // [size] floats, in place if the file has aligned F32, else converted. `added` is added to each.
  std::span<const float> vector(std::string_view name, size_t size, WeightRole role, float added = 0);

  // A tensor without dimensions.
  float scalar(std::string_view name, WeightRole role);

  // [rows, cols] floats without gaps, converted from other types.
  std::span<const float> floats(std::string_view name, size_t rows, size_t cols, WeightRole role);

  // Computed numbers, kept as long as the weights.
  std::span<const float> keep(std::span<const float> numbers);

  // Weights of products, stored as [in, out] one after another, as [out, in], copied; in the file's own type, but F64
  // as F32. shape: of the tensor; its last number is out.
  WeightView transposed(std::string_view name, std::span<const size_t> shape, size_t in, WeightRole role);

  // The same of [count, in, out], quantised where matrix() would; or 8-bit integers [count, out, in] in place, with
  // scales [count * out, 1].
  WeightView expert_weights(std::string_view name, size_t count, size_t in, size_t out, WeightRole role);

  // The weight [out, in, width] of a convolution as floats [out, width * in]: for each output the inputs at the first
  // place, then those at the next.
  WeightView convolution(std::string_view name, size_t out, size_t in, size_t width);

  bool has(std::string_view name) const;                    // under this name, or with an old ending
  std::optional<size_t> rows(std::string_view name) const;  // of a tensor that the file has; nothing is read

  // Throws Error(kNotFound). names: what was looked for, quoted.
  [[noreturn]] void refuse_missing(const std::string& names, std::span<const size_t> shape) const;

  // Lets tensors stay unused, as WeightNames::ignorable.
  void ignore(std::string pattern) { ignored_.push_back(std::move(pattern)); }

  // For messages about how the weights were chosen.
  void notice(std::string text) { storage_.notices.push_back(std::move(text)); }

  // Ends the reading: unrequested tensors must be ignorable; others are rejected, or reported if the options allow.
  // Leaves the reader empty.
  WeightStorage finish();

 private:
  struct Name {
    std::string name;  // as requested
    size_t tensor;     // index in checkpoint.tensors()
    bool operator<(const Name& other) const { return std::tie(name, tensor) < std::tie(other.name, other.tensor); }
  };

  void find_prefix();
  std::string unwrapped(std::string_view name) const;
  std::pair<size_t, size_t> range_of(std::string_view name) const;  // in by_name_
  const StoredTensor& take(std::string_view name, std::span<const size_t> shape, WeightRole role,
                           bool is_matrix = false);
  const void* numbers(const StoredTensor& tensor, DType wanted);  // in place or converted
  size_t index_of(const StoredTensor& tensor) const;              // in checkpoint.tensors()
  // Adapters: in adapted_weights.cc.
  bool is_of_adapter(size_t tensor) const;
  std::string adapter_name(std::string_view name) const;  // as the base model's tensor, without a prefix
  void put_adapter_tensors();                             // into by_name_, in place of the base model's
  bool is_adapted(std::string_view name, WeightRole role) const;
  const float* adapted(std::string_view name, const StoredTensor& tensor, WeightRole role);
  void read_task_change(std::string_view base, LowRankWork& work, WeightRole role);
  void read_file_change(std::string_view base, LowRankWork& work, WeightRole role);
  std::vector<double> adapter_part(const std::string& name, size_t rows, size_t cols, WeightRole role);
  std::vector<double> change_part(const StoredTensor& tensor, size_t first, size_t rows, size_t cols);
  void tell_adapter();  // the notice
  // work: source, type and sizes.
  WeightView int8_matrix(std::string_view name, const StoredTensor& tensor, Int8Work work);
  WeightView int8_table(std::string_view name, const StoredTensor& tensor, size_t rows, size_t cols);
  void do_int8_work();
  AlignedBuffer<std::byte>& allocate(size_t size_bytes);
  [[noreturn]] void refuse(const StoredTensor& tensor, ErrorCode code, const std::string& message) const;
  void check_finite(const StoredTensor& tensor) const;
  bool is_ignorable(const Name& entry) const;
  void report_other_parts();
  void prefetch_used() const;

  WeightStorage storage_;
  WeightNames names_;
  std::vector<std::string> ignored_;
  WeightReaderOptions options_;
  std::string prefix_;
  std::vector<Name> by_name_;  // sorted
  std::vector<LowRankWork> low_rank_work_;
  std::vector<AlignedBuffer<std::byte>> sources_;  // of int8_work_, where they are not the file's own
  std::vector<Int8Work> int8_work_;
  std::vector<const StoredTensor*> int8_tensors_;  // of int8_work_; null: a table's, from kI8
};

}  // namespace bert
