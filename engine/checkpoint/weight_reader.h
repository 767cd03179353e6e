// Turns a checkpoint's tensors into a model's weights. The caller asks for each tensor by name and expected shape. A
// tensor is used in place if its type and alignment allow that, else converted. A tensor that is missing or wrong is an
// Error at once, before the first forward pass. The caller supplies the tensor names of the model's family. One thread
// uses a reader, for one model. The WeightStorage that it returns is immutable.
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

// How a family names its tensors in a file. A name in the file consists of any wrappers, one of the prefixes, and the
// name that the family uses, whose ending may be an old one. Views of constant data, which must outlive the reader.
struct WeightNames {
  struct Ending {
    std::string_view old_name, new_name;  // "LayerNorm.gamma", "LayerNorm.weight"
  };
  std::string_view anchor;                          // a tensor of every model; shows which prefix the file uses
  std::span<const std::string_view> prefixes;       // of the encoder, including the empty one: "", "bert."
  std::span<const std::string_view> wrappers = {};  // before everything, left by training tools: "module."
  std::span<const Ending> endings = {};
  // Patterns of names, without wrappers and prefix, that may stay unused: a whole name, "cls.*" for all names that
  // begin with "cls.", "*.x" for all that end with ".x".
  std::span<const std::string_view> ignorable = {};
  // Patterns as in `ignorable`, for tensors of another part of the model; finish() counts these tensors in a notice.
  std::span<const std::string_view> reported = {};
};

struct WeightReaderOptions {
  bool ignore_unexpected = false;  // unknown tensors are reported, not rejected
  bool check_finite = false;  // reject NaN and infinity in every tensor that is used, not only where it is quantised
  // The format in which products use 8-bit weights, each of which has a tensor of scales, "<weight>_scale". nullopt:
  // 8-bit weights are rejected.
  std::optional<WeightFormat> int8 = {};
  // Quantise weights that are read as kProjection by matrix() or expert_weights() to `int8`, which must be set.
  bool quantize = false;
  // For products with floats that are read as kProjection by matrix(), transposed() or expert_weights().
  ProductArithmetic arithmetic = ProductArithmetic::kOfFormat;
  // For a file with a low-rank change (LoRA) for each task: one task's change is applied to every table and projection
  // that matrix() reads. For a weight x the file has x.parametrizations.weight.0.lora_A and lora_B, each with the parts
  // of all `count` tasks. A changed weight becomes floats, or 8-bit if it is quantised.
  struct Adapter {
    size_t index;  // of the task, less than count
    size_t count;
    size_t rank;
    double scale;  // of the product of the two parts
  };
  std::optional<Adapter> adapter = {};  // nullopt: none is applied
  // For an adapter (LoRA) in files of its own, with the tensor names of the library peft. lora_A.weight and
  // lora_B.weight of base_model.model.x, or lora_embedding_A and lora_embedding_B for a table, change the weight of the
  // module x, which becomes floats, or 8-bit if it is quantised. Any other tensor of these files replaces the base
  // model's tensor of the same name, or is added. Not together with `adapter`.
  struct AdapterFiles {
    size_t first_file;  // index in checkpoint.files(): this file and all later ones are the adapter's
    // Returns the factor of B · A for a module, named as in the file, without "base_model.model.".
    std::function<double(std::string_view module, size_t rank)> scale;
  };
  std::optional<AdapterFiles> adapter_files = {};
  size_t threads = 1;  // for transposing, quantising, adapters and the sums of 8-bit weights; counts the caller
};

// How the model uses a tensor. A tensor that is requested twice keeps the role of the first request.
enum class WeightRole : uint8_t {
  kUnused,
  kTable,              // of the embedding layer: a forward pass reads only the rows of its tokens
  kProjection,         // of a dense layer, including its bias
  kNorm,               // weight or bias
  kRelativePositions,  // attention bias by distance
  kConvolution,        // weight or bias
  kHead,               // of a task head
};

// A tensor that the reader quantised. The WeightStorage owns the memory; finish() fills it.
struct QuantizedTensor {
  size_t tensor;          // index in checkpoint.tensors()
  const int8_t* weights;  // [rows, cols]
  const float* scales;    // [rows]
};

// Owns the memory of the weights' views. Keep it as long as the views; it may be moved.
struct WeightStorage {
  Checkpoint checkpoint;
  std::vector<AlignedBuffer<std::byte>> conversions = {};  // for tensors that could not be used in place
  // roles[i], names[i] and used_bytes[i] belong to checkpoint.tensors()[i].
  std::vector<WeightRole> roles = {};
  std::vector<std::string> names = {};  // as requested; "" for a tensor that an adapter's tensor replaces
  // The size in the file, or after quantising, reordering or an adapter's change; widening to floats does not count. An
  // unused tensor has its size in the file; a part of an adapter that is used has 0.
  std::vector<size_t> used_bytes = {};
  std::vector<QuantizedTensor> quantized = {};
  std::vector<size_t> adapted = {};       // indices of tensors that an adapter changed; each has its own memory
  std::vector<std::string> notices = {};  // messages for the user, including the checkpoint's

  size_t adapted_bytes() const {
    size_t bytes = 0;
    for (const size_t tensor : adapted) bytes += used_bytes[tensor];
    return bytes;
  }
};

class WeightReader {
 public:
  // Takes the checkpoint and finds the prefix of its names, by the anchor. Throws Error: kNotFound if no known prefix
  // fits, kInvalidFile if two tensors match the anchor.
  WeightReader(Checkpoint checkpoint, const WeightNames& names, const WeightReaderOptions& options = {});

