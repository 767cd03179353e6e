#include "models/labels/gliner_layers.h"

#include <algorithm>
#include <string>
#include <utility>

#include "bert/error.h"

namespace bert {
namespace {

constexpr size_t kRowsAtOnce = 256;  // spans, or pairs of a word and a label, between two products
constexpr WeightRole kRole = WeightRole::kHead;

MatrixView row_range(Matrix& matrix, size_t rows) { return matrix.view().row_range(0, rows); }

// Columns [begin, begin + count) of rows of `cols` floats.
std::vector<float> columns(std::span<const float> rows, size_t cols, size_t begin, size_t count) {
  std::vector<float> part;
  part.reserve(rows.size() / cols * count);
  for (size_t at = begin; at < rows.size(); at += cols) part.insert(part.end(), &rows[at], &rows[at] + count);
  return part;
}

void relu(const KernelTable& kernels, MatrixView x) {
  for (size_t row = 0; row < x.rows; ++row) kernels.activate(x.row(row), x.cols, Activation::kRelu);
}

void add(std::vector<ScoredSpan>& spans, const ScoredSpan& span) {
  if (spans.size() == GlinerLayers::kMaxSpans) {
    throw Error(ErrorCode::kInvalidArgument, "more than " + std::to_string(GlinerLayers::kMaxSpans) +
                                                 " spans have a score above the threshold, expected a higher one");
  }
  spans.push_back(span);
}

// Scores of words as beginnings, ends and insides of entities, [words * labels, 3], to spans: the least of the scores
// of the first word as a beginning, of the last as an end, and of all as insides.
std::vector<ScoredSpan> spans_of(ConstMatrixView scores, size_t words, size_t labels, double threshold) {
  const auto least = static_cast<float>(threshold);
  const auto score = [&](size_t word, size_t label, size_t which) { return scores.row(word * labels + label)[which]; };
  std::vector<ScoredSpan> spans;
  for (size_t first = 0; first < words; ++first) {
    for (size_t label = 0; label < labels; ++label) {
      const float start = score(first, label, 0);
      if (!(start > least)) continue;
      float inside = 1;
      for (size_t last = first; last < words; ++last) {
        inside = std::min(inside, score(last, label, 2));
        if (static_cast<double>(inside) < threshold) break;
        const float end = score(last, label, 1);
        if (end > least) add(spans, {first, last, label, static_cast<double>(std::min({inside, start, end}))});
      }
    }
  }
  return spans;
}

}  // namespace

GlinerLayers::GlinerLayers(const GlinerSettings& settings, size_t encoder_width, size_t label_width,
                           WeightReader& weights)
    : form_(settings.form), width_(settings.hidden_size), max_width_(settings.max_width) {
  if (encoder_width != width_) projection_ = dense("token_rep_layer.projection", width_, encoder_width, weights);
  if (label_width != 0 && label_width != width_) {
    label_projection_ = dense("token_rep_layer.labels_projection", width_, label_width, weights);
  }
  // gliner's bi-encoder has a recurrent layer in its file and does not use it.
  if (label_width == 0) read_lstm(settings.lstm_layers, weights);
  form_ == EntityForm::kWords ? read_word_scorer(weights) : read_span_scorer(weights);
}

LinearPart GlinerLayers::dense(const std::string& name, size_t out, size_t in, WeightReader& weights) {
  widest_input_ = std::max(widest_input_, in);
  return {weights.matrix(name + ".weight", out, in, kRole), weights.vector(name + ".bias", out, kRole).data()};
}

// Dropout has no weights, and a number among the layers.
TwoLayers GlinerLayers::two_layers(const std::string& name, size_t in, size_t inner, size_t out,
                                   WeightReader& weights) {
  return {dense(name + ".0", inner, in, weights), dense(name + ".3", out, inner, weights)};
}

void GlinerLayers::read_lstm(size_t layers, WeightReader& weights) {
  const size_t size = width_ / 2;
  for (size_t layer = 0; layer < layers; ++layer) {
    const auto part = [&](const char* from, size_t in, const std::string& ending) -> LinearPart {
      const std::string name = std::string("_") + from + "_l" + std::to_string(layer) + ending;
      return {weights.matrix("rnn.lstm.weight" + name, 4 * size, in, kRole),
              weights.vector("rnn.lstm.bias" + name, 4 * size, kRole).data()};
    };
    const auto direction = [&](const std::string& ending) -> LstmDirection {
      return {part("ih", width_, ending), part("hh", size, ending)};
    };
    lstm_.layers.push_back({direction(""), direction("_reverse")});
  }
  widest_input_ = std::max(widest_input_, lstm_.widest_input());
}

void GlinerLayers::read_span_scorer(WeightReader& weights) {
  const std::string layer = "span_rep_layer.span_rep_layer.";
  const bool has_inner = form_ == EntityForm::kMarkerV0;
  const size_t inner = (has_inner ? 4 : 2) * width_;  // of the words' layers, and of the span's
  start_ = two_layers(layer + "project_start", width_, inner, width_, weights);
  end_ = two_layers(layer + "project_end", width_, inner, width_, weights);
  label_ = two_layers("prompt_rep_layer", width_, 4 * width_, width_, weights);
  const auto half = [&](std::span<const float> rows, size_t begin, const float* bias) -> LinearPart {
    const std::span<const float> kept = weights.keep(columns(rows, 2 * width_, begin, width_));
    return {{.data = kept.data(), .rows = inner, .cols = width_}, bias};
  };
  if (has_inner) {
    const std::span<const float> rows = weights.floats(layer + "out_project.0.weight", inner, 2 * width_, kRole);
    inner_start_ = half(rows, 0, weights.vector(layer + "out_project.0.bias", inner, kRole).data());
    inner_end_ = half(rows, width_, nullptr);
  }
  const std::string output = layer + (has_inner ? "out_project.3" : "out_project");
  const std::span<const float> rows = weights.floats(output + ".weight", width_, inner, kRole);
  const std::span<const float> bias = weights.vector(output + ".bias", width_, kRole);
  std::vector<float> transposed;
  transposed.reserve((inner + 1) * width_);
  for (size_t column = 0; column < inner; ++column) {
    for (size_t row = 0; row < width_; ++row) transposed.push_back(rows[row * inner + column]);
  }
  transposed.insert(transposed.end(), bias.begin(), bias.end());
  output_ = {{.data = weights.keep(transposed).data(), .rows = inner + 1, .cols = width_}, nullptr};
  widest_input_ = std::max(widest_input_, inner);
}

void GlinerLayers::read_word_scorer(WeightReader& weights) {
  of_word_ = dense("scorer.proj_token", 2 * width_, width_, weights);
  of_label_ = dense("scorer.proj_label", 2 * width_, width_, weights);
  const size_t inner = 4 * width_;
  const std::span<const float> rows = weights.floats("scorer.out_mlp.0.weight", inner, 3 * width_, kRole);
  const auto part = [&](size_t which, const float* bias) -> LinearPart {
    const std::span<const float> kept = weights.keep(columns(rows, 3 * width_, which * width_, width_));
    return {{.data = kept.data(), .rows = inner, .cols = width_}, bias};
  };
  inner_word_ = part(0, weights.vector("scorer.out_mlp.0.bias", inner, kRole).data());
  inner_label_ = part(1, nullptr);
  inner_product_ = part(2, nullptr);
  three_scores_ = dense("scorer.out_mlp.3", 3, inner, weights);
}

ConstMatrixView GlinerLayers::project(const std::optional<LinearPart>& projection, ConstMatrixView x, Matrix& memory,
                                      const OwnProducts& products) const {
  if (!projection) return x;
  memory = Matrix(x.rows, width_);
  products.multiply({.x = x, .parts = {&*projection, 1}, .y = memory.view()});
  return memory.view();
}

ConstMatrixView GlinerLayers::project(ConstMatrixView x, Matrix& memory, const OwnProducts& products) const {
  return project(projection_, x, memory, products);
}

ConstMatrixView GlinerLayers::project_labels(ConstMatrixView x, Matrix& memory, const OwnProducts& products) const {
  return project(label_projection_, x, memory, products);
}

void GlinerLayers::recur(MatrixView words, std::span<const size_t> row_starts, const OwnProducts& products) const {
  if (lstm_.layers.empty()) return;
  Matrix outputs(words.rows, words.cols);
  lstm_.forward(words, row_starts, outputs.view(), products);
  for (size_t row = 0; row < words.rows; ++row) std::copy_n(outputs.view().row(row), words.cols, words.row(row));
}

std::vector<ScoredSpan> GlinerLayers::spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                            const OwnProducts& products) const {
  if (form_ != EntityForm::kWords) return marked_spans(words, labels, threshold, products);
  const Matrix scores = word_scores(words, labels, products);
  return spans_of(scores.view(), words.rows, labels.rows, threshold);
}

