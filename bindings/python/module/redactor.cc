// The class Redactor: a text, or a run's result, without what is to be replaced.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>
#include <vector>

#include "bert/redact.h"
#include "bindings/python/module/result.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bert::python {
namespace {

using Expressions = std::vector<std::pair<std::string, std::string>>;  // labels and expressions

nb::dict redacted_dict(const RedactedText& redacted) {
  nb::list replaced;
  for (const Redaction& part : redacted.replaced) {
    nb::dict one;
    one["label"] = part.label;
    one["start"] = part.code_points.begin;
    one["end"] = part.code_points.end;
    replaced.append(one);
  }
  nb::dict dict;
  dict["text"] = redacted.text;
  dict["replaced"] = replaced;
  return dict;
}

}  // namespace

void bind_redactor(nb::module_& module) {
  nb::class_<Redactor>(module, "Redactor")
      .def(
          "__init__",
          [](Redactor* self, const Expressions& expressions, std::vector<std::string> only, double least_score,
             std::string replacement, std::optional<std::string> mask, const std::optional<nb::bytes>& key) {
            RedactRules rules{.only = std::move(only),
                              .least_score = least_score,
                              .replacement = std::move(replacement),
                              .mask = std::move(mask)};
            for (const auto& [label, expression] : expressions) rules.expressions.push_back({label, expression});
            if (key) rules.key.assign(key->c_str(), key->size());
            new (self) Redactor(std::move(rules));
          },
          "expressions"_a, "only"_a, "least_score"_a, "replacement"_a, "mask"_a.none(), "key"_a.none())
      .def(
          "text",
          [](const Redactor& redactor, const std::string& text) { return redacted_dict(redactor.redact(text)); },
          "text"_a)
      .def(
          "result",
          [](const Redactor& redactor, const Result& result) {
            return redacted_dict(
                redactor.redact(result.first().input.text, std::get<std::vector<Entity>>(result.output())));
          },
          "result"_a);
}

}  // namespace bert::python
