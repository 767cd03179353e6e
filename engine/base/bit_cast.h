// std::bit_cast, which not every C++20 library has (LLVM's since version 14). Stateless.
#pragma once

namespace bert {

template <class To, class From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

}  // namespace bert
