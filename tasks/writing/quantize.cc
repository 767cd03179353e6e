// Writes a model with smaller weights: the tensors, config.json, and copies of the other files.
#include "bert/quantize.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <utility>

#include "bert/error.h"
#include "engine/base/file.h"
#include "engine/base/file_source.h"
#include "engine/base/joined.h"
#include "engine/base/json/json.h"
#include "engine/base/number.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "engine/checkpoint/int8_weights.h"
#include "engine/checkpoint/narrow.h"
#include "engine/checkpoint/safetensors_writer.h"
#include "models/model/model_impl.h"
#include "models/text/text_settings.h"
#include "tasks/writing/model_directory.h"

namespace bert {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kWeightEnding = ".weight";

bool is_8_bit(SmallWeights weights) { return weights == SmallWeights::kInt8 || weights == SmallWeights::kInt8Tables; }

class Writer {
 public:
  Writer(const Model& model, SmallWeights weights) : impl_(ModelAccess::impl(model)), weights_(weights) {}

  std::vector<TensorToWrite> tensors() {
    const auto stored = checkpoint().tensors();
    for (size_t i = 0; i < stored.size(); ++i) {
      if (weights_ == SmallWeights::kInt8Tables && impl_.encoder.weights.roles[i] == WeightRole::kTable) {
        add_table(stored[i]);
      } else if (is_8_bit(weights_)) {
        add_int8(i);
      } else {
        add_half(i);
      }
    }
    return std::move(tensors_);
  }

  // Returns the layers that stay floats: those of the file, and those of heads, because a model class of the reference
  // may create a head that the file lacks. With 8-bit tables also the tables of relative positions.
  std::vector<std::string> ignored() const {
    std::set<std::string> names;
    const auto stored = checkpoint().tensors();
    for (size_t i = 0; i < stored.size(); ++i) {
      const WeightRole role = impl_.encoder.weights.roles[i];
      const auto& quantized = impl_.encoder.weights.quantized;
      const bool is_float =
          role == WeightRole::kProjection &&  // the router of experts
          std::none_of(quantized.begin(), quantized.end(), [&](const auto& one) { return one.tensor == i; });
      const bool stays = is_float || role == WeightRole::kHead || role == WeightRole::kUnused ||
                         (weights_ == SmallWeights::kInt8Tables && role == WeightRole::kRelativePositions);
      if (!stays || stored[i].shape.size() != 2 || !stored[i].name.ends_with(kWeightEnding)) continue;
      names.emplace(stored[i].name.substr(0, stored[i].name.size() - kWeightEnding.size()));
    }
    const Family& family = *find_family(impl_.config.model_type, impl_.config.position_embedding_type);
    for (const HeadNames& head : family.heads) {
      for (const std::string_view name : {head.dense, head.second_dense, head.output}) {
        if (!name.empty()) names.emplace(name);
      }
    }
    if (!impl_.has_pooler()) names.emplace("re:.*pooler.*");
    return {names.begin(), names.end()};
  }

 private:
  void add(const StoredTensor& tensor, std::string_view type, std::span<const std::byte> data) {
    tensors_.push_back({std::string(tensor.name), std::string(type), {tensor.shape.begin(), tensor.shape.end()}, data});
  }

  void add_int8(size_t index) {
    const StoredTensor& tensor = checkpoint().tensors()[index];
    const auto& all = impl_.encoder.weights.quantized;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const QuantizedTensor& one) { return one.tensor == index; });
    if (found == all.end()) return add(tensor, tensor.type->name, tensor.data);
    // Experts [count, in, out] are written as products read them: [count, out, in].
    const bool is_of_experts = tensor.shape.size() == 3;
    const size_t rows = is_of_experts ? tensor.shape[0] * tensor.shape[2] : tensor.shape[0], cols = tensor.shape[1];
    add(tensor, "I8", std::as_bytes(std::span(found->weights, rows * cols)));
    if (is_of_experts) std::swap(tensors_.back().shape[1], tensors_.back().shape[2]);
    tensors_.push_back(
        {std::string(tensor.name) + "_scale", "F32", {rows, 1}, std::as_bytes(std::span(found->scales, rows))});
  }

  void add_table(const StoredTensor& tensor) {
    const size_t rows = tensor.shape[0], cols = tensor.shape[1];
    std::vector<int8_t>& weights = table_rows_.emplace_back(rows * cols);
    std::vector<float>& scales = table_scales_.emplace_back(rows);
    std::vector<int32_t> sums(rows);
    const Int8Work work{tensor.data.data(), *tensor.type->dtype, rows,       cols,
                        weights.data(),     scales.data(),       sums.data()};
    if (run_int8_work({&work, 1}, impl_.backend.threads())) checkpoint().check_numbers(tensor);
    add(tensor, "I8", std::as_bytes(std::span(weights)));
    tensors_.push_back({std::string(tensor.name) + "_scale", "F32", {rows, 1}, std::as_bytes(std::span(scales))});
  }

  void add_half(size_t index) {
    const StoredTensor& tensor = checkpoint().tensors()[index];
    const bool is_of_experts =
        tensor.shape.size() == 3 && impl_.encoder.weights.roles[index] == WeightRole::kProjection;
    if (tensor.type->dtype != DType::kF32 || (tensor.shape.size() != 2 && !is_of_experts)) {
      return add(tensor, tensor.type->name, tensor.data);
    }
    const bool is_f16 = weights_ == SmallWeights::kFloat16;
    const size_t count = tensor.data.size() / sizeof(float);
    std::vector<uint16_t>& halves = halves_.emplace_back(count);
    for (size_t i = 0; i < count; ++i) {
      float value;
      std::memcpy(&value, tensor.data.data() + i * sizeof value, sizeof value);
      halves[i] = is_f16 ? narrow_f16(value) : narrow_bf16(value);
      const uint16_t infinity = is_f16 ? 0x7C00 : 0x7F80;
      if ((halves[i] & infinity) != infinity) continue;
      checkpoint().refuse(
          tensor, ErrorCode::kInvalidFile,
          shortest_text(value) + " at index " + std::to_string(i) + ", expected what a 16-bit float can hold");
    }
    add(tensor, is_f16 ? "F16" : "BF16", std::as_bytes(std::span(halves)));
  }

  const Checkpoint& checkpoint() const { return impl_.encoder.weights.checkpoint; }

  const Model::Impl& impl_;
  SmallWeights weights_;
  std::vector<TensorToWrite> tensors_;
  std::vector<std::vector<uint16_t>> halves_;
  std::vector<std::vector<int8_t>> table_rows_;
  std::vector<std::vector<float>> table_scales_;
};

