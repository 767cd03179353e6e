#include "models/sentence/static_table.h"

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/quote.h"
#include "engine/checkpoint/elements.h"

namespace bert {
namespace {

constexpr const char* kRowTensors[] = {"embedding.weight", "embeddings"};

class StaticTableReader {
 public:
  StaticTableReader(Checkpoint checkpoint, const WeightReaderOptions& options)
      : options_(options), table_{{.checkpoint = std::move(checkpoint)}, {}} {
    WeightStorage& storage = table_.storage;
    storage.roles.resize(storage.checkpoint.tensors().size(), WeightRole::kUnused);
    storage.used_bytes.resize(storage.roles.size());
    for (const StoredTensor& tensor : storage.checkpoint.tensors()) storage.names.emplace_back(tensor.name);
    storage.notices = storage.checkpoint.notices();
  }

  StaticTable read_weights() {
    const StoredTensor* weights = take("weight");
    if (weights == nullptr) refuse_without("'weight', expected one: the tokens' weights of a SparseStaticEmbedding");
    if (weights->shape.size() != 1 || weights->shape[0] == 0) refuse_shape(*weights, "[vocab]");
    const std::optional<WeightFormat> format = format_of(*weights);
    if (!format) refuse_type(*weights, "F32, F16, BF16 or F64");
    refuse_others();
    if (options_.check_finite) checkpoint().check_numbers(*weights);
    convert(weights->shape[0], 1, [&](size_t id, float* row) {
      *row = static_cast<float>(element(weights->data.data(), *weights->type->dtype, id));
    });
    return std::move(table_);
  }

  StaticTable read() {
    const StoredTensor& rows = row_tensor();
    if (rows.shape.size() != 2 || rows.shape[0] == 0 || rows.shape[1] == 0) refuse_shape(rows, "[vocab, width]");
    const std::optional<WeightFormat> format = rows.type->dtype == DType::kI8 ? WeightFormat::kI8 : format_of(rows);
    if (!format) refuse_type(rows, "F32, F16, BF16, F64 or I8");
    const StoredTensor* mapping = take("mapping");
    const StoredTensor* weights = take("weights");
    refuse_others();
    table_.rows = {rows.data.data(), *format, rows.shape[0], rows.shape[1]};
    const bool is_f64 = rows.type->dtype == DType::kF64;
    const bool is_aligned = reinterpret_cast<uintptr_t>(rows.data.data()) % element_bytes(*format) == 0;
    if (mapping != nullptr || weights != nullptr || is_f64 || !is_aligned) apply(rows, mapping, weights);
    if (options_.check_finite) checkpoint().check_numbers(rows);
    return std::move(table_);
  }

 private:
  const Checkpoint& checkpoint() const { return table_.storage.checkpoint; }

  const StoredTensor& row_tensor() {
    for (const char* name : kRowTensors) {
      if (const StoredTensor* tensor = take(name)) return *tensor;
    }
    refuse_without("'embedding.weight' or 'embeddings', expected one: the rows of a static model");
  }

  [[noreturn]] void refuse_without(const std::string& tensors) const {
    throw Error(ErrorCode::kInvalidFile, quote_path(checkpoint().source()) + ": no tensor " + tensors);
  }

  const StoredTensor* take(const char* name) {
    const StoredTensor* tensor = checkpoint().find(name);
    if (tensor == nullptr) return nullptr;
    const auto index = static_cast<size_t>(tensor - checkpoint().tensors().data());
    table_.storage.roles[index] = WeightRole::kTable;
    table_.storage.used_bytes[index] = tensor->data.size();
    return tensor;
  }

  void refuse_others() {
    for (size_t i = 0; i < table_.storage.roles.size(); ++i) {
      if (table_.storage.roles[i] != WeightRole::kUnused) continue;
      const StoredTensor& tensor = checkpoint().tensors()[i];
      if (!options_.ignore_unexpected) refuse(tensor, "not known, expected embeddings, mapping and weights only");
      table_.storage.notices.push_back("the tensor " + quote(tensor.name) + " is not used");
    }
  }

  // Returns the format of F32, F16, BF16 and F64; nullopt for other types.
  static std::optional<WeightFormat> format_of(const StoredTensor& tensor) {
    return tensor.type->dtype ? float_format(*tensor.type->dtype) : std::nullopt;
  }

