#include "engine/checkpoint/weight_reader.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/base/pages.h"
#include "engine/base/quote.h"
#include "engine/checkpoint/elements.h"

namespace bert {
namespace {

constexpr size_t kNamesInErrors = 5;
constexpr size_t kMaxPrefetchBytes = size_t{8} << 30;

bool is_aligned(const void* data, size_t alignment) { return reinterpret_cast<uintptr_t>(data) % alignment == 0; }

bool is_int8(const StoredTensor& tensor) { return tensor.type->dtype == DType::kI8; }

bool is_float(const StoredTensor& tensor) { return tensor.type->dtype && float_format(*tensor.type->dtype); }

// Returns whether a pattern matches: "cls.*" all names that begin with "cls.", "*.x" all names that end with ".x".
template <class Patterns>
bool is_any(std::string_view name, const Patterns& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](std::string_view pattern) {
    if (pattern.starts_with('*')) return name.ends_with(pattern.substr(1));
    if (!pattern.ends_with('*')) return name == pattern;
    pattern.remove_suffix(1);
    return name.starts_with(pattern);
  });
}

template <class Names>
std::string list(const Names& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamesInErrors); ++i) text += (i > 0 ? ", " : "") + quote(names[i]);
  return text + (names.size() > kNamesInErrors ? ", …" : "");
}

}  // namespace

WeightReader::WeightReader(Checkpoint checkpoint, const WeightNames& names, const WeightReaderOptions& options)
    : storage_{.checkpoint = std::move(checkpoint)}, names_(names), options_(options) {
  storage_.notices = storage_.checkpoint.notices();
  storage_.roles.resize(storage_.checkpoint.tensors().size());
  for (const StoredTensor& tensor : storage_.checkpoint.tensors()) storage_.used_bytes.push_back(tensor.data.size());
  find_prefix();
  const auto tensors = storage_.checkpoint.tensors();
  by_name_.reserve(tensors.size());
  for (size_t i = 0; i < tensors.size() && !is_of_adapter(i); ++i) {
    std::string name = unwrapped(tensors[i].name);
    if (name.starts_with(prefix_)) name.erase(0, prefix_.size());
    by_name_.push_back({std::move(name), i});
  }
  std::sort(by_name_.begin(), by_name_.end());
  if (options_.adapter_files) put_adapter_tensors();
}

// Returns the name without the wrappers of training tools, and with new endings.
std::string WeightReader::unwrapped(std::string_view name) const {
  bool is_wrapped = true;
  while (is_wrapped) {  // wrappers can be nested
    is_wrapped = false;
    for (const std::string_view wrapper : names_.wrappers) {
      if (wrapper.empty() || !name.starts_with(wrapper)) continue;
      name.remove_prefix(wrapper.size());
      is_wrapped = true;
    }
  }
  for (const auto& [old_ending, new_ending] : names_.endings) {
    if (name.ends_with(old_ending))
      return std::string(name.substr(0, name.size() - old_ending.size())) + std::string(new_ending);
  }
  return std::string(name);
}

void WeightReader::find_prefix() {
  const StoredTensor* found = nullptr;
  for (const StoredTensor& tensor : storage_.checkpoint.tensors()) {
    const std::string name = unwrapped(tensor.name);
    if (!name.ends_with(names_.anchor)) continue;
    const std::string_view prefix = std::string_view(name).substr(0, name.size() - names_.anchor.size());
    if (std::find(names_.prefixes.begin(), names_.prefixes.end(), prefix) == names_.prefixes.end()) continue;
    if (found != nullptr) {
      refuse(tensor, ErrorCode::kInvalidFile,
             "there is " + quote(found->name) + " too, expected one encoder in the file");
    }
    found = &tensor;
    prefix_ = prefix;
  }
  if (found != nullptr) return;
  std::vector<std::string> there;
  for (const StoredTensor& tensor : storage_.checkpoint.tensors()) {
    there.emplace_back(tensor.name);
    if (there.size() > kNamesInErrors) break;
  }
  throw Error(ErrorCode::kNotFound,
              "tensor " + quote(names_.anchor) + " in " + quote_path(storage_.checkpoint.source()) +
                  ": not there under any known prefix; the file has " +
                  std::to_string(storage_.checkpoint.tensors().size()) + " tensors" +
                  (there.empty() ? "" : ": " + list(there)) +
                  "; expected the encoder's own names, or one of the prefixes " + list(names_.prefixes));
}

