#include "tools/bench/base_model.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>
#include <sstream>

#include "bert/error.h"
#include "bert/quantize.h"
#include "engine/tensor/dtype.h"

namespace bert::bench {
namespace {

namespace fs = std::filesystem;

// Uniform values with standard deviation 0.02, as in the initialisation of BERT (Devlin et al. 2019, modeling.py).
constexpr float kWeightRange = 0.02f * 1.7320508f;

uint16_t narrow_bf16(float value) { return static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16); }

// Converts magnitudes below 2. It truncates, because random weights need no rounding.
uint16_t narrow_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t exponent = bits >> 23 & 255;
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  if (exponent < 113) return sign;
  return static_cast<uint16_t>(sign | (exponent - 112) << 10 | (bits >> 13 & 0x3FFu));
}

void fill(Random& random, WeightFormat format, size_t count, std::byte* to) {
  for (size_t i = 0; i < count; ++i) {
    const float value = kWeightRange * random.symmetric();
    if (element_bytes(format) == 1) {
      to[i] = static_cast<std::byte>(static_cast<int8_t>(value / kWeightRange * 127));
    } else if (format == WeightFormat::kF32) {
      reinterpret_cast<float*>(to)[i] = value;
    } else {
      reinterpret_cast<uint16_t*>(to)[i] = format == WeightFormat::kF16 ? narrow_f16(value) : narrow_bf16(value);
    }
  }
}

enum class Content { kRandom, kOne, kZero };
struct TensorPlan {
  std::string name;
  std::vector<size_t> shape;
  Content content = Content::kRandom;
  size_t count() const { return std::accumulate(shape.begin(), shape.end(), size_t{1}, std::multiplies<>()); }
};

std::vector<TensorPlan> plan_tensors() {
  std::vector<TensorPlan> plan;
  const auto norm = [&](const std::string& name) {
    plan.push_back({name + ".weight", {kHidden}, Content::kOne});
    plan.push_back({name + ".bias", {kHidden}, Content::kZero});
  };
  const auto dense = [&](const std::string& name, size_t out, size_t in) {
    plan.push_back({name + ".weight", {out, in}});
    plan.push_back({name + ".bias", {out}});
  };
  plan.push_back({"embeddings.word_embeddings.weight", {kVocab, kHidden}});
  plan.push_back({"embeddings.position_embeddings.weight", {kPositions, kHidden}});
  plan.push_back({"embeddings.token_type_embeddings.weight", {2, kHidden}});
  norm("embeddings.LayerNorm");
  for (size_t layer = 0; layer < kLayers; ++layer) {
    const std::string prefix = "encoder.layer." + std::to_string(layer) + ".";
    for (const char* part : {"query", "key", "value"}) dense(prefix + "attention.self." + part, kHidden, kHidden);
    dense(prefix + "attention.output.dense", kHidden, kHidden);
    norm(prefix + "attention.output.LayerNorm");
    dense(prefix + "intermediate.dense", kIntermediate, kHidden);
    dense(prefix + "output.dense", kHidden, kIntermediate);
    norm(prefix + "output.LayerNorm");
  }
  dense("pooler.dense", kHidden, kHidden);
  return plan;
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Error(ErrorCode::kIo, "cannot write '" + path.string() + "'");
}

std::string_view stored_name(WeightFormat format) {
  return format == WeightFormat::kF32 ? "F32" : format == WeightFormat::kF16 ? "F16" : "BF16";
}

