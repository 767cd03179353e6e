// The part of WeightReader that reads weights with a low-rank change (LoRA): a task's change in the same file as the
// weight, or the change in an adapter's own file.
#include <algorithm>

#include "engine/base/quote.h"
#include "engine/checkpoint/elements.h"
#include "engine/checkpoint/weight_reader.h"

namespace bert {
namespace {

constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kBaseLayer = ".base_layer.", kSaved = ".modules_to_save.", kOriginal = ".original_module.";
constexpr const char* kReplaced = " of the base model";  // follows the name of a tensor that an adapter replaces
constexpr std::string_view kParts[] = {".lora_A.weight", ".lora_B.weight", ".lora_embedding_A", ".lora_embedding_B"};

// Returns the name without the modules that peft wraps around those of the base model.
std::string without_wrapper(std::string_view name) {
  constexpr std::string_view kWrapper = "base_model.model.";
  if (name.starts_with(kWrapper)) name.remove_prefix(kWrapper.size());
  std::string result(name);
  for (const std::string_view inner : {kBaseLayer, kSaved, kOriginal}) {
    if (const size_t at = result.find(inner); at != result.npos) result.erase(at, inner.size() - 1);
  }
  return result;
}

// Returns "x" for "x.lora_A.weight"; empty for another tensor.
std::string_view changed_module(std::string_view name) {
  for (const std::string_view part : kParts) {
    if (name.ends_with(part)) return name.substr(0, name.size() - part.size());
  }
  return {};
}

}  // namespace

bool WeightReader::is_of_adapter(size_t tensor) const {
  return options_.adapter_files && storage_.checkpoint.tensors()[tensor].file >= options_.adapter_files->first_file;
}

// The adapter may have been made for a model with a head, whose encoder has a prefix, while the file has none, or the
// other way round.
std::string WeightReader::adapter_name(std::string_view name) const {
  const std::string full = unwrapped(without_wrapper(name));
  const auto changes_a_tensor = [&](const std::string& own) {
    const std::string_view module = changed_module(own);
    return has(module.empty() ? own : std::string(module) + std::string(kWeight));
  };
  std::string shortest = full;
  if (changes_a_tensor(full)) return full;
  for (const std::string_view prefix : names_.prefixes) {
    if (!full.starts_with(prefix)) continue;
    std::string rest = full.substr(prefix.size());
    if (changes_a_tensor(rest)) return rest;
    if (rest.size() < shortest.size()) shortest = std::move(rest);
  }
  return shortest;
}

void WeightReader::put_adapter_tensors() {
  std::vector<Name> added, replaced;
  const auto tensors = storage_.checkpoint.tensors();
  for (size_t i = 0; i < storage_.roles.size(); ++i) {
    if (is_of_adapter(i)) added.push_back({adapter_name(tensors[i].name), i});
  }
  // peft saves the bias of a module that is saved whole up to three times, under different names.
  std::sort(added.begin(), added.end());
  const auto is_copy = [&](const Name& entry) {
    const StoredTensor& tensor = tensors[entry.tensor];
    const bool is_original = tensor.name.find(kOriginal) != tensor.name.npos;
    const auto [begin, end] = std::equal_range(added.begin(), added.end(), entry,
                                               [](const Name& a, const Name& b) { return a.name < b.name; });
    return std::any_of(begin, end, [&](const Name& other) {
      const StoredTensor& saved = tensors[other.tensor];
      if (saved.name.find(kSaved) == saved.name.npos || other.tensor == entry.tensor) return false;
      return is_original ||
             (std::equal(tensor.shape.begin(), tensor.shape.end(), saved.shape.begin(), saved.shape.end()) &&
              std::equal(tensor.data.begin(), tensor.data.end(), saved.data.begin(), saved.data.end()));
    });
  };
  std::vector<Name> kept;
  for (const Name& entry : added) {
    if (is_copy(entry)) {
      replaced.push_back({entry.name + kReplaced, entry.tensor});
      continue;
    }
    kept.push_back(entry);
    const auto [begin, end] = range_of(entry.name);
    // A base layer is the model's own tensor, also for the modules that are tied to it.
    const bool is_base = tensors[entry.tensor].name.find(kBaseLayer) != std::string_view::npos;
    for (size_t i = begin; i < end && !is_base; ++i) replaced.push_back({entry.name + kReplaced, by_name_[i].tensor});
    by_name_.erase(by_name_.begin() + static_cast<ptrdiff_t>(begin), by_name_.begin() + static_cast<ptrdiff_t>(end));
  }
  by_name_.insert(by_name_.end(), replaced.begin(), replaced.end());
  ignore(std::string("*") + kReplaced);
  by_name_.insert(by_name_.end(), kept.begin(), kept.end());
  std::sort(by_name_.begin(), by_name_.end());
}

bool WeightReader::is_adapted(std::string_view name, WeightRole role) const {
  if (options_.adapter && (role == WeightRole::kTable || role == WeightRole::kProjection)) return true;
  if (!options_.adapter_files || !name.ends_with(kWeight)) return false;
  const std::string module(name.substr(0, name.size() - kWeight.size()));
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return has(module + std::string(part)); });
}