std::pair<size_t, size_t> WeightReader::range_of(std::string_view name) const {
  const auto begin = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                      [](const Name& entry, std::string_view sought) { return entry.name < sought; });
  auto end = begin;
  while (end != by_name_.end() && end->name == name) ++end;
  return {static_cast<size_t>(begin - by_name_.begin()), static_cast<size_t>(end - by_name_.begin())};
}

bool WeightReader::has(std::string_view name) const {
  const auto [begin, end] = range_of(name);
  return begin < end;
}

std::optional<size_t> WeightReader::rows(std::string_view name) const {
  const auto [begin, end] = range_of(name);
  if (begin == end) return std::nullopt;
  const StoredTensor& tensor = storage_.checkpoint.tensors()[by_name_[begin].tensor];
  return tensor.shape.empty() ? std::nullopt : std::optional<size_t>(tensor.shape[0]);
}

void WeightReader::refuse_missing(const std::string& names, std::span<const size_t> shape) const {
  throw Error(ErrorCode::kNotFound, "tensor " + names + " in " + quote_path(storage_.checkpoint.source()) +
                                        ": not there, expected one of shape " + shape_text(shape));
}

const StoredTensor& WeightReader::take(std::string_view name, std::span<const size_t> shape, WeightRole role,
                                       bool is_matrix) {
  const auto [begin, end] = range_of(name);
  const auto tensors = storage_.checkpoint.tensors();
  if (begin == end) {  // heads are outside of the encoder, so their names have no prefix
    refuse_missing(quote((role == WeightRole::kHead ? "" : prefix_) + std::string(name)), shape);
  }
  const StoredTensor& tensor = tensors[by_name_[begin].tensor];
  if (end - begin > 1) {
    refuse(tensor, ErrorCode::kInvalidFile,
           "there is " + quote(tensors[by_name_[begin + 1].tensor].name) +
               " too, which means the same; expected one of the two");
  }
  if (!std::equal(tensor.shape.begin(), tensor.shape.end(), shape.begin(), shape.end())) {
    refuse(tensor, ErrorCode::kInvalidFile, "shape " + shape_text(tensor.shape) + ", expected " + shape_text(shape));
  }
  const bool is_int8_matrix = is_matrix && options_.int8 && is_int8(tensor);
  if (!is_float(tensor) && !is_int8_matrix) {
    refuse(tensor, ErrorCode::kUnsupported,
           "type " + std::string(tensor.type->name) + ", expected F32, F16, BF16 or F64" +
               (is_int8(tensor) && !options_.int8 ? ": config.json has no quantization_config" : ""));
  }
  if (options_.check_finite) storage_.checkpoint.check_numbers(tensor);
  WeightRole& first_role = storage_.roles[by_name_[begin].tensor];
  if (first_role == WeightRole::kUnused) first_role = role;
  return tensor;
}

AlignedBuffer<std::byte>& WeightReader::allocate(size_t size_bytes) {
  return storage_.conversions.emplace_back(size_bytes);
}

float WeightReader::float_at(const StoredTensor& tensor, size_t index) const {
  const double value = element(tensor.data.data(), *tensor.type->dtype, index);
  const auto number = static_cast<float>(value);
  if (std::isinf(number) && std::isfinite(value)) storage_.checkpoint.check_numbers(tensor);
  return number;
}

// Returns the tensor's elements as `wanted`: its own type or F32.
const void* WeightReader::numbers(const StoredTensor& tensor, DType wanted) {
  if (tensor.type->dtype == wanted) {
    if (is_aligned(tensor.data.data(), bert::size_bytes(wanted))) return tensor.data.data();
    AlignedBuffer<std::byte>& copy = allocate(tensor.data.size());
    std::memcpy(copy.data(), tensor.data.data(), tensor.data.size());
    return copy.data();
  }
  const size_t elements = tensor.elements();
  auto* floats = reinterpret_cast<float*>(allocate(elements * sizeof(float)).data());
  for (size_t i = 0; i < elements; ++i) floats[i] = float_at(tensor, i);
  return floats;
}

WeightView WeightReader::matrix(std::string_view name, size_t rows, size_t cols, WeightRole role) {
  const size_t shape[] = {rows, cols};
  const StoredTensor& tensor = take(name, shape, role, true);
  const bool is_quantized = is_int8(tensor) || (options_.quantize && role == WeightRole::kProjection);
  if (is_adapted(name, role)) {
    const float* weights = adapted(name, tensor, role, is_quantized ? sources_ : storage_.conversions);
    if (!is_quantized) return {.data = weights, .rows = rows, .cols = cols, .arithmetic = arithmetic_of(role)};
    const auto* source = reinterpret_cast<const std::byte*>(weights);
    return int8_matrix(name, tensor, {source, DType::kF32, rows, cols, nullptr, nullptr, nullptr});
  }
  return stored_matrix(name, tensor, role);
}

