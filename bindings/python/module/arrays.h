// numpy arrays that use C++ memory without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <initializer_list>
#include <utility>
#include <vector>

namespace bert::python {

template <typename T>
using Array = nanobind::ndarray<nanobind::numpy, T>;

// Returns an array that owns `values`, in row-major order. The product of the shape is the number of values.
template <typename T>
Array<T> to_array(std::vector<T> values, std::initializer_list<size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(owned, [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
  return Array<T>(owned->data(), shape, owner);
}

}  // namespace bert::python
