// Turns a checkpoint's tensors into a model's weights. The caller asks for each tensor by name and expected shape; it
// is used in place if its type and alignment allow that, else converted. A tensor that is missing or wrong is an Error
// here, before the first forward pass. The caller supplies the tensor names of the model's family.
// One thread uses a reader, for one model. The WeightStorage that it returns is immutable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "engine/base/aligned_buffer.h"
#include "engine/base/thread_pool.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/int8_weights.h"
#include "engine/checkpoint/low_rank.h"
#include "engine/tensor/matrix.h"

namespace bert {

// How a family names its tensors in a file. A name there is made of: any wrappers, one of the prefixes, the name that
// the family uses. Its ending may be an old one.
// Views of constant data, which must outlive the reader.
struct WeightNames {
  struct Ending {
    std::string_view old_name, new_name;  // "LayerNorm.gamma", "LayerNorm.weight"
  };
  std::string_view anchor;                          // a tensor of every model; shows which prefix the file uses
  std::span<const std::string_view> prefixes;       // of the encoder, including the empty one: "", "bert."
  std::span<const std::string_view> wrappers = {};  // before everything, left by training tools: "module."
  std::span<const Ending> endings = {};
  // Patterns of names, after wrappers and prefix, that may stay unused: a name, "cls.*" for all that begin with "cls.",
  // "*.x" for all that end with ".x".
  std::span<const std::string_view> ignorable = {};
  // Patterns as in `ignorable`, for tensors of another part of the model. finish() counts them in a notice.
  std::span<const std::string_view> reported = {};
};

struct WeightReaderOptions {
  bool ignore_unexpected = false;  // unknown tensors are reported, not rejected
  bool check_finite = false;  // reject NaN and infinity in every tensor that is used, not only where it is quantised
  // How 8-bit weights are computed with. Each has a tensor of scales, named "<weight>_scale". nullopt: 8-bit weights
  // are rejected.
  std::optional<WeightFormat> int8 = {};
  // Quantises to `int8`, which must be set, what matrix() and expert_weights() read as kProjection.
  bool quantize = false;
  // Of products with the floats that matrix(), transposed() and expert_weights() read as kProjection.
  ProductArithmetic arithmetic = ProductArithmetic::kOfFormat;
  // For a file with one low-rank change (LoRA) per task: applies that of one task to every table and projection that
  // matrix() reads. Beside the weight x the file has x.parametrizations.weight.0.lora_A and lora_B, each with the parts
  // of all `count` tasks. A changed weight becomes floats, or 8-bit if it is quantised.
  struct Adapter {
    size_t index;  // of the task, less than count
    size_t count;
    size_t rank;
    double scale;  // of the product of the two parts
  };
  std::optional<Adapter> adapter = {};  // nullopt: none is applied
  // For an adapter (LoRA) in files of its own, as the library peft names its tensors. lora_A.weight and lora_B.weight
  // of base_model.model.x, or for a table lora_embedding_A and lora_embedding_B, change the weight of the module x,
  // which becomes floats, or 8-bit if it is quantised. Any other tensor of these files replaces the base model's tensor
  // of its name, or is added. Not together with `adapter`.
  struct AdapterFiles {
    size_t first_file;  // index in checkpoint.files(): this file and all later ones are the adapter's
    // The factor of B · A for a module, which is named as in the file, without "base_model.model.".
    std::function<double(std::string_view module, size_t rank)> scale;
  };
  std::optional<AdapterFiles> adapter_files = {};
  size_t threads = 1;  // for transposing, quantising, adapters and the sums of 8-bit weights; counts the caller
};

// How the model uses a tensor. A tensor that is requested again keeps the role of its first request.
enum class WeightRole : uint8_t {
  kUnused,
  kTable,              // of the embedding layer: a forward pass reads only the rows of its tokens
  kProjection,         // of a dense layer, including its bias
  kNorm,               // weight or bias
  kRelativePositions,  // attention bias by distance
  kConvolution,        // weight or bias
  kHead,               // of a task head
};

// A tensor that the reader quantised. The memory is the WeightStorage's; finish() fills it.
struct QuantizedTensor {
  size_t tensor;          // index in checkpoint.tensors()
  const int8_t* weights;  // [rows, cols]
  const float* scales;    // [rows]
};

// The memory of the weights' views. Keep it as long as the views; it may be moved.
struct WeightStorage {
  Checkpoint checkpoint;
  std::vector<AlignedBuffer<std::byte>> conversions = {};  // of tensors that could not be used in place
  // roles[i], names[i] and used_bytes[i] are those of checkpoint.tensors()[i].
  std::vector<WeightRole> roles = {};
  std::vector<std::string> names = {};  // as requested; "" for a tensor that an adapter's replaces
  // The size in the file, or after quantising, reordering or an adapter's change; widening to floats does not count.
  // 0 for a part of an adapter that is used. An unused tensor has its size too.
  std::vector<size_t> used_bytes = {};
  std::vector<QuantizedTensor> quantized = {};
  std::vector<size_t> adapted = {};       // indices of tensors that an adapter changed, with memory of their own
  std::vector<std::string> notices = {};  // messages for the user, including the checkpoint's