WeightView WeightReader::stored_matrix(std::string_view name, const StoredTensor& tensor, WeightRole role) {
  const size_t rows = tensor.shape[0], cols = tensor.shape[1];
  if (is_int8(tensor) && role == WeightRole::kTable) return int8_table(name, tensor, rows, cols);
  if (is_int8(tensor) || (options_.quantize && role == WeightRole::kProjection)) {
    return int8_matrix(name, tensor, {tensor.data.data(), *tensor.type->dtype, rows, cols, nullptr, nullptr, nullptr});
  }
  const DType stored = *tensor.type->dtype;  // take() rejects other types
  const DType used = stored == DType::kF64 ? DType::kF32 : stored;
  return {.data = numbers(tensor, used),
          .format = *float_format(stored),
          .rows = rows,
          .cols = cols,
          .arithmetic = arithmetic_of(role)};
}

size_t WeightReader::index_of(const StoredTensor& tensor) const {
  return static_cast<size_t>(&tensor - storage_.checkpoint.tensors().data());
}

// Returns a view of 8-bit weights, which do_int8_work() completes.
WeightView WeightReader::int8_matrix(std::string_view name, const StoredTensor& tensor, Int8Work work) {
  const size_t rows = work.rows, cols = work.cols;
  if (cols > kMaxInt8Inputs) {
    refuse(tensor, ErrorCode::kUnsupported,
           std::to_string(cols) + " inputs of 8-bit weights, expected at most " + std::to_string(kMaxInt8Inputs) +
               ": their sums are 32-bit integers");
  }
  WeightView view{.data = tensor.data.data(), .format = *options_.int8, .rows = rows, .cols = cols};
  work.sums = reinterpret_cast<int32_t*>(allocate(rows * sizeof(int32_t)).data());
  if (is_int8(tensor)) {
    view.scales = floats(std::string(name) + "_scale", rows, 1, WeightRole::kProjection).data();
  } else {
    work.weights = reinterpret_cast<int8_t*>(allocate(rows * cols).data());
    work.scales = reinterpret_cast<float*>(allocate(rows * sizeof(float)).data());
    view.data = work.weights;
    view.scales = work.scales;
    const size_t index = index_of(tensor);
    storage_.used_bytes[index] = rows * (cols + sizeof(float));
    storage_.quantized.push_back({index, work.weights, work.scales});
  }
  view.sums = work.sums;
  int8_work_.push_back(work);
  int8_tensors_.push_back(&tensor);
  return view;
}

WeightView WeightReader::int8_table(std::string_view name, const StoredTensor& tensor, size_t rows, size_t cols) {
  const std::span<const float> scales = floats(std::string(name) + "_scale", rows, 1, WeightRole::kTable);
  return {.data = tensor.data.data(), .format = *options_.int8, .rows = rows, .cols = cols, .scales = scales.data()};
}

WeightView WeightReader::product_weights(const WeightView& table) {
  if (table.scales == nullptr) return table;
  auto* sums = reinterpret_cast<int32_t*>(allocate(table.rows * sizeof(int32_t)).data());
  int8_work_.push_back(
      {static_cast<const std::byte*>(table.data), DType::kI8, table.rows, table.cols, nullptr, nullptr, sums});
  int8_tensors_.push_back(nullptr);
  WeightView weights = table;
  weights.sums = sums;
  return weights;
}

void WeightReader::do_int8_work() {
  const std::optional<size_t> refused = run_int8_work(int8_work_, options_.threads);
  if (!refused) return;
  storage_.checkpoint.check_numbers(*int8_tensors_[*refused]);
  refuse(*int8_tensors_[*refused], ErrorCode::kNonFinite,
         "the adapter changes a number to a NaN or an infinity, expected finite numbers");
}

std::span<const float> WeightReader::vector(std::string_view name, size_t size, WeightRole role, float added) {
  const StoredTensor& tensor = take(name, {&size, 1}, role);
  const auto* stored = static_cast<const float*>(numbers(tensor, DType::kF32));
  if (added == 0) return {stored, size};
  auto* sums = reinterpret_cast<float*>(allocate(size * sizeof(float)).data());
  for (size_t i = 0; i < size; ++i) sums[i] = stored[i] + added;
  return {sums, size};
}