void write_weights(const fs::path& path, WeightFormat format) {
  const std::vector<TensorPlan> plan = plan_tensors();
  // The reference library requires this metadata.
  std::string header = R"({"__metadata__":{"format":"pt"})";
  size_t offset = 0;
  for (const TensorPlan& tensor : plan) {
    const size_t end = offset + tensor.count() * element_bytes(format);
    header += ",\"" + tensor.name + "\":{\"dtype\":\"" + std::string(stored_name(format)) + "\",\"shape\":[";
    for (size_t i = 0; i < tensor.shape.size(); ++i) header += (i > 0 ? "," : "") + std::to_string(tensor.shape[i]);
    header += "],\"data_offsets\":[" + std::to_string(offset) + "," + std::to_string(end) + "]}";
    offset = end;
  }
  header += "}";
  header.resize(round_up(header.size() + 8, kAlignment) - 8, ' ');

  std::ofstream file(path, std::ios::binary);
  const uint64_t header_size = header.size();
  for (int byte = 0; byte < 8; ++byte) file.put(static_cast<char>(header_size >> (8 * byte) & 255));
  file << header;
  Random random(1);
  std::vector<std::byte> data;
  for (const TensorPlan& tensor : plan) {
    data.assign(tensor.count() * element_bytes(format), std::byte{0});
    if (tensor.content == Content::kRandom) fill(random, format, tensor.count(), data.data());
    if (tensor.content == Content::kOne) {
      const uint32_t one = format == WeightFormat::kF32   ? 0x3F800000u
                           : format == WeightFormat::kF16 ? 0x3C00u
                                                          : 0x3F80u;
      for (size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::byte>(one >> (8 * (i % element_bytes(format))) & 255);
      }
    }
    file.write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
  }
  if (!file.flush()) throw Error(ErrorCode::kIo, "cannot write '" + path.string() + "'");
}

// Makes the vocabulary: [PAD] 0, [UNK] 100, [CLS] 101, [SEP] 102 and [MASK] 103, as in BERT's vocabularies; then
// characters, the words of the sentence, and made-up syllables up to the size.
std::string make_vocabulary() {
  std::vector<std::string> tokens = {"[PAD]"};
  while (tokens.size() < 100) tokens.push_back("[unused" + std::to_string(tokens.size()) + "]");
  tokens.insert(tokens.end(), {"[UNK]", "[CLS]", "[SEP]", "[MASK]"});
  for (char c = '!'; c <= '~'; ++c) {
    if (c >= 'A' && c <= 'Z') continue;
    tokens.emplace_back(1, c);
    tokens.push_back(std::string("##") + c);
  }
  std::set<std::string> seen(tokens.begin(), tokens.end());
  const auto add = [&](const std::string& token) {
    if (tokens.size() < kVocab && seen.insert(token).second) tokens.push_back(token);
  };
  std::istringstream words(kSentence);
  for (std::string word; words >> word;) {
    word[0] = static_cast<char>(word[0] >= 'A' && word[0] <= 'Z' ? word[0] - 'A' + 'a' : word[0]);
    add(word);
  }
  Random random(2);
  while (tokens.size() < kVocab) {
    std::string token = random.below(4) == 0 ? "##" : "";
    for (size_t syllables = 1 + random.below(3); syllables > 0; --syllables) {
      token += "bcdfghklmnprstvw"[random.below(16)];
      token += "aeiou"[random.below(5)];
    }
    add(token);
  }
  std::string text;
  for (const std::string& token : tokens) text += token + "\n";
  return text;
}

std::string format_suffix(WeightFormat format) {
  switch (format) {
    case WeightFormat::kF32:
      return "f32";
    case WeightFormat::kF16:
      return "f16";
    case WeightFormat::kBF16:
      return "bf16";
    default:
      return "int8";
  }
}

}  // namespace

void write_base_model(const fs::path& directory, WeightFormat format) {
  fs::create_directories(directory);
  const auto number = [](size_t value) { return std::to_string(value); };
  write_text(directory / "config.json",
             R"({"architectures": ["BertModel"], "model_type": "bert", "hidden_act": "gelu", "layer_norm_eps": 1e-12,)"
             "\n \"hidden_size\": " +
                 number(kHidden) + ", \"num_hidden_layers\": " + number(kLayers) + ", \"num_attention_heads\": " +
                 number(kHeads) + ",\n \"intermediate_size\": " + number(kIntermediate) +
                 ", \"vocab_size\": " + number(kVocab) + ", \"max_position_embeddings\": " + number(kPositions) +
                 ",\n \"type_vocab_size\": 2, \"pad_token_id\": 0}\n");
  write_text(directory / "tokenizer_config.json",
             "{\"tokenizer_class\": \"BertTokenizer\", \"do_lower_case\": true, \"model_max_length\": 512}\n");
  write_text(directory / "vocab.txt", make_vocabulary());
  write_weights(directory / "model.safetensors.part", format);
  fs::rename(directory / "model.safetensors.part", directory / "model.safetensors");
}

