// Matches late interaction's vectors, token by token: for each vector of a query, the document's vector with the
// largest dot product. The score is the sum of these products. Immutable.
#pragma once

#include <string>
#include <vector>

#include "bert/experiments.h"
#include "program/cli/common.h"
#include "program/cli/explore/drawings.h"
#include "program/cli/explore/report.h"
#include "program/cli/output/console.h"

namespace bert::cli {

class TokenMatches {
 public:
  // Reports truncation. Throws Error for a model without token vectors.
  TokenMatches(const Model& model, const std::string& query, const std::string& document, Console& console);

  // Throws InputError if a page would be too large to read.
  void check_drawable(const DrawnFiles& drawn) const;
  Page page() const;
  std::string text(const TextStyle& style) const;
  std::string json() const;

 private:
  double product(size_t query, size_t document) const {
    return result_.products[query * document_tokens_.size() + document];
  }
  std::string sentence() const;
  Table table() const;

  std::string model_;
  std::string query_, document_;
  MaxSimMatches result_;
  std::vector<std::string> query_tokens_, document_tokens_;  // tokens that have vectors
};

}  // namespace bert::cli
