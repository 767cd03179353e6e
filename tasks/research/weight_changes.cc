// Compares the weights of two models of one family, tensor by tensor and row by row.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "bert/experiments.h"
#include "engine/base/natural_order.h"
#include "engine/checkpoint/elements.h"
#include "models/config/family.h"
#include "models/model/model_impl.h"

namespace bert {
namespace {

// Sums over a tensor's numbers and their differences from base's.
struct ChangeSums {
  double base = 0, tuned = 0, difference = 0;  // sums of squares
  double largest = 0;

  void add(double from, double to) {
    const double step = to - from;
    base += from * from;
    tuned += to * to;
    difference += step * step;
    largest = std::max(largest, std::abs(step));
  }
  void add(const ChangeSums& other) {
    base += other.base;
    tuned += other.tuned;
    difference += other.difference;
    largest = std::max(largest, other.largest);
  }
  double change() const {
    if (base > 0) return std::sqrt(difference / base);
    return tuned > 0 ? 1 : 0;
  }
};

// Returns the floating-point tensors, by the family's names for them.
std::map<std::string, const StoredTensor*> tensors_of(const Model::Impl& model) {
  std::map<std::string, const StoredTensor*> tensors;
  model.require_no_adapter();
  const WeightStorage& weights = model.encoder.weights;
  for (size_t i = 0; i < weights.names.size(); ++i) {
    const StoredTensor& tensor = weights.checkpoint.tensors()[i];
    if (tensor.type->dtype && float_format(*tensor.type->dtype)) {
      tensors[weights.names[i]] = &tensor;
    } else if (weights.roles[i] != WeightRole::kUnused) {
      weights.checkpoint.refuse(
          tensor, ErrorCode::kUnsupported,
          "type " + std::string(tensor.type->name) + ", expected floating-point numbers to compare");
    }
  }
  return tensors;
}

struct MeasuredTensor {
  TensorChange change;
  ChangeSums sums;
  std::vector<double> rows;  // change of each row
};

MeasuredTensor measure(const std::string& name, const StoredTensor& base, const StoredTensor& tuned) {
  MeasuredTensor result;
  result.change.name = name;
  result.change.shape.assign(base.shape.begin(), base.shape.end());
  const size_t count = base.data.size() / size_bytes(*base.type->dtype);
  const size_t rows = base.shape.size() < 2 ? 1 : base.shape[0];
  const size_t width = rows == 0 ? 0 : count / rows;
  for (size_t row = 0; row < rows; ++row) {
    ChangeSums sums;
    for (size_t i = row * width; i < (row + 1) * width; ++i) {
      sums.add(element(base.data.data(), *base.type->dtype, i), element(tuned.data.data(), *tuned.type->dtype, i));
    }
    if (sums.largest > 0 && result.change.changed_rows++ == 0) result.change.first_row = row;
    result.rows.push_back(sums.change());
    result.sums.add(sums);
  }
  result.change.change = result.sums.change();
  result.change.largest = result.sums.largest;
  return result;
}

// Returns a name up to its first number, or else its first word.
std::string part_of(const std::string& name) {
  for (size_t begin = 0; begin < name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    if (std::all_of(name.begin() + static_cast<std::ptrdiff_t>(begin), name.begin() + static_cast<std::ptrdiff_t>(end),
                    [](unsigned char letter) { return std::isdigit(letter) != 0; })) {
      return name.substr(0, end);
    }
    begin = end + 1;
  }
  return name.substr(0, name.find('.'));
}

// Returns whether a table of the model's family has this name.
bool is_table(const Model::Impl& model, const std::string& name, std::string_view EncoderNames::*table) {
  const Family* family = find_family(model.config.model_type, model.config.position_embedding_type);
  if (family == nullptr) return false;
  const auto is_it = [&](const EncoderNames& names) { return name == std::string(names.*table) + ".weight"; };
  return is_it(family->names) || (family->other_names != nullptr && is_it(*family->other_names));
}

}  // namespace

WeightChanges compare_weights(const Model& base, const Model& tuned) {
  const Model::Impl& from = ModelAccess::impl(base);
  const std::map<std::string, const StoredTensor*> base_tensors = tensors_of(from);
  std::map<std::string, const StoredTensor*> others = tensors_of(ModelAccess::impl(tuned));
  WeightChanges changes;
  std::vector<ChangeSums> part_sums;
  for (const std::string& name : from.encoder.weights.names) {
    const auto found = base_tensors.find(name);
    if (found == base_tensors.end()) continue;  // a tensor of integers
    const StoredTensor& tensor = *found->second;
    const auto other = others.extract(name);
    if (other.empty()) {
      changes.only_in_base.push_back(name);
      continue;
    }
    const StoredTensor& other_tensor = *other.mapped();
    if (!std::equal(tensor.shape.begin(), tensor.shape.end(), other_tensor.shape.begin(), other_tensor.shape.end())) {
      changes.other_shape.push_back(name);
      continue;
    }
    MeasuredTensor measured = measure(name, tensor, other_tensor);
    const std::string part = part_of(name);
    const auto place = std::find_if(changes.parts.begin(), changes.parts.end(),
                                    [&](const PartChange& one) { return one.name == part; });
    const auto index = static_cast<size_t>(place - changes.parts.begin());
    if (place == changes.parts.end()) {
      changes.parts.push_back({part, 0});
      part_sums.emplace_back();
    }
    part_sums[index].add(measured.sums);
    if (is_table(from, name, &EncoderNames::word_embeddings)) changes.words = measured.rows;
    if (is_table(from, name, &EncoderNames::position_embeddings)) changes.positions = measured.rows;
    changes.tensors.push_back(std::move(measured.change));
  }
  for (size_t i = 0; i < part_sums.size(); ++i) changes.parts[i].change = part_sums[i].change();
  for (const auto& [name, tensor] : others) changes.only_in_tuned.push_back(name);
  to_natural_order(changes.tensors, [](const TensorChange& one) -> const std::string& { return one.name; });
  to_natural_order(changes.parts, [](const PartChange& one) -> const std::string& { return one.name; });
  return changes;
}

}  // namespace bert
