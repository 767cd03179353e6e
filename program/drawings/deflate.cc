#include "program/drawings/deflate.h"

#include <zlib.h>

#include <new>

namespace bert::drawings {

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string result(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                bytes.size(), Z_BEST_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();  // the only cause for a result of this size
  }
  result.resize(size);
  return result;
}

}  // namespace bert::drawings