// Returns the floats of a matrix with the adapter's change. They are computed at once, because a head may copy rows of
// them.
const float* WeightReader::adapted(std::string_view name, const StoredTensor& tensor, WeightRole role,
                                   Buffers& memory) {
  if (tensor.type->dtype == DType::kI8) {
    refuse(tensor, ErrorCode::kUnsupported, "8-bit weights with an adapter (LoRA), expected F32, F16, BF16 or F64");
  }
  const size_t rows = tensor.shape[0], cols = tensor.shape[1];
  const size_t bytes = rows * cols * sizeof(float);
  LowRankWork work{.source = tensor.data.data(),
                   .dtype = *tensor.type->dtype,
                   .rows = rows,
                   .cols = cols,
                   .left = {},
                   .right = {},
                   .scale = 1,
                   .changed = nullptr};
  const std::string_view base = name.substr(0, name.rfind('.'));
  if (options_.adapter) {
    read_task_change(base, work, role);
  } else {
    read_file_change(base, work, role);
  }
  work.changed = reinterpret_cast<float*>(memory.emplace_back(bytes).data());
  storage_.used_bytes[index_of(tensor)] = bytes;
  storage_.adapted.push_back(index_of(tensor));
  if (!adapting_) adapting_ = std::make_unique<ThreadPool>(options_.threads, ThreadPool::Missing::kIsAccepted);
  run_low_rank_work(work, *adapting_);
  return work.changed;
}

bool WeightReader::is_changed(std::string_view module) const {
  const std::string name = std::string(module) + std::string(kWeight);
  const auto [begin, end] = range_of(name);
  return options_.adapter_files &&
         (is_adapted(name, WeightRole::kTable) || (begin < end && is_of_adapter(by_name_[begin].tensor)));
}

WeightView WeightReader::tied(std::string_view name, std::string_view table, const WeightView& weights) {
  const bool is_own = is_changed(name), is_tables = is_changed(table);
  if (!is_own && !is_tables) return weights;
  const auto tell = [&](std::string_view changed, std::string_view other) {
    notice(quote(other) + " has the tensor of " + quote(changed) +
           " in the base model, and not the adapter's (LoRA) change of that, as in peft's forward; peft's merge can "
           "change both");
  };
  if (is_tables) tell(table, name);
  if (is_own) tell(name, table);
  const std::string own_weight = std::string(name) + std::string(kWeight);
  if (has(own_weight)) return matrix(own_weight, weights.rows, weights.cols, WeightRole::kTable);
  std::string base_weight = std::string(table) + std::string(kWeight);
  if (has(base_weight + kReplaced)) base_weight += kReplaced;
  const size_t shape[] = {weights.rows, weights.cols};
  const StoredTensor& tensor = take(base_weight, shape, WeightRole::kTable, true);
  if (!is_own) return stored_matrix(base_weight, tensor, WeightRole::kTable);
  const float* sums = adapted(own_weight, tensor, WeightRole::kTable, storage_.conversions);
  return {.data = sums, .format = WeightFormat::kF32, .rows = weights.rows, .cols = weights.cols};
}

