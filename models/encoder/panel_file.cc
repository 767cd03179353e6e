#include "models/encoder/panel_file.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>

#include "bert/error.h"
#include "engine/base/descriptor.h"
#include "engine/base/hash/xxh64.h"
#include "engine/base/quote.h"
#include "engine/checkpoint/safetensors_writer.h"
#include "models/config/quantization.h"

namespace bert {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "panels.";
constexpr size_t kSampledBytes = 4096;  // at the beginning, in the middle and at the end of a weight

std::vector<const WeightView*> weights_of(const EncoderPlan& plan) {
  std::vector<const WeightView*> weights;
  for_each_layer_product(plan, [&](const Linear& linear) {
    for (const LinearPart& part : linear.parts) weights.push_back(&part.weight);
  });
  return weights;
}

std::span<const std::byte> bytes_of(const WeightView& weight) {
  return {static_cast<const std::byte*>(weight.data), weight.rows * weight.cols * element_bytes(weight.format)};
}

// "12.<checksum>": of the shape and of three parts of the numbers, so that a load reads few pages of the weights.
std::string tensor_name(size_t number, const WeightView& weight) {
  const std::span<const std::byte> bytes = bytes_of(weight);
  const size_t size = std::min(kSampledBytes, bytes.size());
  const uint64_t parts[] = {weight.rows, weight.cols, xxh64(bytes.first(size)),
                            xxh64(bytes.subspan((bytes.size() - size) / 2, size)), xxh64(bytes.last(size))};
  return std::to_string(number) + "." + hexadecimal(xxh64(std::as_bytes(std::span(parts))));
}

std::vector<float> panels_of(const WeightView& weight, const Gemm& gemm, ThreadPool& pool) {
  std::vector<float> panels(gemm.packed_floats(weight));
  gemm.pack(weight, pool, panels.data());
  return panels;
}

}  // namespace

std::string panel_file_name(const EncoderPlan& plan, const Gemm& gemm) {
  const std::vector<const WeightView*> weights = weights_of(plan);
  if (weights.empty()) return "";
  const WeightFormat format = weights.front()->format;
  const std::string order = gemm.panels_name(format);
  return order.empty() ? "" : kPrefix + std::string(precision_name(format)) + "-" + order;
}

void write_panels(const fs::path& path, const EncoderPlan& plan, const Gemm& gemm, ThreadPool& pool) {
  const std::vector<const WeightView*> weights = weights_of(plan);
  std::vector<std::vector<float>> panels;
  std::vector<TensorToWrite> tensors;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i]->format != weights.front()->format) continue;  // their panels have an order of their own
    const std::vector<float>& made = panels.emplace_back(panels_of(*weights[i], gemm, pool));
    const std::span<const std::byte> bytes = std::as_bytes(std::span(made));
    tensors.push_back({tensor_name(i, *weights[i]), "U8", {bytes.size()}, bytes});
  }
  write_safetensors(path, std::move(tensors));
}

std::optional<PanelFile> PanelFile::open(const Checkpoint& checkpoint, const EncoderPlan& plan, const Gemm& gemm,
                                         std::vector<std::string>& notices) {
  const std::string name = panel_file_name(plan, gemm);
  const std::vector<const WeightView*> weights = weights_of(plan);
  const auto is_mapped = [&](const WeightView* weight) { return !checkpoint.mapped(bytes_of(*weight)).empty(); };
  const auto mapped = static_cast<size_t>(std::count_if(weights.begin(), weights.end(), is_mapped));
  if (name.empty() || mapped == 0) return std::nullopt;
  const fs::path folder = fs::path(checkpoint.files().front()).parent_path();
  std::optional<RegularFile> opened = RegularFile::open_if_there(folder / name);
  if (!opened) {
    if (const std::optional<std::string> other = first_name(folder, kPrefix)) {
      notices.push_back("the weights are read as they are stored: " + quote_path(folder.string()) + " has " + *other +
                        ", expected " + name + " for this precision and this CPU (see pack)");
    }
    return std::nullopt;
  }
  PanelFile file(std::move(*opened));
  const std::string quoted = quote_path(file.path_);
  const Safetensors tensors = parse_safetensors(file.file_.bytes(), file.path_);
  std::unordered_map<std::string_view, const StoredTensor*> by_name;
  for (const StoredTensor& tensor : tensors.tensors) by_name.emplace(tensor.name, &tensor);
  size_t missing = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    const float*& panels = file.panels_.emplace_back(nullptr);
    if (!is_mapped(weights[i])) continue;
    const auto found = by_name.find(tensor_name(i, *weights[i]));
    if (found != by_name.end() && found->second->data.size() == gemm.packed_floats(*weights[i]) * sizeof(float) &&
        reinterpret_cast<uintptr_t>(found->second->data.data()) % alignof(float) == 0) {
      panels = reinterpret_cast<const float*>(found->second->data.data());
    } else if (weights[i]->format == weights.front()->format) {
      ++missing;
    }
  }
  if (missing == mapped) {
    notices.push_back("the weights are read as they are stored: " + quoted + " is of other weights (see pack)");
    return std::nullopt;
  }
  if (missing > 0) {
    notices.push_back(quoted + " has no panels of " + std::to_string(missing) + " of " + std::to_string(mapped) +
                      " weights (see pack)");
  }
  return file;
}

void PanelFile::check(const EncoderPlan& plan, const Gemm& gemm, ThreadPool& pool) const {
  const std::vector<const WeightView*> weights = weights_of(plan);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (panels_[i] == nullptr) continue;
    const std::vector<float> expected = panels_of(*weights[i], gemm, pool);
    if (std::memcmp(panels_[i], expected.data(), expected.size() * sizeof(float)) != 0) {
      throw Error(ErrorCode::kInvalidFile, quote_path(path_) + ": the panels of weight " + std::to_string(i) +
                                               " are not those of the model's weights (see pack)");
    }
  }
}

}  // namespace bert