  // Computes row(id) = rows[mapping[id]] * weights[id].
  void apply(const StoredTensor& rows, const StoredTensor* mapping, const StoredTensor* weights) {
    const size_t width = rows.shape[1];
    size_t vocab = rows.shape[0];
    for (const StoredTensor* of_tokens : {mapping, weights}) {
      if (of_tokens == nullptr) continue;
      if (of_tokens->shape.size() != 1 || (of_tokens != mapping && of_tokens->shape[0] != vocab)) {
        refuse_shape(*of_tokens, "[" + std::to_string(vocab) + "], a number for each token");
      }
      vocab = of_tokens->shape[0];
    }
    if (weights != nullptr && !format_of(*weights)) refuse_type(*weights, "F32, F16, BF16 or F64");
    convert(vocab, width, [&](size_t id, float* row) {
      copy_row(rows, mapping == nullptr ? id : mapped_row(*mapping, id, rows.shape[0]), row);
      if (weights == nullptr) return;
      const auto weight = static_cast<float>(element(weights->data.data(), *weights->type->dtype, id));
      for (size_t i = 0; i < width; ++i) row[i] *= weight;
    });
  }

  // Makes the table's rows as floats in memory; fill(id, row) writes one row.
  template <class Fill>
  void convert(size_t vocab, size_t width, const Fill& fill) {
    AlignedBuffer<std::byte>& memory = table_.storage.conversions.emplace_back(vocab * width * sizeof(float));
    auto* values = reinterpret_cast<float*>(memory.data());
    for (size_t id = 0; id < vocab; ++id) fill(id, values + id * width);
    table_.rows = {values, WeightFormat::kF32, vocab, width};
  }

  static void copy_row(const StoredTensor& rows, size_t index, float* row) {
    const size_t width = rows.shape[1];
    if (rows.type->dtype != DType::kI8) return read_row(rows.data.data(), *rows.type->dtype, index, width, row);
    const std::byte* source = rows.data.data() + index * width;
    for (size_t i = 0; i < width; ++i) row[i] = static_cast<float>(load_element<int8_t>(source, i));
  }

  size_t mapped_row(const StoredTensor& mapping, size_t id, size_t rows) const {
    int64_t row = -1;
    if (mapping.type->dtype == DType::kI64) {
      row = load_element<int64_t>(mapping.data.data(), id);
    } else if (mapping.type->dtype == DType::kI32) {
      row = load_element<int32_t>(mapping.data.data(), id);
    } else {
      refuse_type(mapping, "I64 or I32");
    }
    if (row < 0 || static_cast<size_t>(row) >= rows) {
      refuse(mapping, "row " + std::to_string(row) + " for token " + std::to_string(id) + ", expected 0 to " +
                          std::to_string(rows - 1));
    }
    return static_cast<size_t>(row);
  }

  [[noreturn]] void refuse(const StoredTensor& tensor, const std::string& what) const {
    checkpoint().refuse(tensor, ErrorCode::kInvalidFile, what);
  }
  [[noreturn]] void refuse_shape(const StoredTensor& tensor, const std::string& expected) const {
    refuse(tensor, "shape " + shape_text(tensor.shape) + ", expected " + expected);
  }
  [[noreturn]] void refuse_type(const StoredTensor& tensor, const std::string& expected) const {
    refuse(tensor, "type " + std::string(tensor.type->name) + ", expected " + expected);
  }

  const WeightReaderOptions& options_;
  StaticTable table_;
};

}  // namespace

StaticTable read_static_table(Checkpoint checkpoint, const WeightReaderOptions& options) {
  return StaticTableReader(std::move(checkpoint), options).read();
}

StaticTable read_token_weights(Checkpoint checkpoint, const WeightReaderOptions& options) {
  return StaticTableReader(std::move(checkpoint), options).read_weights();
}

ModelConfig static_config(const StaticTable& table) {
  ModelConfig config;
  config.model_type = "static";
  config.vocab_size = table.rows.rows;
  config.hidden_size = table.rows.cols;
  config.num_hidden_layers = 0;
  config.num_attention_heads = 1;
  config.intermediate_size = 0;
  config.max_position_embeddings = std::numeric_limits<int32_t>::max();
  config.type_vocab_size = 0;
  config.layer_norm_eps = 0;
  config.position_embedding_type = "none";
  config.labels.clear();
  return config;
}

}  // namespace bert