// Returns config.json's member for 8-bit weights, in the form of compressed-tensors.
std::string quantization_member(const std::vector<std::string>& ignored, bool with_tables) {
  const std::string names = joined(ignored, ", ", json_string);
  static const std::string kTables = R"(,
      "group_1": {
        "targets": ["Embedding"],
        "weights": {"num_bits": 8, "type": "int", "symmetric": true, "strategy": "channel", "dynamic": false}
      })";
  return R"(
  "quantization_config": {
    "quant_method": "compressed-tensors",
    "format": "int-quantized",
    "quantization_status": "compressed",
    "ignore": [)" +
         names + R"(],
    "config_groups": {
      "group_0": {
        "targets": ["Linear"],
        "weights": {"num_bits": 8, "type": "int", "symmetric": true, "strategy": "channel", "dynamic": false},
        "input_activations": {"num_bits": 8, "type": "int", "symmetric": false, "strategy": "token", "dynamic": true}
      })" +
         (with_tables ? kTables : "") + R"(
    }
  },)";
}

// transformers ignores this member.
constexpr const char* kBFloat16Member = R"(
  "bert_infer_precision": "bfloat16",)";

// The file of the encoder's configuration, and where the encoder's object begins in it.
struct EncoderConfig {
  std::string file = "config.json";
  std::string text;
  size_t begin = 0;

  // Returns the text with one more member, the first of the object.
  std::string with(const std::string& member) const {
    const size_t brace = text.find('{', begin);  // Model::load has already read it as an object with members
    return text.substr(0, brace + 1) + member + text.substr(brace + 1);
  }

  EncoderConfig(const Model& model, const fs::path& directory) {
    const std::unique_ptr<const ModelExtension>& extension = ModelAccess::impl(model).encoder.extension;
    if (extension != nullptr) file = extension->config_file();
    // Reads files to be rewritten like files to be copied: not from outside the directory.
    text = read_text_file(resolve_confined(directory, path_of(file), utf8(directory)), kMaxModelFile);
    if (extension == nullptr || file.find('/') != std::string::npos) return;
    begin = text.find("\"encoder_config\"");
    if (begin != std::string::npos) return;
    throw Error(ErrorCode::kUnsupported, quote_path(utf8(directory / path_of(file))) +
                                             ": no encoder_config, expected it: what its weights are is written there");
  }
};

}  // namespace

QuantizedModel quantize(const std::string& name, const fs::path& directory, SmallWeights weights,
                        const LoadOptions& options, const std::function<void(const fs::path&)>& add_files) {
  LoadOptions loading = options;
  loading.precision = is_8_bit(weights) ? Precision::kInt8 : Precision::kStored;
  loading.gemm = GemmProvider::kNative;
  loading.positions = {};
  const Model model = Model::load(name, loading);
  ModelAccess::impl(model).require_no_adapter();
  const fs::path source = find_model(name, options.revision);
  const fs::path encoder = encoder_directory(source);
  if (model.config().quantization) {
    throw Error(ErrorCode::kUnsupported, quote_path(utf8(encoder)) + ": its weights are 8-bit already");
  }
  if (model.config().adapters && is_8_bit(weights)) {
    throw Error(ErrorCode::kUnsupported,
                quote_path(utf8(encoder)) +
                    ": its weights are changed by the adapter (LoRA) of each task, expected a model without adapters; "
                    "its weights can be quantised when it is loaded");
  }
  const EncoderConfig config(model, encoder);
  QuantizedModel result;
  write_directory(directory, [&](const fs::path& partial) {
    result.not_copied = copy_files(source, encoder, partial);
    const fs::path target = partial / encoder.lexically_relative(source);
    Writer writer(model, weights);
    const std::vector<TensorToWrite> tensors = writer.tensors();
    for (const TensorToWrite& tensor : tensors) result.bytes += tensor.data.size();
    for (const StoredTensor& tensor : ModelAccess::impl(model).encoder.weights.checkpoint.tensors()) {
      result.source_bytes += tensor.data.size();
    }
    write_safetensors(target / "model.safetensors", tensors);
    if (is_8_bit(weights)) {
      const bool with_tables = weights == SmallWeights::kInt8Tables;
      write_text_file(target / config.file, config.with(quantization_member(writer.ignored(), with_tables)));
    } else if (weights == SmallWeights::kBFloat16 && !model.config().bfloat16_products) {
      write_text_file(target / config.file, config.with(kBFloat16Member));
    }
    model.check_files();
    if (add_files) add_files(partial);
  });
  return result;
}

}  // namespace bert
