#include "program/cli/options/label_options.h"

#include <algorithm>
#include <string_view>

#include "program/cli/output/console.h"

namespace bert::cli {
namespace {

void add_parts(std::string_view list, std::vector<std::string>& labels) {
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const size_t first = list.find_first_not_of(" \t\n\r\v\f", begin);
    if (first < end) {
      const size_t last = list.find_last_not_of(" \t\n\r\v\f", end - 1);
      labels.emplace_back(list.substr(first, last + 1 - first));
    }
    begin = end + 1;
  }
}

}  // namespace

void LabelOptions::declare(OptionTable& table, const std::string& help) {
  table.texts("--labels", lists_, "A,B,…", help + ", separated by commas; may be repeated");
  table.texts("--label", labels_, "LABEL", "one label, which may contain commas; may be repeated");
}

void LabelOptions::declare(OptionTable& table, const TaskSettings& settings) {
  declare(table, std::string(option_named(settings.task(), "labels").help));
}

std::vector<std::string> LabelOptions::labels() const {
  std::vector<std::string> labels;
  for (const std::string& list : lists_) add_parts(list, labels);
  for (const std::string& label : labels_) {
    if (label.empty()) throw UsageError("--label \"\": expected a label that is not empty");
    labels.push_back(label);
  }
  return labels;
}

void LabelOptions::set(TaskSettings& settings) const {
  if (!given()) return;
  std::vector<std::string> all = labels();
  if (all.empty()) throw UsageError("--labels: expected at least one label");
  settings.set("labels", std::move(all));
}

}  // namespace bert::cli