float WeightReader::scalar(std::string_view name, WeightRole role) {
  return *static_cast<const float*>(numbers(take(name, {}, role), DType::kF32));
}

std::span<const float> WeightReader::floats(std::string_view name, size_t rows, size_t cols, WeightRole role) {
  const size_t shape[] = {rows, cols};
  const StoredTensor& tensor = take(name, shape, role);
  if (is_adapted(name, role)) return {adapted(name, tensor, role, storage_.conversions), rows * cols};
  return {static_cast<const float*>(numbers(tensor, DType::kF32)), rows * cols};
}

std::span<const float> WeightReader::keep(std::span<const float> numbers) {
  auto* kept = reinterpret_cast<float*>(allocate(numbers.size_bytes()).data());
  std::copy(numbers.begin(), numbers.end(), kept);
  return {kept, numbers.size()};
}

WeightView WeightReader::convolution(std::string_view name, size_t out, size_t in, size_t width) {
  const size_t shape[] = {out, in, width};
  const StoredTensor& tensor = take(name, shape, WeightRole::kConvolution);
  auto* to = reinterpret_cast<float*>(allocate(out * in * width * sizeof(float)).data());
  for (size_t i = 0; i < tensor.elements(); ++i) {
    const size_t row = i / (in * width), column = i / width % in, place = i % width;
    to[(row * width + place) * in + column] = float_at(tensor, i);
  }
  storage_.used_bytes[index_of(tensor)] = out * in * width * sizeof(float);
  return {.data = to, .format = WeightFormat::kF32, .rows = out, .cols = width * in};
}

// All tensors of an adapter must be used, except for layers that are left out.
bool WeightReader::is_ignorable(const Name& entry) const {
  const bool is_of_adapter_file = is_of_adapter(entry.tensor);
  return (!is_of_adapter_file && (is_any(entry.name, names_.ignorable) || is_any(entry.name, names_.reported))) ||
         is_any(entry.name, ignored_);
}

void WeightReader::report_other_parts() {
  size_t count = 0, bytes = 0;
  std::string first;
  for (const Name& entry : by_name_) {
    if (storage_.roles[entry.tensor] != WeightRole::kUnused || !is_any(entry.name, names_.reported)) continue;
    const StoredTensor& tensor = storage_.checkpoint.tensors()[entry.tensor];
    if (count == 0) first = tensor.name;
    ++count;
    bytes += tensor.data.size();
  }
  if (count == 0) return;
  storage_.notices.push_back(quote_path(storage_.checkpoint.source()) + ": " + std::to_string(count) +
                             " tensors of other parts than the encoder are not used, " + std::to_string(bytes) +
                             " bytes; the first: " + quote(first));
}

WeightStorage WeightReader::finish() {
  std::vector<std::string> unexpected;
  std::string file = storage_.checkpoint.source();
  for (const Name& entry : by_name_) {
    if (storage_.roles[entry.tensor] != WeightRole::kUnused || is_ignorable(entry)) continue;
    const StoredTensor& tensor = storage_.checkpoint.tensors()[entry.tensor];
    if (is_of_adapter(entry.tensor)) file = storage_.checkpoint.files()[tensor.file];
    unexpected.emplace_back(tensor.name);
  }
  if (!unexpected.empty()) {
    const std::string message =
        quote_path(file) + ": " + std::to_string(unexpected.size()) + " unknown tensors: " + list(unexpected);
    if (!options_.ignore_unexpected) throw Error(ErrorCode::kInvalidFile, message + ", expected none");
    storage_.notices.push_back(message + ", not used");
  }
  report_other_parts();
  storage_.names.resize(storage_.roles.size());
  for (Name& entry : by_name_) storage_.names[entry.tensor] = std::move(entry.name);
  by_name_.clear();
  prefetch_used();
  adapting_.reset();
  do_int8_work();
  add_adapter_notice();
  return std::move(storage_);
}

// Called only after all shapes are checked, because a sparse file could claim terabytes.
void WeightReader::prefetch_used() const {
  size_t left = kMaxPrefetchBytes;
  const auto tensors = storage_.checkpoint.tensors();
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (storage_.roles[i] == WeightRole::kUnused || tensors[i].data.size() > left) continue;
    prefetch(tensors[i].data);
    left -= tensors[i].data.size();
  }
}

}  // namespace bert
