// The modules that sentence-transformers runs after the encoder, as data: the contents of each module's config.json,
// before any weight is read. Plain values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bert/error.h"
#include "bert/model.h"
#include "engine/base/file_source.h"
#include "engine/kernels/activation.h"
#include "engine/layers/pooled_outputs.h"

namespace bert {

// The vectors that a module changes: the vector of each token, or the one vector of the text.
enum class VectorOf { kToken, kText };

struct PoolingModule {
  std::vector<PoolingMode> modes;  // several: their vectors are concatenated in this order
  size_t width = 0;                // of a token's vector, as in the file; 0: not given
  bool include_prompt = true;      // pool a prompt's tokens as well as the text's
};

// y = activation(x · weightᵀ + bias), plus x if residual, or plus x · residual_weightᵀ if the widths differ.
struct DenseModule {
  VectorOf of = VectorOf::kText;
  size_t in = 0;
  size_t out = 0;
  bool bias = true;
  bool residual = false;
  Activation activation = Activation::kTanh;
  std::string activation_name = "Tanh";  // torch's name
  bool makes_scores = false;             // for a CrossEncoder: its outputs are a classifier's logits
};

struct LayerNormModule {
  size_t width = 0;
};

struct NormalizeModule {
  VectorOf of = VectorOf::kText;
};

// Rounds the text's vector to whole numbers from -127 to 127: round(127 tanh(x)), halves to even. From pplx-embed's own
// code, class st_quantize.FlexibleQuantizer.
struct TanhQuantizerModule {};

// Replaces an encoder and a Pooling: the text's vector is the mean of the rows of its tokens
// (models/sentence/static_table.h).
struct StaticModule {
  bool leaves_unknown_out = false;         // the unknown token does not count, as in model2vec
  std::optional<int32_t> unknown_id = {};  // the model's tokenizer's
};

struct SentenceModule {
  std::string directory;  // folder of config.json and the weights; "": the model's own directory
  std::variant<PoolingModule, DenseModule, LayerNormModule, NormalizeModule, TanhQuantizerModule, StaticModule> kind;
};

// The module that makes a text's sparse vector: the masked LM's outputs, pooled (SpladePooling); a fixed weight of each
// token, without an encoder (SparseStaticEmbedding); or the relu of a Dense of each token with one output (BGE-M3's
// lexical weights).
struct SpladeModule {
  OutputPooling pooling;
  size_t width = 0;  // of the vector, as in the file; 0: not given
};
struct TokenWeightsModule {};
struct LexicalModule {
  SentenceModule dense;
};
using SparseModule = std::variant<SpladeModule, TokenWeightsModule, LexicalModule>;

// A module as listed in modules.json.
struct NamedModule {
  size_t index = 0;
  std::string type;        // its class
  std::string directory;   // "": the model's own directory
  std::string route = {};  // a route of a Router (models/sentence/router.h); "": none
};

// Reads a module. Returns nullopt for a module that has no effect outside of training. Throws Error(kInvalidFile) for a
// malformed file, kUnsupported or kNotFound for what this library does not support or cannot find. Adds messages for
// the user to `notices`. dense_reads: what a Dense reads that does not say it.
std::optional<SentenceModule> read_sentence_module(const NamedModule& named, const FileSource& files,
                                                   std::vector<std::string>& notices,
                                                   VectorOf dense_reads = VectorOf::kText);

// Reads the settings of a SpladePooling. Throws as read_sentence_module does.
SpladeModule read_splade_pooling(const NamedModule& named, const FileSource& files);

// Read BGE-M3's heads: Dense modules of each token, in folders that modules.json does not name. Return nullopt if the
// folder is missing. Throw as read_sentence_module does.
inline constexpr const char* kTokenHead = "colbert_linear";
inline constexpr const char* kLexicalHead = "sparse_linear";
std::optional<SentenceModule> read_head_module(const std::string& directory, const FileSource& files,
                                               std::vector<std::string>& notices);

// Returns an Error that names the module, and its route in a Router.
Error unsupported_module(const NamedModule& named, const FileSource& files, const std::string& expected);

// Returns the class without the library's packages, which changed in its version 5.4: "Pooling". Classes of other
// libraries, which have their own code, are returned unchanged.
std::string module_class(const std::string& type);

// Returns the width of the text's vector after all modules; 0: no module makes one. pooling: overrides the Pooling
// modules' modes. Throws Error(kInvalidFile), or kInvalidArgument if `pooling` is the cause, for widths that do not
// match.
size_t text_width(std::span<const SentenceModule> modules, size_t hidden_size,
                  const std::optional<PoolingMode>& pooling = {});

// Returns the width of a token's vector after all modules. Throws as text_width does.
size_t token_width(std::span<const SentenceModule> modules, size_t hidden_size);

std::string describe_module(const SentenceModule& module);  // "Dense 768 to 512, Tanh"
std::string describe_module(const SparseModule& module);    // "Masked LM's outputs, max of log(1 + relu)"

}  // namespace bert
