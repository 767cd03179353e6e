#include "tools/drawings/parameter_drawing.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "tools/common/table.h"
#include "tools/common/terminal_text.h"
#include "tools/drawings/charts.h"

namespace bert::drawings {
namespace {

struct Module {
  std::string name;
  size_t tensors = 0;
  size_t parameters = 0;
};

// "encoder.layer.0" of "encoder.layer.0.output.dense.bias", "embeddings.LayerNorm" of "embeddings.LayerNorm.bias".
std::string module_of(const std::string& name) {
  for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const size_t end = name.find('.', dot + 1);
    const std::string_view step = std::string_view(name).substr(dot + 1, end - dot - 1);
    const bool is_number =
        !step.empty() && std::all_of(step.begin(), step.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (is_number && end != std::string::npos) return name.substr(0, end);
  }
  return name.substr(0, name.rfind('.'));
}

std::vector<Module> modules_of(std::span<const TensorInfo> tensors) {
  std::vector<Module> modules;
  for (const TensorInfo& tensor : tensors) {
    if (!tensor.used) continue;
    const std::string name = module_of(tensor.name);
    auto module = std::find_if(modules.begin(), modules.end(), [&](const Module& one) { return one.name == name; });
    if (module == modules.end()) module = modules.insert(modules.end(), {name});
    size_t count = 1;
    for (const size_t dimension : tensor.shape) count *= dimension;
    ++module->tensors;
    module->parameters += count;
  }
  return modules;
}

}  // namespace

std::string draw_parameters(std::span<const TensorInfo> tensors) {
  BarChart chart{.title = "Parameters of each part", .rows = {}};
  for (const Module& module : modules_of(tensors)) {
    const Ink ink = module.name.find("embeddings") != std::string::npos ? Ink::kOrange : Ink::kBlue;
    chart.rows.push_back({common::one_line(module.name),
                          {{static_cast<double>(module.parameters), ink}},
                          common::with_commas(module.parameters) + " in " + std::to_string(module.tensors) +
                              (module.tensors == 1 ? " tensor" : " tensors")});
  }
  return draw_bar_chart(chart);
}

}  // namespace bert::drawings
