// The class Redactor, which removes the matches of expressions from texts.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bert/redact.h"
#include "bindings/python/module/result.h"
#include "bindings/python/module/run_options.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bert::python {
void bind_redactor(nb::module_& module) {
  nb::class_<Redactor>(module, "Redactor")
      .def(
          "__init__",
          [](Redactor* self, const nb::dict& options) {
            new (self) Redactor(redact_rules(to_settings("redact", options)));
          },
          "options"_a)
      .def(
          "text",
          [](const Redactor& redactor, const std::string& text) {
            return redacted_dict(redactor.redact(text), OffsetUnits(text, OffsetUnit::kCodePoints));
          },
          "text"_a);
}

}  // namespace bert::python
