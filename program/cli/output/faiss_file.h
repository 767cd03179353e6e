// Writes the vectors of an index in the form of FAISS's IndexFlatIP, for faiss.read_index. Stateless.
#pragma once

#include <string>

#include "bert/vectors.h"

namespace bert::cli {

// Rows without a vector are NaN there, which FAISS never finds. Throws OutputError.
void write_faiss_index(const VectorIndex& index, const std::string& path);

}  // namespace bert::cli
