// Includes Eigen, for the sources of this folder. Eigen's matrices free their memory before they allocate more, and
// free it again when the allocation throws. So lack of memory calls std::terminate here, with the std::bad_alloc as the
// current exception, and the program's terminate handler reports it in one line.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <exception>
#include <new>

namespace bert::analysis {

template <class Number>
Number* allocate_or_end(size_t count) noexcept {
  try {
    Eigen::internal::check_size_for_overflow<Number>(count);
    return count == 0 ? nullptr : static_cast<Number*>(Eigen::internal::aligned_malloc(count * sizeof(Number)));
  } catch (const std::bad_alloc&) {
    std::terminate();
  }
}

}  // namespace bert::analysis

namespace Eigen::internal {

template <>
inline double* conditional_aligned_new_auto<double, true>(std::size_t size) {
  return bert::analysis::allocate_or_end<double>(size);
}
template <>
inline float* conditional_aligned_new_auto<float, true>(std::size_t size) {
  return bert::analysis::allocate_or_end<float>(size);
}
template <>
inline int* conditional_aligned_new_auto<int, true>(std::size_t size) {
  return bert::analysis::allocate_or_end<int>(size);
}
template <>
inline long* conditional_aligned_new_auto<long, true>(std::size_t size) {
  return bert::analysis::allocate_or_end<long>(size);
}

}  // namespace Eigen::internal
