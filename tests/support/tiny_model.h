// A small BERT with weights from a seed, written in the hub's layout, for tests that need no real model.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace bert::test {

struct TinyTensor {
  std::vector<size_t> shape;
  std::vector<float> values;
};
using TinyTensors = std::map<std::string, TinyTensor>;

struct TinyModel {
  size_t vocab = 40;
  size_t hidden = 24;
  size_t layers = 2;
  size_t heads = 3;
  size_t intermediate = 50;
  size_t positions = 24;
  size_t types = 2;
  bool pooler = true;
  std::vector<std::string> architectures = {"BertModel"};
};

// Writes config.json, vocab.txt (special tokens and some words in lower case) and model.safetensors. edit: may change
// the tensors before they are written.
void write_tiny_model(const TemporaryDirectory& directory, const TinyModel& model = {},
                      const std::function<void(TinyTensors&)>& edit = {});

// Writes the model with a masked LM head and the modules.json of a SparseEncoder. pooling: the settings of its
// SpladePooling, a JSON object; "": there is no modules.json.
void write_tiny_splade(const TemporaryDirectory& directory, const std::string& pooling,
                       const std::string& library_settings = R"({"model_type": "SparseEncoder"})");

// Writes the model with a classifier of these labels. Without labels it has one label and no id2label. offset: is added
// to the logits.
void write_tiny_classifier(const TemporaryDirectory& directory, const std::vector<std::string>& labels,
                           float offset = 0);

// Writes a model that answers questions.
void write_tiny_reader(const TemporaryDirectory& directory);

// Writes a model whose embeddings have one number of 1.2e5 beside others of about 1. The first layer's queries, keys
// and values do not read this number, and the layer's norm makes it small. So with 8-bit weights each token has one
// coarse row, in that layer.
void write_tiny_coarse_model(const TemporaryDirectory& directory);

// Writes a directory in BGE-M3's converted form: the dense modules (CLS, Normalize), and the heads of token vectors,
// [hidden, hidden], and of lexical weights, [lexical_outputs, hidden].
void write_tiny_m3(const TemporaryDirectory& directory, size_t lexical_outputs = 1);

// Writes an adapter (LoRA) for write_tiny_model's model as peft writes it: rank 2 for each query, and if `labels` is
// not 0, a classifier of that many labels.
void write_tiny_adapter(const TemporaryDirectory& directory, const std::string& base, size_t labels = 0);

// Writes write_tiny_model's model with write_tiny_adapter's adapter, merged in float64 and rounded to float32 once.
void write_tiny_merged_model(const TemporaryDirectory& directory);

// Returns a vocabulary of `size` lines: the special tokens, words, and fillers.
std::string tiny_vocabulary(size_t size);

}  // namespace bert::test
