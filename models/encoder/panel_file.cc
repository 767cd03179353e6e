#include "models/encoder/panel_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <unordered_map>
#include <utility>

#include "bert/error.h"
#include "engine/base/descriptor.h"
#include "engine/base/hash/block_digest.h"
#include "engine/base/hash/xxh64.h"
#include "engine/base/quote.h"
#include "engine/base/utf8_path.h"
#include "engine/checkpoint/safetensors_writer.h"
#include "models/config/quantization.h"

namespace bert {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPrefix = "panels.";
constexpr size_t kSampledBytes = 4096;  // bytes at the beginning, in the middle and at the end of a weight

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

// Returns "12.<checksum>": a checksum of the shape and of three parts of the numbers, so that loading reads few pages
// of the weights.
std::string sample_name(size_t number, const WeightView& weight) {
  const std::span<const std::byte> bytes = bytes_of(weight);
  const size_t size = std::min(kSampledBytes, bytes.size());
  const uint64_t parts[] = {weight.rows, weight.cols, xxh64(bytes.first(size)),
                            xxh64(bytes.subspan((bytes.size() - size) / 2, size)), xxh64(bytes.last(size))};
  return std::to_string(number) + "." + hexadecimal(xxh64(std::as_bytes(std::span(parts))));
}

// Returns "weights.<checksum>": a checksum of the properties that identify the files of the weights. Empty for weights
// in a program's file, to which nobody writes.
std::string files_name(const Checkpoint& checkpoint) {
  std::vector<uint64_t> numbers;
  for (const MappedFile& file : checkpoint.mapped_files()) {
    if (file.file().begin() > 0) return "";
    const FileStatus& opened = file.file().opened();
    numbers.insert(numbers.end(), {opened.bytes, static_cast<uint64_t>(opened.modified_ns), opened.inode});
  }
  return "weights." + hexadecimal(xxh64(std::as_bytes(std::span(numbers))));
}

// A tensor of panels, named "12.<checksum>.<digest of the numbers>.<digest of the panels>".
struct StoredPanels {
  std::span<const std::byte> panels;
  std::string_view digest_of_numbers;
  uint64_t digest_of_panels;
};

// Returns the panels by the first parts of their names; tensors with other names are left out.
std::unordered_map<std::string_view, StoredPanels> stored_panels(const Safetensors& file) {
  constexpr size_t kDigits = 16;
  std::unordered_map<std::string_view, StoredPanels> panels;
  for (const StoredTensor& tensor : file.tensors) {
    if (tensor.name.size() < 3 * (kDigits + 1)) continue;
    const std::string_view last = tensor.name.substr(tensor.name.size() - kDigits);
    uint64_t digest = 0;
    const auto [end, error] = std::from_chars(last.data(), last.data() + kDigits, digest, 16);
    if (error != std::errc() || end != last.data() + kDigits) continue;
    const std::string_view first = tensor.name.substr(0, tensor.name.size() - 2 * (kDigits + 1));
    panels.emplace(first, StoredPanels{tensor.data, tensor.name.substr(first.size() + 1, kDigits), digest});
  }
  return panels;
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
  const WeightView& first = *weights.front();
  const std::string order = gemm.panels_name(first.format, first.arithmetic);
  return order.empty() ? "" : kPrefix + std::string(precision_name(first)) + "-" + order;
}

void write_panels(const fs::path& path, const Checkpoint& checkpoint, const EncoderPlan& plan, const Gemm& gemm,
                  ThreadPool& pool) {
  const std::vector<const WeightView*> weights = weights_of(plan);
  std::vector<std::vector<float>> panels;
  std::vector<TensorToWrite> tensors;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i]->format != weights.front()->format) continue;  // their panels have another order
    const std::vector<float>& made = panels.emplace_back(panels_of(*weights[i], gemm, pool));
    const std::span<const std::byte> bytes = std::as_bytes(std::span(made));
    const std::string digests =
        hexadecimal(block_digest(bytes_of(*weights[i]), pool)) + "." + hexadecimal(block_digest(bytes, pool));
    tensors.push_back({sample_name(i, *weights[i]) + "." + digests, "U8", {bytes.size()}, bytes});
  }
  tensors.push_back({files_name(checkpoint), "U8", {0}, {}});
  write_safetensors(path, std::move(tensors));
}

