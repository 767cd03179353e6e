// Computes the terms of a score: of pairs of tokens, of entries of the vocabulary, or of words left out.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "bert/explain.h"
#include "bert/tasks.h"
#include "bert/token_vectors.h"
#include "models/model/resolved_request.h"
#include "tasks/heads/words_left_out.h"

namespace bert {
namespace {

// The one kind of vectors of a request, and its score.
class OneKind {
 public:
  OneKind(const Model& model, const VectorRequest& request) : model_(model), request_(checked(request)) {
    // The texts already include their prompt.
    if (request_.dense) request_.dense->prompt.reset(), request_.dense->prompt_text.reset();
    if (request_.sparse) request_.sparse->prompt.reset(), request_.sparse->prompt_text.reset();
    request_.prompt.reset();
    if (!request_.tokens) request_.role.reset(), request_.prompt_text = "";
    resolved_ = resolve(model, request_);
    score_.emplace(model, KindWeights{.dense = request.dense ? 1.0 : 0.0,
                                      .sparse = request.sparse ? 1.0 : 0.0,
                                      .tokens = request.tokens ? 1.0 : 0.0});
  }

  const ResolvedRequest& resolved() const { return resolved_; }
  std::string function() const {
    if (request_.tokens) return token_vector_settings(model_).mean_score ? "meanmaxsim" : "maxsim";
    return std::string(name(similarity()));
  }
  SimilarityFunction similarity() const {
    return request_.dense ? model_.similarity() : model_.sparse(*request_.sparse).similarity;
  }
  // Returns why the score is no sum; "" if it is one.
  std::string not_additive() const {
    if (request_.tokens) return "";
    const SimilarityFunction function = similarity();
    if (function != SimilarityFunction::kCosine && function != SimilarityFunction::kDot) {
      return "the similarity " + std::string(name(function)) + " is no product of two vectors";
    }
    return request_.dense ? bert::not_additive(model_, *resolved_.dense) : "";
  }

  TokenSequence sequence(const TextResult& text) const {
    return resolved_.role ? sequence_by_role(model_, text.tokens.encoding, text.tokens.unattended)
                          : model_.sequence(text.tokens.encoding);
  }
  std::vector<TextVectors> vectors(std::span<const TokenSequence> batch, std::span<const TextRole> roles) const {
    return vectors_of(model_, resolved_, batch, roles);
  }
  double score(const TextVectors& a, const TextVectors& b) const { return score_->score(a, b); }

 private:
  static const VectorRequest& checked(const VectorRequest& request) {
    const int kinds = int{request.dense.has_value()} + int{request.sparse.has_value()} + int{request.tokens};
    if (kinds == 1 && !request.chunks) return request;
    throw Error(ErrorCode::kInvalidArgument,
                (request.chunks ? std::string("chunks") : std::to_string(kinds) + " kinds of vectors") +
                    " to explain, expected one kind of whole texts");
  }