fs::path base_model_directory(WeightFormat format) {
  const fs::path directory =
      fs::read_symlink("/proc/self/exe").parent_path() / "models" / ("base-" + format_suffix(format));
  if (fs::exists(directory / "model.safetensors")) return directory;
  if (format == WeightFormat::kI8) {
    quantize(base_model_directory(WeightFormat::kF32).string(), directory, SmallWeights::kInt8);
  } else {
    write_base_model(directory, format);
  }
  return directory;
}

// Returns the number of parts of all products of a layer before this one.
constexpr size_t parts_before(size_t product) {
  size_t parts = 0;
  for (size_t i = 0; i < product; ++i) parts += kProducts[i].parts;
  return parts;
}
constexpr size_t kPartsOfLayer = parts_before(std::size(kProducts));

LayerWeights::LayerWeights(WeightFormat format, ProductArithmetic arithmetic)
    : format_(format), arithmetic_(arithmetic) {
  size_t all = 0;
  for (size_t product = 0; product < std::size(kProducts); ++product) all += bytes(product);
  buffer_ = AlignedBuffer<std::byte>(kLayers * all);
  Random random(3);
  fill(random, format, buffer_.size() / element_bytes(format), buffer_.data());
  for (size_t i = 0; i < kLayers * kPartsOfLayer; ++i) packed_.emplace_back();
  // The speed does not depend on these values.
  if (element_bytes(format) == 1) {
    scales_.assign(kIntermediate, kWeightRange / 127);
    sums_.assign(kIntermediate, 0);
  }
}

size_t LayerWeights::bytes(size_t product) const {
  return kProducts[product].outs * kProducts[product].in * element_bytes(format_);
}

std::vector<LinearPart> LayerWeights::parts(size_t layer, size_t product, bool keeps_panels) const {
  size_t at = 0;
  const size_t packed = layer * kPartsOfLayer + parts_before(product);
  for (size_t i = 0; i < std::size(kProducts); ++i) at += layer * bytes(i) + (i < product ? bytes(i) : 0);
  const ProductShape& shape = kProducts[product];
  const size_t outs = shape.outs / shape.parts;
  std::vector<LinearPart> parts;
  for (size_t part = 0; part < shape.parts; ++part) {
    const std::byte* data = buffer_.data() + at + part * outs * shape.in * element_bytes(format_);
    WeightView weight{data, format_, outs, shape.in};
    weight.arithmetic = arithmetic_;
    if (!scales_.empty()) {
      weight.scales = scales_.data();
      weight.sums = sums_.data();
    }
    parts.push_back({weight, nullptr, keeps_panels ? &packed_[packed + part] : nullptr});
  }
  return parts;
}

std::vector<std::vector<int32_t>> random_batch(BatchShape shape) {
  Random random(4);
  std::vector<std::vector<int32_t>> batch(shape.sequences, std::vector<int32_t>(shape.length));
  for (auto& ids : batch) {
    for (int32_t& id : ids) id = static_cast<int32_t>(random.below(kVocab));
  }
  return batch;
}

std::vector<TokenSequence> sequences_of(const std::vector<std::vector<int32_t>>& texts) {
  std::vector<TokenSequence> views;
  for (const std::vector<int32_t>& ids : texts) views.push_back({.ids = ids});
  return views;
}

std::vector<std::vector<int32_t>> random_mix() {
  Random random(5);
  std::vector<std::vector<int32_t>> texts(256);
  for (auto& ids : texts) {
    const double where = 0.5 + 0.5 * static_cast<double>(random.symmetric());
    ids.resize(static_cast<size_t>(std::lround(8 * std::pow(64.0, where))));
    for (int32_t& id : ids) id = static_cast<int32_t>(random.below(kVocab));
  }
  return texts;
}

}  // namespace bert::bench