std::vector<ScoredSpan> GlinerLayers::marked_spans(ConstMatrixView words, ConstMatrixView labels, double threshold,
                                                   const OwnProducts& products) const {
  const auto through = [&](const TwoLayers& layers, ConstMatrixView x) {
    Matrix inner(x.rows, layers.first.weight.rows), y(x.rows, layers.second.weight.rows);
    products.multiply({.x = x, .parts = {&layers.first, 1}, .activation = Activation::kRelu, .y = inner.view()});
    products.multiply({.x = inner.view(), .parts = {&layers.second, 1}, .y = y.view()});
    return y;
  };
  // Of each word, what it adds to the inner layer of a span that it begins, or ends.
  const auto inner_of = [&](const TwoLayers& layers, const std::optional<LinearPart>& half) {
    Matrix marks = through(layers, words);
    relu(products.kernels(), marks.view());
    if (!half) return marks;
    Matrix sums(words.rows, half->weight.rows);
    products.multiply({.x = marks.view(), .parts = {&*half, 1}, .y = sums.view()});
    return sums;
  };
  const Matrix begins = inner_of(start_, inner_start_), ends = inner_of(end_, inner_end_);

  // The output layer, applied to the labels.
  const size_t inner = output_.weight.rows - 1;
  const Matrix vectors = through(label_, labels);
  Matrix outputs(labels.rows, inner + 1), of_labels(labels.rows, inner);
  products.multiply({.x = vectors.view(), .parts = {&output_, 1}, .y = outputs.view()});
  std::vector<float> bias;
  for (size_t label = 0; label < labels.rows; ++label) {
    std::copy_n(outputs.view().row(label), inner, of_labels.view().row(label));
    bias.push_back(outputs.view().row(label)[inner]);
  }
  const LinearPart score{{.data = of_labels.view().data, .rows = labels.rows, .cols = inner}, bias.data()};

  std::vector<ScoredSpan> places, found;
  for (size_t first = 0; first < words.rows; ++first) {
    const size_t end = std::min(words.rows, first + max_width_);
    for (size_t last = first; last < end; ++last) places.push_back({.first = first, .last = last});
  }
  Matrix rows(std::min(kRowsAtOnce, places.size()), inner), scores(rows.rows(), labels.rows);
  const auto least = static_cast<float>(threshold);
  for (size_t begin = 0; begin < places.size(); begin += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, places.size() - begin);
    products.pool().run_rows(count, [&](size_t row, size_t group) {
      for (const size_t end = row + group; row < end; ++row) {
        const ScoredSpan& place = places[begin + row];
        float* to = rows.view().row(row);
        const float* first = begins.view().row(place.first);
        const float* last = ends.view().row(place.last);
        if (inner_start_) {
          for (size_t i = 0; i < inner; ++i) to[i] = std::max(first[i] + last[i], 0.0f);
        } else {
          std::copy_n(last, width_, std::copy_n(first, width_, to));
        }
      }
    });
    products.multiply({.x = row_range(rows, count),
                       .parts = {&score, 1},
                       .activation = Activation::kSigmoid,
                       .y = row_range(scores, count)});
    for (size_t row = 0; row < count; ++row) {
      for (size_t label = 0; label < labels.rows; ++label) {
        const float value = scores.view().row(row)[label];
        if (!(value > least)) continue;
        const ScoredSpan& place = places[begin + row];
        add(found, {place.first, place.last, label, static_cast<double>(value)});
      }
    }
  }
  return found;
}