  size_t adapted_bytes() const {
    size_t bytes = 0;
    for (const size_t tensor : adapted) bytes += used_bytes[tensor];
    return bytes;
  }
};

class WeightReader {
 public:
  // Takes over the checkpoint and finds which prefix its names have, by the anchor. Throws Error: kNotFound if no known
  // prefix fits, kInvalidFile if two tensors are the anchor.
  WeightReader(Checkpoint checkpoint, const WeightNames& names, const WeightReaderOptions& options = {});

  // Returns the matrix [rows, cols], in place if aligned, in the file's type: F32, F16, BF16, or I8 with scales. F64
  // becomes F32; with options.quantize a projection becomes 8-bit; what an adapter changes becomes F32 or 8-bit. Tables
  // have no sums. Only finish() fills the numbers of quantised weights and the sums.
  // Throws Error: kNotFound if it is missing; kInvalidFile for another shape, a second tensor of this name or a number
  // that no float holds; kUnsupported for another type, or 8-bit rows too long for sums; kNonFinite with
  // options.check_finite.
  WeightView matrix(std::string_view name, size_t rows, size_t cols, WeightRole role);

  // Returns a table of matrix() for use in a product. 8-bit rows get sums, which finish() fills; other tables are
  // returned as they are.
  WeightView product_weights(const WeightView& table);

  // Returns [size] floats, in place if the file has aligned F32 and `added` is 0, else converted, with `added` added to
  // each. Throws Error as matrix(), and kUnsupported for 8-bit.
  std::span<const float> vector(std::string_view name, size_t size, WeightRole role, float added = 0);

  // Returns the number of a tensor without dimensions. Throws Error as vector().
  float scalar(std::string_view name, WeightRole role);

  // Returns a matrix as [rows, cols] contiguous floats, in place if the file has aligned F32, else converted, with what
  // an adapter changes. Throws Error as vector().
  std::span<const float> floats(std::string_view name, size_t rows, size_t cols, WeightRole role);

  // Returns the weights of the module `name`, which has the base model's tensor of the module `table`, [rows, cols] as
  // `weights`, what matrix() returned for that: the same, unless an adapter changes one of the two. Then, as in peft's
  // forward, a change of one is not the other's, and a notice says so. Throws Error as matrix().
  WeightView tied(std::string_view name, std::string_view table, const WeightView& weights);

  // Whether an adapter's file changes or replaces this module's weight.
  bool is_changed(std::string_view module) const;

  // Copies numbers that the caller computed into the storage and returns the copy, which lives as long as the weights.
  std::span<const float> keep(std::span<const float> numbers);

  // Returns a transposed copy of a tensor of this shape, which holds matrices [in, out] one after another; out is the
  // shape's last number. The result has each as [out, in]: rows = matrices * out, cols = in. Never quantised. F64
  // becomes F32. Throws Error as vector().
  WeightView transposed(std::string_view name, std::span<const size_t> shape, size_t in, WeightRole role);

  // Returns the weights of experts: those of a tensor [count, in, out] as transposed() does, but quantised as matrix()
  // does; or 8-bit integers [count, out, in] in place, with scales [count * out, 1]. Only finish() fills 8-bit numbers
  // and sums. Throws Error as matrix().
  WeightView expert_weights(std::string_view name, size_t count, size_t in, size_t out, WeightRole role);

  // Returns the weight [out, in, width] of a convolution as floats [out, width * in]: in a row, all inputs at the first
  // of the `width` positions, then all at the second. Throws Error as vector().
  WeightView convolution(std::string_view name, size_t out, size_t in, size_t width);

  // Whether the file has a tensor of this name; wrappers, the prefix and old endings are accounted for.
  bool has(std::string_view name) const;
  // The first dimension of this tensor; nullopt if it is missing or has no dimensions. Does not count as a use.
  std::optional<size_t> rows(std::string_view name) const;

