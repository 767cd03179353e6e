// How a model is loaded (Model::load). Plain data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "bert/config.h"
#include "bert/memory.h"
#include "bert/runtime.h"
#include "bert/tokenizer.h"

namespace bert {

// The matrix multiplication backend. kNative: this library's kernels for the CPU's ISA, the same bits everywhere.
// kPortable: their plain specification, slow. kOpenBlas: needs libopenblas at run time; its bits depend on the CPU and
// on the batch, and it is set to one thread for the whole process.
// kAuto: kNative if this library has kernels for the CPU, else OpenBLAS, else portable.
enum class GemmProvider { kAuto, kNative, kPortable, kOpenBlas };

// The numbers of the linear layers. kStored: those of the model's files. kFloat32: floats, of any width in the files; a
// model with 8-bit weights is rejected. kInt8: 8-bit integers with a scale for each output, made of floats when the
// model is loaded; activations are quantised for each token (docs/NUMERICS.md). Not with OpenBLAS. kBFloat16: of floats
// of any width in the files, weights and activations are rounded to bfloat16 where they are multiplied, and summed in
// float32. Not with OpenBLAS.
enum class Precision { kStored, kFloat32, kInt8, kBFloat16 };

// Which of the two files of a static model's directory says how its vectors are made, if it has both: config.json, as
// model2vec reads it (the first 512 tokens, without the unknown one), or modules.json, as sentence-transformers does
// (all tokens, and Normalize if it is named there).
enum class StaticFile { kConfig, kModules };

struct LoadOptions {
  static constexpr size_t kMaxThreads = RuntimeOptions::kMaxThreads;
  // At most kMaxThreads; 0: the cores that affinity and the container's limit allow, or fewer, with a notice, if the
  // system creates no more threads.
  size_t threads = 0;
  std::optional<Runtime> runtime = {};  // shared with other models; then threads must be 0
  GemmProvider gemm = GemmProvider::kAuto;
  Precision precision = Precision::kStored;
  bool ignore_unexpected = false;  // unknown tensors are reported, not rejected
  bool check_tensors = false;      // reject NaN and infinity in the weights that are used
  bool copy_weights = false;       // into memory of the model, not mapped: writing to the files then cannot affect it
  Packing packing = Packing::kAutomatic;
  // The most memory for packed weights: if they need more, they are read as they are stored, with a notice. The pages
  // of the mapped files leave the process for it. 0: no bound of the caller's.
  size_t packed_bytes = 0;
  std::string revision = "main";  // of a model looked up in the hub's local cache
  // The task, for a model with a route (a Router) or an adapter (LoRA) for each task. Default: the default route of the
  // model's files, and no adapter. With an adapter the task's instruction is the default prompt.
  std::optional<std::string> task = {};
  // An adapter (LoRA) as peft writes it, merged into the weights in memory: a directory, or a name as the model's.
  std::string adapter = {};
  StaticFile static_file = StaticFile::kConfig;
  TokenizerOptions tokenizer = {};
  // For a GLiNER model whose directory lacks its encoder's configuration or tokenizer: a directory with them, or a name
  // in the hub's local cache. Default: the encoder's name there. An error for a model of another kind.
  std::string encoder = {};
  // For a GLiNER model: the largest number of words of a text and of an entity, in place of its max_len and max_width.
  // At most 1,048,576 and 1,024. An error for a model of another kind.
  std::optional<size_t> max_words = {};
  std::optional<size_t> max_width = {};
  // The encoder is only the first so many layers of the model; the tensors of the others are not used. From 1 to as
  // many as there are.
  std::optional<size_t> layers = {};
  // For experiments: other positions than the model's own, which Model::config() and a notice report. kEveryLayer is an
  // error where nothing is added to the embeddings for the position, or a dense layer follows them; a static model has
  // only kNone. Calls that write a model keep its own positions.
  PositionChoice positions = {};
};

}  // namespace bert
