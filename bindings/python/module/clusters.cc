#include "bindings/python/module/bindings.h"

#include <nanobind/ndarray.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "bert/clusters.h"
#include "bindings/python/module/arrays.h"
#include "bindings/python/module/interpreter_lock.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bert::python {
namespace {

using ClusterRows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Returns the settings of a run. A signal, such as that of Ctrl-C, ends the run with the signal's exception.
ClusterRun cluster_run(size_t threads, size_t most_bytes) {
  const auto progress = [](double) {
    const Locked lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  };
  return {.threads = threads, .most_bytes = most_bytes, .progress = progress};
}

// Returns three arrays: the dropped rows, the kept row for each, and the cosine of the two.
nb::tuple duplicates(const ClusterRows& vectors, double threshold, size_t threads, size_t most_bytes) {
  std::vector<int64_t> rows, kept;
  std::vector<double> cosines;
  {
    const Unlocked unlock;
    const DuplicateOptions options{.threshold = threshold, .run = cluster_run(threads, most_bytes)};
    for (const Duplicate& one : find_duplicates({vectors.data(), vectors.size()}, vectors.shape(1), options)) {
      rows.push_back(static_cast<int64_t>(one.row));
      kept.push_back(static_cast<int64_t>(one.kept));
      cosines.push_back(one.cosine);
    }
  }
  const size_t count = rows.size();
  return nb::make_tuple(to_array(std::move(rows), {count}), to_array(std::move(kept), {count}),
                        to_array(std::move(cosines), {count}));
}

// Returns each row's community (-1: none), each row's cosine with the centre (NaN: none), and each community's central
// row.
nb::tuple communities(const ClusterRows& vectors, double threshold, size_t least_rows, size_t threads,
                      size_t most_bytes) {
  std::vector<int64_t> labels(vectors.shape(0), -1), centers;
  std::vector<double> cosines(labels.size(), std::numeric_limits<double>::quiet_NaN());
  {
    const Unlocked unlock;
    const CommunityOptions options{
        .threshold = threshold, .least_rows = least_rows, .run = cluster_run(threads, most_bytes)};
    const auto found = find_communities({vectors.data(), vectors.size()}, vectors.shape(1), options);
    for (size_t i = 0; i < found.size(); ++i) {
      const Community& one = found[i];
      centers.push_back(static_cast<int64_t>(one.rows.front()));
      for (size_t member = 0; member < one.rows.size(); ++member) {
        labels[one.rows[member]] = static_cast<int64_t>(i);
        cosines[one.rows[member]] = one.cosines[member];
      }
    }
  }
  const size_t rows = labels.size(), count = centers.size();
  return nb::make_tuple(to_array(std::move(labels), {rows}), to_array(std::move(cosines), {rows}),
                        to_array(std::move(centers), {count}));
}

// Returns each row's cluster, each row's cosine with the centre, the centres, and how the iterations ended.
nb::tuple clusters_by_k(const ClusterRows& vectors, size_t k, uint64_t seed, size_t most_iterations, size_t threads,
                        size_t most_bytes) {
  KMeans found;
  {
    const Unlocked unlock;
    found = k_means(
        {vectors.data(), vectors.size()}, vectors.shape(1),
        {.clusters = k, .seed = seed, .most_iterations = most_iterations, .run = cluster_run(threads, most_bytes)});
  }
  std::vector<int64_t> labels(found.clusters.begin(), found.clusters.end());
  const size_t rows = labels.size();
  return nb::make_tuple(to_array(std::move(labels), {rows}), to_array(std::move(found.cosines), {rows}),
                        to_array(std::move(found.centers), {found.sizes.size(), vectors.shape(1)}), found.inertia,
                        found.iterations, found.has_converged);
}

}  // namespace

void bind_clusters(nb::module_& module) {
  module.def("duplicates", &duplicates, "vectors"_a, "threshold"_a, "threads"_a, "most_bytes"_a);
  module.def("communities", &communities, "vectors"_a, "threshold"_a, "least_rows"_a, "threads"_a, "most_bytes"_a);
  module.def("k_means", &clusters_by_k, "vectors"_a, "k"_a, "seed"_a, "most_iterations"_a, "threads"_a, "most_bytes"_a);
}

}  // namespace bert::python