  // Returns the matrix [rows, cols], in place if aligned, in the file's type: F32, F16, BF16, or I8 with scales. F64
  // becomes F32; with options.quantize a projection becomes 8-bit; a matrix that an adapter changes becomes F32 or
  // 8-bit. Tables have no sums. Quantised weights and sums have their numbers only after finish().
  // Throws Error: kNotFound if it is missing; kInvalidFile for another shape, a second tensor of this name or a number
  // beyond float's range; kUnsupported for another type, or 8-bit rows too long for sums; kNonFinite with
  // options.check_finite.
  WeightView matrix(std::string_view name, size_t rows, size_t cols, WeightRole role);

  // Returns a table of matrix() for use in a product. 8-bit rows get sums, which finish() computes; other tables are
  // returned unchanged.
  WeightView product_weights(const WeightView& table);

  // Returns [size] floats, in place if the file has aligned F32 and `added` is 0, else converted, with `added` added to
  // each float. Throws Error as matrix() does, and kUnsupported for 8-bit.
  std::span<const float> vector(std::string_view name, size_t size, WeightRole role, float added = 0);

  // Returns the number of a tensor without dimensions. Throws Error as vector() does.
  float scalar(std::string_view name, WeightRole role);

  // Returns a matrix as [rows, cols] contiguous floats, in place if the file has aligned F32, else converted, with an
  // adapter's change. Throws Error as vector() does.
  std::span<const float> floats(std::string_view name, size_t rows, size_t cols, WeightRole role);

  // Returns the weights of the module `name`, whose weight is tied to the module `table`. weights: what matrix()
  // returned for the table, [rows, cols]; it is returned unless an adapter changes one of the two modules. Then, as in
  // peft's forward, a change of one module does not apply to the other, and a notice says so. Throws Error as matrix()
  // does.
  WeightView tied(std::string_view name, std::string_view table, const WeightView& weights);

  // Returns whether an adapter's file changes or replaces this module's weight.
  bool is_changed(std::string_view module) const;

  // Copies numbers of the caller into the storage and returns the copy, which lives as long as the weights.
  std::span<const float> keep(std::span<const float> numbers);

  // Returns a transposed copy of a tensor of this shape: a row of matrices [in, out], where out is the shape's last
  // number. The result has each matrix as [out, in]: rows = matrices * out, cols = in. Never quantised. F64 becomes
  // F32. Throws Error as vector() does.
  WeightView transposed(std::string_view name, std::span<const size_t> shape, size_t in, WeightRole role);

  // Returns the weights of experts: of a tensor [count, in, out] as transposed() does, but quantised as by matrix(); or
  // 8-bit integers [count, out, in] in place, with scales [count * out, 1]. 8-bit numbers and sums are complete only
  // after finish(). Throws Error as matrix() does.
  WeightView expert_weights(std::string_view name, size_t count, size_t in, size_t out, WeightRole role);

  // Returns the weight [out, in, width] of a convolution as floats [out, width * in]: in a row, all inputs at the first
  // of the `width` positions, then all at the second, and so on. Throws Error as vector() does.
  WeightView convolution(std::string_view name, size_t out, size_t in, size_t width);

  // Returns whether the file has a tensor of this name, after any wrappers and the prefix, or with an old ending.
  bool has(std::string_view name) const;
  // Returns the first dimension of this tensor; nullopt if it is missing or has no dimensions. Does not count as a use.
  std::optional<size_t> rows(std::string_view name) const;

  // Throws Error(kNotFound) for missing tensors. names: one or more, already quoted; shape: the expected one.
  [[noreturn]] void refuse_missing(const std::string& names, std::span<const size_t> shape) const;

  // Allows matching tensors to stay unused, as WeightNames::ignorable does, also in an adapter's files.
  void ignore(std::string pattern) { ignored_.push_back(std::move(pattern)); }

  // Adds a message for the user to WeightStorage::notices.
  void notice(std::string text) { storage_.notices.push_back(std::move(text)); }

  // Ends the reading: quantises and computes sums, which fills the views returned before. Returns the memory of the
  // views; the reader must not be used again. Throws Error: kInvalidFile for a tensor that was never requested and may
  // not stay unused, unless options.ignore_unexpected makes it a notice; kNonFinite or kInvalidFile for numbers that
  // cannot be quantised.
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
  // Finds the tensor, checks everything but its numbers (with check_finite also these) and marks it as used. is_matrix:
  // 8-bit weights are allowed.
  const StoredTensor& take(std::string_view name, std::span<const size_t> shape, WeightRole role,
                           bool is_matrix = false);
  const void* numbers(const StoredTensor& tensor, DType wanted);  // in place or converted
  ProductArithmetic arithmetic_of(WeightRole role) const {
    return role == WeightRole::kProjection ? options_.arithmetic : ProductArithmetic::kOfFormat;
  }
  // Returns an element as a float. Throws Error(kInvalidFile) for an F64 beyond float's range.
  float float_at(const StoredTensor& tensor, size_t index) const;
  size_t index_of(const StoredTensor& tensor) const;  // in checkpoint.tensors()
  // Adapters: in adapted_weights.cc.
  bool is_of_adapter(size_t tensor) const;
  std::string adapter_name(std::string_view name) const;  // the base model's name for it, without a prefix
  void put_adapter_tensors();                             // replaces the base model's tensors in by_name_
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
  std::unique_ptr<ThreadPool> adapting_;  // created for the first weight that an adapter changes
  Buffers sources_;                       // inputs of int8_work_ that are not in the file
  std::vector<Int8Work> int8_work_;
  std::vector<const StoredTensor*> int8_tensors_;  // the tensor of each int8_work_; null: only sums of an I8 table
};

}  // namespace bert