void WeightReader::read_task_change(std::string_view base, LowRankWork& work, WeightRole role) {
  const size_t rank = options_.adapter->rank;
  const std::string parts = std::string(base) + ".parametrizations.weight.0.lora_";
  const bool is_table = role == WeightRole::kTable;  // a table's parts are transposed: weight + A · B
  work.left = adapter_part(parts + (is_table ? "A" : "B"), work.rows, rank, role);
  work.right = adapter_part(parts + (is_table ? "B" : "A"), rank, work.cols, role);
  work.scale = options_.adapter->scale;
}

// Returns one adapter's matrix [rows, cols] from the tensor of all adapters.
std::vector<double> WeightReader::adapter_part(const std::string& name, size_t rows, size_t cols, WeightRole role) {
  const size_t shape[] = {options_.adapter->count, rows, cols};
  return change_part(take(name, shape, role), options_.adapter->index * rows * cols, rows, cols);
}

// A table's parts are those of the transposed weight: [rank, rows] and [cols, rank].
void WeightReader::read_file_change(std::string_view base, LowRankWork& work, WeightRole role) {
  const std::string module(base);
  const bool is_table = has(module + std::string(kParts[2])) || has(module + std::string(kParts[3]));
  const std::string a = module + std::string(kParts[is_table ? 2 : 0]);
  const std::string b = module + std::string(kParts[is_table ? 3 : 1]);
  const size_t a_cols = is_table ? work.rows : work.cols, b_rows = is_table ? work.cols : work.rows;
  const std::optional<size_t> rank = rows(a);
  if (!rank) refuse_missing(quote(a), std::vector<size_t>{1, a_cols});
  const size_t a_shape[] = {*rank, a_cols}, b_shape[] = {b_rows, *rank};
  const StoredTensor& first = take(a, a_shape, role);
  const StoredTensor& second = take(b, b_shape, role);
  const std::string own = without_wrapper(first.name);
  work.scale = options_.adapter_files->scale(changed_module(own), *rank);
  std::vector<double> of_a = change_part(first, 0, *rank, a_cols), of_b = change_part(second, 0, b_rows, *rank);
  const auto transposed = [](const std::vector<double>& from, size_t rows) {
    const size_t cols = from.size() / std::max<size_t>(rows, 1);
    std::vector<double> to(from.size());
    for (size_t row = 0; row < rows; ++row) {
      for (size_t col = 0; col < cols; ++col) to[col * rows + row] = from[row * cols + col];
    }
    return to;
  };
  if (is_table) {
    work.left = transposed(of_a, *rank);
    work.right = transposed(of_b, b_rows);
  } else {
    work.left = std::move(of_b);
    work.right = std::move(of_a);
  }
}

std::vector<double> WeightReader::change_part(const StoredTensor& tensor, size_t first, size_t rows, size_t cols) {
  storage_.used_bytes[index_of(tensor)] = 0;  // passes do not read the adapter's own tensor
  std::vector<double> numbers(rows * cols);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = element(tensor.data.data(), *tensor.type->dtype, first + i);
  }
  return numbers;
}

void WeightReader::add_adapter_notice() {
  if (!options_.adapter_files) return;
  size_t others = 0;
  for (size_t i = 0; i < storage_.roles.size(); ++i) {
    if (is_of_adapter(i) && changed_module(storage_.checkpoint.tensors()[i].name).empty()) ++others;
  }
  const std::string file = storage_.checkpoint.files()[options_.adapter_files->first_file];
  std::string text = quote_path(file) + ": the adapter (LoRA) is merged into " +
                     std::to_string(storage_.adapted.size()) + " weights, in " +
                     std::to_string(storage_.adapted_bytes()) + " bytes of memory";
  if (others > 0) text += ", and brings " + std::to_string(others) + " tensors of its own";
  storage_.notices.push_back(std::move(text));
}

}  // namespace bert
