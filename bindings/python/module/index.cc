#include "bindings/python/module/bindings.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bert/error.h"
#include "bert/new_file.h"
#include "bert/vectors.h"
#include "bindings/python/module/arrays.h"
#include "bindings/python/module/interpreter_lock.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bert::python {
namespace {

using Vectors = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ScanRows scan_named(const std::string& given) {
  for (const ScanRows scan : {ScanRows::kFloat32, ScanRows::kInt8, ScanRows::kBinary}) {
    if (name(scan) == given) return scan;
  }
  throw Error(ErrorCode::kInvalidArgument, "scan '" + given + "', expected float32, int8 or binary");
}

VectorIndex make(const Vectors& vectors, const std::string& scan, size_t threads) {
  const IndexOptions options{.scan = scan_named(scan), .threads = threads};
  const Unlocked unlock;
  return VectorIndex({vectors.data(), vectors.size()}, vectors.shape(1), options);
}

VectorIndex open(const std::string& file, size_t threads) {
  const Unlocked unlock;
  return VectorIndex::open(file, threads);
}

void write(const VectorIndex& index, const std::string& file, const std::string& label) {
  const Unlocked unlock;
  NewFile out(file, NewFile::Existing::kReplace);
  VectorIndexWriter writer([&](std::string_view bytes) { out.write(bytes); }, index.size(), index.scan(), label);
  for (size_t row = 0; row < index.rows(); ++row) writer.add(index.row(row));
  writer.finish();
  out.publish();
}

// Returns a copy of the rows: [rows, size].
Array<float> rows(const VectorIndex& index) {
  std::vector<float> all;
  all.reserve(index.rows() * index.size());
  for (size_t row = 0; row < index.rows(); ++row) {
    const std::span<const float> vector = index.row(row);
    all.insert(all.end(), vector.begin(), vector.end());
  }
  return to_array(std::move(all), {index.rows(), index.size()});
}

// Returns the row numbers and scores of the best rows, both [queries, top]; -1 and NaN where there are fewer rows.
nb::tuple search(const VectorIndex& index, const Vectors& queries, size_t top, size_t candidates) {
  const size_t count = queries.shape(0);
  if (queries.shape(1) != index.size()) {
    throw Error(ErrorCode::kInvalidArgument, "queries of " + std::to_string(queries.shape(1)) + " numbers, expected " +
                                                 std::to_string(index.size()));
  }
  top = std::min(top, index.rows());
  std::vector<int64_t> found(count * top, -1);
  std::vector<double> scores(count * top, std::numeric_limits<double>::quiet_NaN());
  {
    const Unlocked unlock;
    const auto hits = index.search({queries.data(), queries.size()}, {.top = top, .candidates = candidates});
    for (size_t query = 0; query < count; ++query) {
      for (size_t i = 0; i < hits[query].size(); ++i) {
        found[query * top + i] = static_cast<int64_t>(hits[query][i].row);
        scores[query * top + i] = hits[query][i].score;
      }
    }
  }
  return nb::make_tuple(to_array(std::move(found), {count, top}), to_array(std::move(scores), {count, top}));
}

}  // namespace

void bind_index(nb::module_& module) {
  nb::class_<VectorIndex>(module, "VectorIndex")
      .def_static("make", &make, "vectors"_a, "scan"_a, "threads"_a)
      .def_static("open", &open, "file"_a, "threads"_a)
      .def_prop_ro("count", &VectorIndex::rows)
      .def_prop_ro("size", &VectorIndex::size)
      .def_prop_ro("scan", [](const VectorIndex& index) { return std::string(name(index.scan())); })
      .def_prop_ro("label", [](const VectorIndex& index) { return std::string(index.label()); })
      .def("rows", &rows)
      .def("search", &search, "queries"_a, "top"_a, "candidates"_a)
      .def("write", &write, "file"_a, "label"_a);
}

}  // namespace bert::python
