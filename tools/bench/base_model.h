// Makes a model of BERT-base's shape with random weights, as a directory and as layer weights. Speed does not depend on
// the values of the weights, so no download is needed. The same seed gives the same bytes everywhere. Other benchmarks
// use the random numbers too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "bert/model.h"
#include "engine/base/aligned_buffer.h"
#include "engine/kernels/gemm/packed_weight.h"
#include "engine/kernels/kernels.h"
#include "engine/tensor/matrix.h"
#include "engine/tensor/weight_format.h"

namespace bert::bench {

inline constexpr size_t kLayers = 12;
inline constexpr size_t kHidden = 768;
inline constexpr size_t kHeads = 12;
inline constexpr size_t kIntermediate = 3072;
inline constexpr size_t kVocab = 30522;
inline constexpr size_t kPositions = 512;

// splitmix64 (Steele, Lea, Flood 2014) hashes a counter, and gives the same numbers on every platform.
class Random {
 public:
  explicit Random(uint64_t seed = 1) : state_(seed) {}
  uint64_t bits() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
  }
  // Uniform in [-1, 1).
  float symmetric() { return static_cast<float>(static_cast<int64_t>(bits() >> 40) - (1 << 23)) * 0x1p-23f; }
  // About normal: the sum of the four 16-bit parts.
  float number() {
    const uint64_t b = bits();
    const auto part = [&](int i) { return static_cast<float>(b >> 16 * i & 0xFFFF) / 32768.0f - 1.0f; };
    return part(0) + part(1) + part(2) + part(3);
  }
  size_t below(size_t limit) { return static_cast<size_t>(bits() % limit); }

 private:
  uint64_t state_;
};

// Writes config.json, vocab.txt, tokenizer_config.json and model.safetensors (F32, F16 or BF16) into `directory`. The
// vocabulary has the characters and the words of kSentence, so that any English text has ids.
void write_base_model(const std::filesystem::path& directory, WeightFormat format);

// Returns the directory models/base-f32 (…-f16, …-bf16, …-int8) next to the running program, and writes the model there
// if it does not exist. The model in kI8 is what `bert-infer quantize` makes of the one in kF32.
std::filesystem::path base_model_directory(WeightFormat format);

inline constexpr const char* kSentence = "The quick brown fox jumps over the lazy dog";

// One of the four products of a layer: stacked query, key and value; attention output; feed-forward up; feed-forward
// down.
struct ProductShape {
  size_t outs;
  size_t in;
  size_t parts;  // stacked weights, as the engine multiplies them
};
inline constexpr ProductShape kProducts[] = {
    {3 * kHidden, kHidden, 3}, {kHidden, kHidden, 1}, {kIntermediate, kHidden, 1}, {kHidden, kIntermediate, 1}};

// The weights of all layers. A benchmark goes from layer to layer, so that it reads weights from memory as a forward
// pass does.
class LayerWeights {
 public:
  explicit LayerWeights(WeightFormat format, ProductArithmetic arithmetic = ProductArithmetic::kOfFormat);
  // With keeps_panels the products keep the weights' panels, which the kernels of one instruction set make and read.
  std::vector<LinearPart> parts(size_t layer, size_t product, bool keeps_panels = false) const;
  size_t bytes(size_t product) const;  // of one layer

 private:
  WeightFormat format_;
  ProductArithmetic arithmetic_;
  AlignedBuffer<std::byte> buffer_;
  std::vector<float> scales_;  // of 8-bit weights
  std::vector<int32_t> sums_;
  mutable std::deque<PackedWeight> packed_;  // of each layer's parts
};

// A batch of `sequences` of `length` ids each, and its name in benchmarks: "8x128".
struct BatchShape {
  size_t sequences;
  size_t length;
  std::string name() const { return std::to_string(sequences) + "x" + std::to_string(length); }
  size_t tokens() const { return sequences * length; }
};
inline constexpr BatchShape kBatches[] = {{1, 8}, {1, 16}, {1, 32}, {1, 128}, {1, 512}, {8, 128}, {32, 32}};

std::vector<std::vector<int32_t>> random_batch(BatchShape shape);
std::vector<TokenSequence> sequences_of(const std::vector<std::vector<int32_t>>& texts);  // views of them
// 256 texts with lengths of 8 to 512, uniform in their logarithm.
std::vector<std::vector<int32_t>> random_mix();

}  // namespace bert::bench