  const Model& model_;
  VectorRequest request_;
  ResolvedRequest resolved_;
  std::optional<HybridScore> score_;
};

ExplainedText explained_text(const Model& model, const TextResult& text, bool offsets_are_of_text) {
  check_whole_text(text);
  if (!text.input.pair.empty()) throw Error(ErrorCode::kInvalidArgument, "a pair to explain, expected one text");
  ExplainedText result{.text = text.input.text, .encoding = text.tokens.encoding};
  result.words = text_words(model.tokenizer(), text, offsets_are_of_text);
  return result;
}

// Adds rows for these tokens, and a constant row.
void add_rows(ExplainedText& text, const Tokenizer& tokenizer, std::span<const uint32_t> places, bool has_constant) {
  std::map<size_t, size_t> row_groups;  // group of a word, by the word's first token
  for (const TextWord& word : text.words) text.groups.push_back(word.text);
  std::vector<size_t> word_of(text.encoding.size(), text.words.size());
  for (size_t w = 0; w < text.words.size(); ++w) {
    std::fill_n(word_of.begin() + static_cast<std::ptrdiff_t>(text.words[w].first), text.words[w].tokens, w);
  }
  for (const uint32_t place : places) {
    text.places.push_back(place);
    text.rows.emplace_back(tokenizer.token(text.encoding.ids[place]));
    const bool is_of_word = word_of[place] < text.words.size();
    text.group_of_row.push_back(is_of_word ? word_of[place] : text.groups.size());
    if (!is_of_word) text.groups.push_back(text.rows.back());
  }
  if (!has_constant) return;
  text.places.push_back(text.encoding.size());
  text.rows.emplace_back(kConstantTerm);
  text.group_of_row.push_back(text.groups.size());
  text.groups.emplace_back(kConstantTerm);
}

// Returns the sum of the first `cols` numbers of each row; only these count in the vector.
std::vector<double> sum_of(ConstMatrixView terms, size_t cols) {
  std::vector<double> sum(cols);
  for (size_t row = 0; row < terms.rows; ++row) {
    for (size_t c = 0; c < cols; ++c) sum[c] += static_cast<double>(terms.row(row)[c]);
  }
  return sum;
}

double norm_of(std::span<const double> vector, size_t count) {
  return std::sqrt(
      std::inner_product(vector.begin(), vector.begin() + static_cast<std::ptrdiff_t>(count), vector.begin(), 0.0));
}

// Returns the divisor of the vector's terms.
double divisor_of(ConstMatrixView terms, const DenseKind& kind, SimilarityFunction function) {
  const std::vector<double> whole = sum_of(terms, terms.cols);
  const bool is_cosine = function == SimilarityFunction::kCosine;
  if (!is_cosine && kind.normalizing == Normalizing::kNever) return 1;
  const bool is_cut = is_cosine || kind.normalizing == Normalizing::kAfterCut;
  return norm_of(whole, is_cut ? kind.size : terms.cols);
}

void explain_tokens(const Model& model, const OneKind& kind, std::span<const TokenSequence> two,
                    ScoreExplanation& result) {
  const DenseKind& dense = *kind.resolved().dense;
  const std::vector<Matrix> terms = dense_terms(model, dense, two);
  double divisor = 1;
  for (size_t i = 0; i < 2; ++i) {
    ExplainedText& text = i == 0 ? result.a : result.b;
    const ConstMatrixView rows = terms[i].view();
    const float* constant = rows.row(rows.rows - 1);
    const bool has_constant = std::any_of(constant, constant + dense.size, [](float value) { return value != 0; });
    std::vector<uint32_t> places(rows.rows - 1);  // no token of a text is masked
    std::iota(places.begin(), places.end(), 0u);
    add_rows(text, model.tokenizer(), places, has_constant);
    divisor *= divisor_of(rows, dense, kind.similarity());
  }
  for (size_t i = 0; i < result.a.rows.size(); ++i) {
    const float* of_a = terms[0].view().row(i);
    for (size_t j = 0; j < result.b.rows.size(); ++j) {
      const float* of_b = terms[1].view().row(j);
      double product = 0;
      for (size_t c = 0; c < dense.size; ++c) product += static_cast<double>(of_a[c]) * static_cast<double>(of_b[c]);
      result.pairs.push_back(divisor == 0 ? 0 : product / divisor);
    }
  }
}

void explain_matches(const Model& model, const TextVectors& a, const TextVectors& b, ScoreExplanation& result) {
  const TokenVectors &query = a.tokens, &document = b.tokens;
  add_rows(result.a, model.tokenizer(), query.tokens, false);
  add_rows(result.b, model.tokenizer(), document.tokens, false);
  result.pairs.resize(query.tokens.size() * document.tokens.size());
  const double divisor = token_vector_settings(model).mean_score ? static_cast<double>(query.tokens.size()) : 1;
  const std::vector<VectorMatch> matches = MaxSim(1).matches(query.values, document.values, query.size);
  for (size_t i = 0; i < matches.size(); ++i) {
    result.pairs[i * document.tokens.size() + matches[i].index] = static_cast<double>(matches[i].product) / divisor;
  }
}

void explain_entries(const Model& model, SimilarityFunction function, const SparseVector& a, const SparseVector& b,
                     ScoreExplanation& result) {
  const auto norm = [](const SparseVector& vector) {
    double square = 0;
    for (const float weight : vector.weights) square += static_cast<double>(weight) * static_cast<double>(weight);
    return std::sqrt(square);
  };
  const double divisor = function == SimilarityFunction::kCosine ? norm(a) * norm(b) : 1;
  for (size_t i = 0, j = 0; i < a.ids.size() && j < b.ids.size();) {
    if (a.ids[i] == b.ids[j]) {
      EntryTerm entry{.id = a.ids[i],
                      .token = std::string(model.tokenizer().token(a.ids[i])),
                      .weight_a = static_cast<double>(a.weights[i]),
                      .weight_b = static_cast<double>(b.weights[j])};
      entry.term = entry.weight_a * entry.weight_b / divisor;
      result.entries.push_back(std::move(entry));
    }
    const int32_t least = std::min(a.ids[i], b.ids[j]);
    i += a.ids[i] == least ? 1 : 0;
    j += b.ids[j] == least ? 1 : 0;
  }
  std::stable_sort(result.entries.begin(), result.entries.end(),
                   [](const EntryTerm& x, const EntryTerm& y) { return x.term > y.term; });
}

// Leaves out each word of one text, while the other text stays whole.
void leave_words_out(const OneKind& kind, std::span<const TokenSequence> two, std::span<const TextVectors> whole,
                     ScoreExplanation& result) {
  std::vector<ShortenedText> texts = shortened_texts(two[0], result.a.words);
  const size_t of_a = texts.size();
  std::vector<ShortenedText> of_b = shortened_texts(two[1], result.b.words);
  std::move(of_b.begin(), of_b.end(), std::back_inserter(texts));
  for_each_batch(texts, [&](size_t first, std::span<const TokenSequence> batch) {
    const std::vector<TextVectors> vectors = kind.vectors(batch, {});
    for (size_t i = 0; i < vectors.size(); ++i) {
      const bool is_of_a = first + i < of_a;
      (is_of_a ? result.a : result.b)
          .without.push_back(is_of_a ? kind.score(vectors[i], whole[1]) : kind.score(whole[0], vectors[i]));
    }
  });
}

double sum_of_terms(const ScoreExplanation& result) {
  double sum = std::accumulate(result.pairs.begin(), result.pairs.end(), 0.0);
  for (const EntryTerm& entry : result.entries) sum += entry.term;
  for (const ExplainedText* text : {&result.a, &result.b}) {
    for (const double without : text->without) sum += result.score - without;
  }
  return sum;
}

}  // namespace

std::string_view name(ExplanationKind kind) {
  switch (kind) {
    case ExplanationKind::kTokenPairs:
      return "token pairs";
    case ExplanationKind::kEntries:
      return "entries";
    case ExplanationKind::kMatches:
      return "matches";
    case ExplanationKind::kWordsLeftOut:
      return "words left out";
  }
  return "";
}

std::vector<double> ScoreExplanation::group_pairs() const {
  std::vector<double> sums(a.groups.size() * b.groups.size());
  for (size_t i = 0; i < a.rows.size(); ++i) {
    for (size_t j = 0; j < b.rows.size(); ++j) {
      sums[a.group_of_row[i] * b.groups.size() + b.group_of_row[j]] += pairs[i * b.rows.size() + j];
    }
  }
  return sums;
}

ScoreExplanation explain_score(const Model& model, const VectorRequest& request, const TextResult& a,
                               const TextResult& b) {
  const OneKind kind(model, request);
  ScoreExplanation result;
  result.function = kind.function();
  result.not_additive = kind.not_additive();
  const bool has_own_tokens = kind.resolved().role.has_value();
  result.a = explained_text(model, a, !has_own_tokens);
  result.b = explained_text(model, b, !has_own_tokens);
  const TokenSequence two[] = {kind.sequence(a), kind.sequence(b)};
  const TextRole roles[] = {a.input.role, b.input.role};
  const std::vector<TextVectors> vectors = kind.vectors(two, roles);
  result.score = kind.score(vectors[0], vectors[1]);
  if (!result.not_additive.empty()) {
    result.kind = ExplanationKind::kWordsLeftOut;
    leave_words_out(kind, two, vectors, result);
  } else if (request.dense) {
    explain_tokens(model, kind, two, result);
  } else if (request.sparse) {
    result.kind = ExplanationKind::kEntries;
    explain_entries(model, kind.similarity(), vectors[0].sparse, vectors[1].sparse, result);
  } else {
    result.kind = ExplanationKind::kMatches;
    explain_matches(model, vectors[0], vectors[1], result);
  }
  result.remainder = result.score - sum_of_terms(result);
  return result;
}

ScoreExplanation explain_texts(const Model& model, const VectorRequest& request, const TextItem& a, const TextItem& b,
                               const TextOptions& options) {
  VectorRequest with_role = request;
  if (request.tokens && !request.role) with_role.role = TextRole::kDocument;
  const TextTaskRunner runner(model, with_role, options);
  TextItem first = a, second = b;
  if (request.tokens && !request.role) {
    if (!first.role) first.role = TextRole::kQuery;
    if (!second.role) second.role = TextRole::kDocument;
  }
  const std::vector<TextResult> of_first = runner.cut(first), of_second = runner.cut(second);
  return explain_score(model, with_role, of_first.front(), of_second.front());
}

}  // namespace bert