// [words * labels, 3]
Matrix GlinerLayers::word_scores(ConstMatrixView words, ConstMatrixView labels, const OwnProducts& products) const {
  const auto apply = [&](const LinearPart& part, ConstMatrixView x) {
    Matrix y(x.rows, part.weight.rows);
    products.multiply({.x = x, .parts = {&part, 1}, .y = y.view()});
    return y;
  };
  const auto first_half = [&](const Matrix& x) { return ConstMatrixView{x.view().data, x.rows(), width_, x.cols()}; };
  const Matrix word_parts = apply(of_word_, words), label_parts = apply(of_label_, labels);
  const Matrix of_words = apply(inner_word_, first_half(word_parts));
  const Matrix of_labels = apply(inner_label_, first_half(label_parts));
  const size_t inner = inner_product_.weight.rows, pairs = words.rows * labels.rows;
  Matrix scores(pairs, 3);
  Matrix product(std::min(kRowsAtOnce, pairs), width_), sums(product.rows(), inner), values(product.rows(), inner);
  for (size_t begin = 0; begin < pairs; begin += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, pairs - begin);
    products.pool().run_rows(count, [&](size_t row, size_t group) {
      for (const size_t end = row + group; row < end; ++row) {
        const size_t word = (begin + row) / labels.rows, label = (begin + row) % labels.rows;
        const float* a = word_parts.view().row(word) + width_;
        const float* b = label_parts.view().row(label) + width_;
        for (size_t i = 0; i < width_; ++i) product.view().row(row)[i] = a[i] * b[i];
        const float* c = of_words.view().row(word);
        const float* d = of_labels.view().row(label);
        for (size_t i = 0; i < inner; ++i) sums.view().row(row)[i] = c[i] + d[i];
      }
    });
    products.multiply({.x = row_range(product, count),
                       .parts = {&inner_product_, 1},
                       .residual = row_range(sums, count),
                       .y = row_range(values, count)});
    products.pool().run_rows(
        count, [&](size_t row, size_t group) { relu(products.kernels(), values.view().row_range(row, group)); });
    products.multiply({.x = row_range(values, count),
                       .parts = {&three_scores_, 1},
                       .activation = Activation::kSigmoid,
                       .y = scores.view().row_range(begin, count)});
  }
  return scores;
}

}  // namespace bert