std::optional<PanelFile> PanelFile::open(const Checkpoint& checkpoint, const EncoderPlan& plan, const Gemm& gemm,
                                         std::vector<std::string>& notices) {
  const std::string name = panel_file_name(plan, gemm);
  const std::vector<const WeightView*> weights = weights_of(plan);
  const auto is_mapped = [&](const WeightView* weight) { return !checkpoint.mapped(bytes_of(*weight)).empty(); };
  const auto mapped = static_cast<size_t>(std::count_if(weights.begin(), weights.end(), is_mapped));
  if (name.empty() || mapped == 0) return std::nullopt;
  const fs::path folder = path_of(checkpoint.files().front()).parent_path();
  std::optional<RegularFile> opened = RegularFile::open_if_there(folder / name);
  if (!opened) {
    if (const std::optional<std::string> other = first_name(folder, kPrefix, ".partial")) {
      notices.push_back("the weights are read as they are stored: " + quote_path(utf8(folder)) + " has " + *other +
                        ", expected " + name + " for this precision and this CPU (see pack)");
    }
    return std::nullopt;
  }
  PanelFile file(std::move(*opened));
  const std::string quoted = quote_path(file.path_);
  const Safetensors tensors = parse_safetensors(file.file_.bytes(), file.path_);
  const std::unordered_map<std::string_view, StoredPanels> stored = stored_panels(tensors);
  const std::string files = files_name(checkpoint);
  const bool is_of_these_files =
      files.empty() || std::any_of(tensors.tensors.begin(), tensors.tensors.end(),
                                   [&](const StoredTensor& tensor) { return tensor.name == files; });
  ThreadPool caller(1);
  const auto fits = [&](const StoredPanels& panels, const WeightView& weight) {
    return panels.panels.size() == gemm.packed_floats(weight) * sizeof(float) &&
           reinterpret_cast<uintptr_t>(panels.panels.data()) % alignof(float) == 0 &&
           (is_of_these_files || hexadecimal(block_digest(bytes_of(weight), caller)) == panels.digest_of_numbers);
  };
  size_t missing = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    file.panels_.push_back(nullptr);
    file.panel_bytes_.emplace_back();
    file.digests_.push_back(0);
    if (!is_mapped(weights[i])) continue;
    const auto found = stored.find(sample_name(i, *weights[i]));
    if (found != stored.end() && fits(found->second, *weights[i])) {
      file.panel_bytes_[i] = found->second.panels;
      file.digests_[i] = found->second.digest_of_panels;
      file.panels_[i] = reinterpret_cast<const float*>(found->second.panels.data());
    } else if (weights[i]->format == weights.front()->format) {
      ++missing;
    }
  }
  if (missing == mapped) {
    notices.push_back("the weights are read as they are stored: " + quoted + " was made from other weights (see pack)");
    return std::nullopt;
  }
  if (missing > 0) {
    notices.push_back(quoted + " has no panels of " + std::to_string(missing) + " of " + std::to_string(mapped) +
                      " weights (see pack)");
  }
  return file;
}

void PanelFile::check_digests(ThreadPool& pool) const {
  for (size_t i = 0; i < panels_.size(); ++i) {
    if (panels_[i] == nullptr || block_digest(panel_bytes_[i], pool) == digests_[i]) continue;
    throw Error(ErrorCode::kInvalidFile, quote_path(path_) + ": the panels of weight " + std::to_string(i) +
                                             " are damaged, expected those that were written (see pack)");
  }
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
