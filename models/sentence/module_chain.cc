#include "models/sentence/module_chain.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/utf8_path.h"
#include "models/encoder/finite.h"
#include "models/sentence/module_state.h"

namespace bert {
namespace {

constexpr double kLayerNormEpsilon = 1e-5;  // torch.nn.LayerNorm's

// Copies the weights, so that the file of the encoder's weights is not kept open twice.
void copy_weight(WeightView& weight, WeightStorage& storage) {
  const size_t bytes = weight.rows * weight.cols * element_bytes(weight.format);
  AlignedBuffer<std::byte>& memory = storage.conversions.emplace_back(bytes);
  std::memcpy(memory.data(), weight.data, bytes);
  weight.data = memory.data();
}

}  // namespace

ModuleChain::ModuleChain(std::vector<SentenceModule> modules, size_t hidden_size,
                         const std::filesystem::path& directory, const WeightReaderOptions& options)
    : modules_(std::move(modules)),
      width_(text_width(modules_, hidden_size)),
      token_width_(bert::token_width(modules_, hidden_size)),
      hidden_size_(hidden_size) {
  for (const SentenceModule& module : modules_) {
    Weights& weights = weights_.emplace_back();
    const auto* dense = std::get_if<DenseModule>(&module.kind);
    const auto* norm = std::get_if<LayerNormModule>(&module.kind);
    if (dense == nullptr && norm == nullptr) continue;
    WeightNames names;
    names.anchor = dense != nullptr ? "linear.weight" : "norm.weight";
    constexpr std::string_view kNoPrefix[] = {""};
    names.prefixes = kNoPrefix;
    // Beside the encoder's weights, other tensors do not belong to this module.
    const bool is_beside_encoder = module.directory.empty();
    constexpr std::string_view kAll[] = {"*"};
    if (is_beside_encoder) names.ignorable = kAll;
    WeightReader reader(Checkpoint::open(directory / path_of(module.directory), !is_beside_encoder), names, options);
    const auto vector = [&](const char* name, size_t size, WeightRole role) {
      return reader.vector(name, size, role).data();
    };
    if (dense != nullptr) {
      constexpr WeightRole kRole = WeightRole::kProjection;
      weights.product = {reader.matrix("linear.weight", dense->out, dense->in, kRole),
                         dense->bias ? vector("linear.bias", dense->out, kRole) : nullptr};
      if (dense->residual && dense->in != dense->out) {
        weights.residual = {reader.matrix("residual.weight", dense->out, dense->in, kRole), nullptr};
      }
      widest_product_ = std::max(widest_product_, dense->in);
    } else {
      weights.norm = {vector("norm.weight", norm->width, WeightRole::kNorm),
                      vector("norm.bias", norm->width, WeightRole::kNorm), kLayerNormEpsilon};
    }
    storages_.push_back(reader.finish());
    if (is_beside_encoder && weights.product) copy_weight(weights.product->weight, storages_.back());
  }
}

size_t ModuleChain::width(const std::optional<PoolingMode>& pooling) const {
  return pooling ? text_width(modules_, hidden_size_, pooling) : width_;
}

bool ModuleChain::reads_tokens() const {
  return modules_.empty() || !std::holds_alternative<StaticModule>(modules_.front().kind);
}

std::vector<std::string> ModuleChain::notices() const {
  std::vector<std::string> all;
  for (const WeightStorage& storage : storages_) all.insert(all.end(), storage.notices.begin(), storage.notices.end());
  return all;
}

Matrix ModuleChain::forward(ForwardPass& pass, const std::optional<PoolingMode>& pooling) const {
  State state(pass, pooling, widest_product_);
  for (size_t i = 0; i < modules_.size(); ++i) state.apply(modules_[i], weights_[i]);
  Matrix vectors = std::move(state).take();
  check_pooled_finite(pass.batch(), vectors.view());
  return vectors;
}

Matrix ModuleChain::forward(ForwardPass& pass, const std::optional<PoolingMode>& pooling,
                            std::span<const RowRange> rows) const {
  State state(pass, pooling, widest_product_, rows);
  for (size_t i = 0; i < modules_.size(); ++i) state.apply(modules_[i], weights_[i]);
  Matrix vectors = std::move(state).take();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (all_finite({vectors.view().row(i), vectors.cols()})) continue;
    const auto after = std::upper_bound(pass.batch().row_starts.begin(), pass.batch().row_starts.end(), rows[i].first);
    refuse_not_finite(pass.batch(), static_cast<size_t>(after - pass.batch().row_starts.begin()) - 1,
                      "the pooled output of a chunk");
  }
  return vectors;
}

Matrix ModuleChain::forward_tokens(ForwardPass& pass) const {
  State state(pass, std::nullopt, widest_product_);
  for (size_t i = 0; i < modules_.size(); ++i) state.apply(modules_[i], weights_[i]);
  return std::move(state).take_tokens();
}

std::vector<std::string> ModuleChain::descriptions() const {
  std::vector<std::string> words;
  for (const SentenceModule& module : modules_) words.push_back(describe_module(module));
  return words;
}

ModuleChain load_modules(SentenceSettings& settings, size_t hidden_size, const std::filesystem::path& directory,
                         const WeightReaderOptions& options) {
  try {
    return {settings.modules, hidden_size, directory, options};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::kInvalidFile || error.code() == ErrorCode::kNonFinite) throw;
    refuse_pooling(settings, error);
    return {settings.modules, hidden_size, directory, options};
  }
}

}  // namespace bert
