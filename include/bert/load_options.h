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

// The numbers of the linear layers. kStored: as in the model's files. kFloat32: floats, whatever their width in the
// files; a model with 8-bit weights is rejected. kInt8: 8-bit integers with a scale for each output; float weights are
// quantised when the model is loaded, activations for each token (docs/NUMERICS.md). kBFloat16: float weights of any
// width in the files, and activations, are rounded to bfloat16 before multiplication and summed in float32. OpenBLAS
// supports neither kInt8 nor kBFloat16.
enum class Precision { kStored, kFloat32, kInt8, kBFloat16 };

// Which file says how a static model makes its vectors, if its directory has both: config.json, as model2vec reads it
// (the first 512 tokens, without the unknown token), or modules.json, as sentence-transformers does (all tokens, and
// Normalize if it is listed).
enum class StaticFile { kConfig, kModules };

struct LoadOptions {
  static constexpr size_t kMaxThreads = RuntimeOptions::kMaxThreads;
  // At most kMaxThreads; 0: the cores that affinity and the container's limit allow, or fewer, with a notice, if the
  // system cannot create more threads.
  size_t threads = 0;
  std::optional<Runtime> runtime = {};  // shared with other models; then threads must be 0
  GemmProvider gemm = GemmProvider::kAuto;
  Precision precision = Precision::kStored;
  bool ignore_unexpected = false;  // unknown tensors are reported, not rejected
  bool check_tensors = false;      // reject NaN and infinity in the weights that are used
  bool copy_weights = false;       // weights are copied, not mapped: later writes to the files then cannot affect the
                                   // model
  Packing packing = Packing::kAutomatic;
  // The most memory for packed weights. If packing needs more, weights are read as they are stored, with a notice. 0:
  // no limit. Packed weights replace the pages of the mapped files in the process's memory.
  size_t packed_bytes = 0;
  std::string revision = "main";  // for a model in the hub's local cache
  // The task, for a model with a route (a Router) or an adapter (LoRA) per task. Default: the default route of the
  // model's files, and no adapter. With an adapter, the task's instruction is the default prompt.
  std::optional<std::string> task = {};
  // An adapter (LoRA) as written by peft, merged into the weights in memory: a directory, or a name as in Model::load.
  std::string adapter = {};
  StaticFile static_file = StaticFile::kConfig;
  TokenizerOptions tokenizer = {};
  // For a GLiNER model whose directory lacks its encoder's configuration or tokenizer: a directory that has them, or a
  // name in the hub's local cache. Default: the encoder's name there. An error for a model of another kind.
  std::string encoder = {};
  // For a GLiNER model: the most words of a text and of an entity, instead of its max_len and max_width. At most
  // 1,048,576 and 1,024. An error for a model of another kind.
  std::optional<size_t> max_words = {};
  std::optional<size_t> max_width = {};
  // The encoder ends after this many layers; tensors of later layers are not used. From 1 to the model's number of
  // layers.
  std::optional<size_t> layers = {};
  // For experiments: other positions than the model's own; Model::config() and a notice report them. kEveryLayer is an
  // error if nothing is added to the embeddings for the position, or if a dense layer follows the embeddings; a static
  // model allows only kNone. Calls that write a model keep its own positions.
  PositionChoice positions = {};
};

}  // namespace bert
