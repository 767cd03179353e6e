#include "program/drawings/parameter_drawing.h"

#include <algorithm>
#include <utility>

#include "program/common/table.h"
#include "program/drawings/charts.h"

namespace bert::drawings {
namespace {

// Returns "embeddings.LayerNorm" for "embeddings.LayerNorm.bias", "encoder" for all tensors of the layers.
std::string part_of(const std::string& tensor) {
  return tensor.substr(0, tensor.starts_with("embeddings.") ? tensor.rfind('.') : tensor.find('.'));
}

size_t numbers_in(const TensorInfo& tensor) {
  size_t count = 1;
  for (const size_t dimension : tensor.shape) count *= dimension;
  return count;
}

}  // namespace

Picture draw_parameters(const std::vector<TensorInfo>& tensors) {
  std::vector<std::pair<std::string, size_t>> parts;  // in the order of the tensors
  for (const TensorInfo& tensor : tensors) {
    const std::string name = part_of(tensor.name);
    auto part = std::find_if(parts.begin(), parts.end(), [&](const auto& each) { return each.first == name; });
    if (part == parts.end()) part = parts.insert(parts.end(), {name, 0});
    part->second += numbers_in(tensor);
  }
  BarChart bars{.title = "How many numbers each part has", .rows = {}};
  for (const auto& [name, count] : parts) {
    bars.rows.push_back({name, {{static_cast<double>(count), Ink::kBlue}}, common::with_commas(count)});
  }
  return draw_bar_chart(bars);
}

}  // namespace bert::drawings