  // Throws Error(kNotFound): these tensors are missing. names: one or more, already in quotes; shape: the expected one.
  [[noreturn]] void refuse_missing(const std::string& names, std::span<const size_t> shape) const;

  // Lets matching tensors stay unused, as WeightNames::ignorable does, those of an adapter's files included.
  void ignore(std::string pattern) { ignored_.push_back(std::move(pattern)); }

  // Adds a message for the user to WeightStorage::notices.
  void notice(std::string text) { storage_.notices.push_back(std::move(text)); }

  // Ends the reading: quantises and computes sums, and so fills the views returned before. Returns the memory of the
  // views; the reader must not be used again. Throws Error: kInvalidFile for a tensor that nobody asked for and that
  // may not stay unused, unless options.ignore_unexpected makes it a notice; kNonFinite or kInvalidFile for numbers
  // that cannot be quantised.
  WeightStorage finish();

 private:
  struct Name {
    std::string name;  // as requested
    size_t tensor;     // index in checkpoint.tensors()
    bool operator<(const Name& other) const { return std::tie(name, tensor) < std::tie(other.name, other.tensor); }
  };

  using Buffers = std::vector<AlignedBuffer<std::byte>>;

  void find_prefix();
  std::string unwrapped(std::string_view name) const;
  std::pair<size_t, size_t> range_of(std::string_view name) const;  // in by_name_
  // Finds the tensor, checks everything but its numbers (with check_finite these too) and marks it as used. is_matrix:
  // 8-bit weights are allowed.
  const StoredTensor& take(std::string_view name, std::span<const size_t> shape, WeightRole role,
                           bool is_matrix = false);
  const void* numbers(const StoredTensor& tensor, DType wanted);  // in place or converted
  ProductArithmetic arithmetic_of(WeightRole role) const {
    return role == WeightRole::kProjection ? options_.arithmetic : ProductArithmetic::kOfFormat;
  }
  // An element as a float. Throws Error(kInvalidFile) for an F64 that no float holds.
  float float_at(const StoredTensor& tensor, size_t index) const;
  size_t index_of(const StoredTensor& tensor) const;  // in checkpoint.tensors()
  // Adapters: in adapted_weights.cc.
  bool is_of_adapter(size_t tensor) const;
  std::string adapter_name(std::string_view name) const;  // as the base model's tensor, without a prefix
  void put_adapter_tensors();                             // into by_name_, in place of the base model's
  bool is_adapted(std::string_view name, WeightRole role) const;
  const float* adapted(std::string_view name, const StoredTensor& tensor, WeightRole role, Buffers& memory);
  void read_task_change(std::string_view base, LowRankWork& work, WeightRole role);
  void read_file_change(std::string_view base, LowRankWork& work, WeightRole role);
  std::vector<double> adapter_part(const std::string& name, size_t rows, size_t cols, WeightRole role);
  std::vector<double> change_part(const StoredTensor& tensor, size_t first, size_t rows, size_t cols);
  void add_adapter_notice();
  WeightView stored_matrix(std::string_view name, const StoredTensor& tensor, WeightRole role);  // as matrix() does
  // The caller sets source, dtype, rows and cols of `work`; the function sets the rest and queues it for finish().
  WeightView int8_matrix(std::string_view name, const StoredTensor& tensor, Int8Work work);
  WeightView int8_table(std::string_view name, const StoredTensor& tensor, size_t rows, size_t cols);
  void do_int8_work();
  AlignedBuffer<std::byte>& allocate(size_t size_bytes);
  [[noreturn]] void refuse(const StoredTensor& tensor, ErrorCode code, const std::string& message) const {
    storage_.checkpoint.refuse(tensor, code, message);
  }
  bool is_ignorable(const Name& entry) const;
  void report_other_parts();
  void prefetch_used() const;

  WeightStorage storage_;
  WeightNames names_;
  std::vector<std::string> ignored_;
  WeightReaderOptions options_;
  std::string prefix_;
  std::vector<Name> by_name_;             // sorted
  std::unique_ptr<ThreadPool> adapting_;  // made for the first weight that an adapter changes
  Buffers sources_;                       // of int8_work_, where they are not the file's own
  std::vector<Int8Work> int8_work_;
  std::vector<const StoredTensor*> int8_tensors_;  // the tensor of each int8_work_; null: only sums of an I8 table
};

}  // namespace bert
