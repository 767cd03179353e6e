// A description of a loaded model: its files and tensors, its arithmetic, its costs. Plain data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bert {

// One tensor of the checkpoint.
struct TensorInfo {
  std::string name;  // as in the file
  std::string dtype;
  std::vector<size_t> shape;
  size_t bytes = 0;
  bool used = false;  // whether the encoder or its pooler uses it
};

struct ModelDescription {
  std::string source;               // directory, or "built-in"
  bool is_builtin = false;          // true for the built-in model; a directory may have the source "built-in" too
  std::vector<std::string> files;   // weight files
  std::vector<TensorInfo> tensors;  // in the file's order
  std::string gemm;                 // "native", "portable" or "openblas"
  std::string gemm_reason;          // why this backend, and the library's path, if any
  std::string isa;                  // "portable", "avx2", "avx512" or "neon"
  std::string isa_reason;           // why this one: the CPU's features, and which of them BERT_INFER_ISA allows
  std::string precision;            // of the linear layers: "float32", "float16", "bfloat16" or "int8"
  std::string precision_reason;     // why this one
  std::string adapter;              // directory of the adapter (LoRA); "": none
  size_t adapter_bytes = 0;         // memory of the weights that the adapter changes
  std::string label_reader;         // how a model that reads labels finds entities; else ""
  size_t packed_bytes = 0;          // bytes of weights that are packed or that the next pass packs; 0: read as stored
  std::string panel_file;           // the mapped file of packed weights (bert/pack.h); "": none
  std::string kernel;               // the matrix products': "portable", "avx2", "avx512vnni", … or "openblas"
  size_t threads = 0;
  bool reproducible = true;  // the same bits in any batch, on any number of threads, on any CPU
  int arithmetic = 1;        // version of the arithmetic: libraries with different versions give different bits
};

// The cost of one forward pass.
struct ForwardCost {
  double flops = 0;            // for the matrix products; a multiply-add counts as two
  size_t weight_bytes = 0;     // weights that are read; each is read once
  size_t workspace_bytes = 0;  // scratch memory, which the first pass of this size allocates
};

}  // namespace bert
