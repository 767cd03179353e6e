// Late interaction, token by token: for each vector of a query, the vector of a document with the largest dot product.
// The score is the sum of these products. Immutable.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bert/token_vectors.h"
#include "tools/cli/common.h"
#include "tools/cli/console.h"
#include "tools/cli/explore/drawings.h"

namespace bert::cli {

class TokenMatches {
 public:
  // A note reports truncation. Throws Error for a model without token vectors.
  TokenMatches(const Model& model, const std::string& query, const std::string& document, Console& console);

  // Throws InputError if a page would be too large to read.
  void check_drawable() const;
  Page page() const;
  std::string text(const TextStyle& style) const;
  std::string json() const;

 private:
  // A text's tokens that have vectors.
  struct Side {
    std::string text;
    std::vector<std::string> tokens;
    TokenVectors vectors;
  };
  Side encode(const Model& model, const std::string& text, TextRole role, Console& console) const;
  double product(size_t query, size_t document) const { return products_[query * document_.tokens.size() + document]; }
  std::string sentence() const;
  Table table() const;

  std::string model_;
  Side query_, document_;
  std::vector<double> products_;  // [query's vectors, document's vectors]
  std::vector<size_t> matches_;   // [query's vectors]: the document's vector
  bool is_mean_ = false;
  double score_ = 0;
};

}  // namespace bert::cli
