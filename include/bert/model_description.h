// What a loaded model is: its files and tensors, its arithmetic, its costs. Plain data.
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
  bool used = false;  // by the encoder and its pooler
};

struct ModelDescription {
  std::string source;               // directory, or "built-in"
  bool is_builtin = false;          // the built-in model; a directory can have that name too
  std::vector<std::string> files;   // weight files
  std::vector<TensorInfo> tensors;  // in the file's order
  std::string gemm;                 // "native", "portable" or "openblas"
  std::string gemm_reason;          // why this one, and the path of the library, if any
  std::string isa;                  // "portable", "avx2", "avx512" or "neon"
  std::string isa_reason;           // the CPU's features, and what BERT_INFER_ISA leaves of them
  std::string precision;            // of the linear layers: "float32", "float16", "bfloat16" or "int8"
  std::string precision_reason;     // why this one
  std::string adapter;              // the directory of its adapter (LoRA); "": none
  size_t adapter_bytes = 0;         // memory of the weights that an adapter changes
  std::string label_reader;         // of a model that reads labels: how it finds entities; else ""
  size_t packed_bytes = 0;          // of weights that are packed, or that the next pass packs; 0: read as stored
  std::string panel_file;           // the file of packed weights that is mapped (bert/pack.h); "": none
  std::string kernel;               // of their products: "portable", "avx2", "avx512vnni", … or "openblas"
  size_t threads = 0;
  bool reproducible = true;  // the same bits in any batch, on any number of threads, on any CPU
  int arithmetic = 1;        // where two versions of the library differ in it, the same files give other bits
};

// The cost of one forward pass.
struct ForwardCost {
  double flops = 0;            // of the matrix products, a multiply-add counted as two
  size_t weight_bytes = 0;     // read once
  size_t workspace_bytes = 0;  // scratch memory, allocated by the first pass of this size
};

}  // namespace bert
