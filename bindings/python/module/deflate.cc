// Replaces program/drawings/deflate.cc in the extension: compresses by Python's module zlib, so that the extension
// links no other library.
#include "program/drawings/deflate.h"

#include <nanobind/nanobind.h>

namespace bert::drawings {

// The caller must hold the interpreter's lock, which it does because pages are made in calls from Python.
std::string deflated(std::string_view bytes) {
  namespace nb = nanobind;
  const nb::object result = nb::module_::import_("zlib").attr("compress")(nb::bytes(bytes.data(), bytes.size()), 9);
  const nb::bytes compressed = nb::cast<nb::bytes>(result);
  return {static_cast<const char*>(compressed.data()), compressed.size()};
}

}  // namespace bert::drawings
