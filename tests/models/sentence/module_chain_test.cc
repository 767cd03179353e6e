#include "models/sentence/module_chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bert/error.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/random.h"
#include "tests/support/safetensors_writer.h"

namespace bert {
namespace {

using Vector = std::vector<double>;

constexpr size_t kHidden = 24;

// A weight [out, in] with its bias. Computes the product in float64, to compare the engine's with.
struct Dense {
  size_t in, out;
  std::vector<float> weight, bias;

  Dense(size_t in_width, size_t out_width, uint64_t seed) : in(in_width), out(out_width) {
    test::Random random(seed);
    weight = random.numbers(in * out, 0.3f);
    bias = random.numbers(out, 0.3f);
  }

  Vector operator()(const Vector& x) const {
    Vector y(out);
    for (size_t o = 0; o < out; ++o) {
      y[o] = static_cast<double>(bias[o]);
      for (size_t i = 0; i < in; ++i) y[o] += static_cast<double>(weight[o * in + i]) * x[i];
    }
    return y;
  }
};

class ModuleChainTest : public test::TinyModelTest {
 protected:
  void write_weights(const std::string& folder, const std::vector<test::TestTensor>& tensors) {
    directory_.write(folder + "/model.safetensors", test::image_of(tensors));
  }

  static std::vector<test::TestTensor> tensors_of(const Dense& dense) {
    return {{"linear.bias", "F32", {dense.out}, test::bytes_of(dense.bias)},
            {"linear.weight", "F32", {dense.out, dense.in}, test::bytes_of(dense.weight)}};
  }

  static std::string dense_json(const Dense& dense, const std::string& more = "") {
    return R"({"in_features": )" + std::to_string(dense.in) + R"(, "out_features": )" + std::to_string(dense.out) +
           more + "}";
  }

  // The rows of a text's tokens, [tokens, hidden], their mean and their largest values.
  struct Tokens {
    std::vector<Vector> rows;
    Vector mean = Vector(kHidden), largest = Vector(kHidden, -1e9);
  };
  static Tokens tokens_of(const Model& model, std::string_view text) {
    const EncodedText encoded = model.encode(text);
    Tokens tokens;
    for (size_t t = 0; t < encoded.tokens; ++t) {
      const auto row = encoded.last_hidden_state.begin() + static_cast<std::ptrdiff_t>(t * kHidden);
      tokens.rows.emplace_back(row, row + kHidden);
      for (size_t c = 0; c < kHidden; ++c) {
        tokens.mean[c] += tokens.rows.back()[c] / static_cast<double>(encoded.tokens);
        tokens.largest[c] = std::max(tokens.largest[c], tokens.rows.back()[c]);
      }
    }
    return tokens;
  }

  static void make_unit(Vector& vector) {
    double square = 0;
    for (const double value : vector) square += value * value;
    for (double& value : vector) value /= std::sqrt(square);
  }

  const std::string text_ = "the quick brown fox";
};

TEST_F(ModuleChainTest, PutsSeveralPoolingsSideBySide) {
  write_modules({{"Pooling", R"({"pooling_mode": ["mean", "cls", "max"]})"}});
  const Model model = load();
  const Tokens tokens = tokens_of(model, text_);
  Vector expected = tokens.mean;
  expected.insert(expected.end(), tokens.rows[0].begin(), tokens.rows[0].end());
  expected.insert(expected.end(), tokens.largest.begin(), tokens.largest.end());
  EXPECT_EQ(model.embedding_size(), 3 * kHidden);
  EXPECT_TRUE(test::within(1e-6, model.embed(text_), expected));
}

// LaBSE has these modules.
TEST_F(ModuleChainTest, RunsADenseModuleThenNormalises) {
  const Dense dense(kHidden, 10, 1);
  write_modules(
      {{"Pooling", R"({"pooling_mode_cls_token": true})"}, {"Dense", dense_json(dense)}, {"Normalize", "{}"}});
  write_weights("2", tensors_of(dense));
  const Model model = load();
  Vector expected = dense(tokens_of(model, text_).rows[0]);
  for (double& value : expected) value = std::tanh(value);
  EXPECT_TRUE(test::within(1e-6, model.embed(text_, {.normalize = false}), expected));
  make_unit(expected);
  EXPECT_TRUE(test::within(1e-6, model.embed(text_), expected));
  EXPECT_TRUE(model.pooling().normalize);
}

TEST_F(ModuleChainTest, AddsTheInputOfAResidualModule) {
  const Dense square(kHidden, kHidden, 2), narrow(kHidden, 7, 3), projection(kHidden, 7, 4);
  const std::string residual = R"(, "use_residual": true, "activation_function": "torch.nn.modules.activation.ReLU")";
  write_modules({{"Pooling", "{}"}, {"Dense", dense_json(square, residual)}, {"Dense", dense_json(narrow, residual)}});
  write_weights("2", tensors_of(square));
  std::vector<test::TestTensor> tensors = tensors_of(narrow);
  tensors.push_back({"residual.weight", "F32", {7, kHidden}, test::bytes_of(projection.weight)});
  write_weights("3", tensors);
  const Model model = load();
  const Vector mean = tokens_of(model, text_).mean;
  Vector first = square(mean);
  for (size_t i = 0; i < kHidden; ++i) first[i] = std::max(first[i], 0.0) + mean[i];
  Vector expected = narrow(first), beside = projection(first);
  for (size_t i = 0; i < 7; ++i) {
    expected[i] = std::max(expected[i], 0.0) + beside[i] - static_cast<double>(projection.bias[i]);
  }
  EXPECT_TRUE(test::within(3e-6, model.embed(text_), expected));
}

TEST_F(ModuleChainTest, RunsModulesOfEachTokenBeforePooling) {
  const Dense dense(kHidden, 6, 5);
  const std::string of_tokens = R"("module_input_name": "token_embeddings")";
  write_modules({{"Dense", dense_json(dense, ", " + of_tokens)},
                 {"Normalize", "{" + of_tokens + "}"},
                 {"Pooling", R"({"pooling_mode": "mean"})"}});
  write_weights("1", tensors_of(dense));
  const Model model = load();
  Vector expected(6);
  const Tokens tokens = tokens_of(model, text_);
  for (const Vector& row : tokens.rows) {
    Vector y = dense(row);
    for (double& value : y) value = std::tanh(value);
    make_unit(y);
    for (size_t i = 0; i < 6; ++i) expected[i] += y[i] / static_cast<double>(tokens.rows.size());
  }
  EXPECT_TRUE(test::within(1e-6, model.embed(text_), expected));
}

TEST_F(ModuleChainTest, NormalisesByALayerNorm) {
  test::Random random(6);
  const std::vector<float> weight = random.numbers(kHidden, 1), bias = random.numbers(kHidden, 1);
  write_modules({{"Pooling", "{}"}, {"LayerNorm", R"({"dimension": 24})"}});
  write_weights("2", {{"norm.bias", "F32", {kHidden}, test::bytes_of(bias)},
                      {"norm.weight", "F32", {kHidden}, test::bytes_of(weight)}});
  const Model model = load();
  Vector expected = tokens_of(model, text_).mean;
  double mean = 0, variance = 0;
  for (const double value : expected) mean += value / kHidden;
  for (const double value : expected) variance += (value - mean) * (value - mean) / kHidden;
  for (size_t i = 0; i < kHidden; ++i) {
    expected[i] = (expected[i] - mean) / std::sqrt(variance + 1e-5) * static_cast<double>(weight[i]) +
                  static_cast<double>(bias[i]);
  }
  EXPECT_TRUE(test::within(3e-6, model.embed(text_), expected));
}

// The last Pooling wins. A Normalize before a Dense is kept, whatever the caller's `normalize` is.
TEST_F(ModuleChainTest, KeepsTheOrderOfTheModules) {
  const Dense dense(kHidden, 5, 7);
  write_modules({{"Pooling", R"({"pooling_mode": "max"})"},
                 {"Pooling", R"({"pooling_mode": "mean"})"},
                 {"Normalize", "{}"},
                 {"Dense", dense_json(dense, R"(, "activation_function": "torch.nn.modules.linear.Identity")")}});
  write_weights("4", tensors_of(dense));
  const Model model = load();
  Vector mean = tokens_of(model, text_).mean;
  make_unit(mean);
  EXPECT_FALSE(model.pooling().normalize);
  EXPECT_TRUE(test::within(1e-6, model.embed(text_, {.normalize = false}), dense(mean)));
}

TEST_F(ModuleChainTest, CutsAfterNormalisingWhereTheFilesCut) {
  write_modules({{"Pooling", "{}"}, {"Normalize", "{}"}});
  const std::vector<float> whole = load().embed(text_);
  directory_.write("config_sentence_transformers.json", R"({"truncate_dim": 5})");
  const Model model = load();
  EXPECT_EQ(model.embedding_size(), 5u);
  EXPECT_TRUE(test::same_bits(model.embed(text_), std::span(whole).first(5)));
  // A caller's `dimensions` or `normalize` makes the cut vector's length 1.
  for (const EmbedOptions& options : {EmbedOptions{.dimensions = 5}, EmbedOptions{.normalize = true}}) {
    double square = 0;
    for (const float value : model.embed(text_, options)) square += std::pow(static_cast<double>(value), 2);
    EXPECT_NEAR(square, 1, 1e-6);
  }
}

TEST_F(ModuleChainTest, PutsACallersPoolingInPlaceOfTheModels) {
  const Dense dense(kHidden, 5, 8);
  write_modules({{"Pooling", R"({"pooling_mode": ["mean", "cls"]})"}, {"Normalize", "{}"}});
  const Model model = load();
  Vector expected = tokens_of(model, text_).largest;
  make_unit(expected);
  EXPECT_EQ(model.embedding_size({.pooling = PoolingMode::kMax}), kHidden);
  EXPECT_TRUE(test::within(1e-6, model.embed(text_, {.pooling = PoolingMode::kMax}), expected));
}

TEST_F(ModuleChainTest, GivesTheSameBitsInAnyBatch) {
  const Dense dense(kHidden, 33, 9);
  write_modules({{"Pooling", "{}"}, {"Dense", dense_json(dense)}});
  write_weights("2", tensors_of(dense));
  const Model model = load();
  const Encoding first = model.tokenizer().tokenize(text_), second = model.tokenizer().tokenize("a lazy dog");
  std::vector<TokenSequence> batch(20, model.sequence(second));
  batch[7] = model.sequence(first);
  const std::vector<float> rows = model.embed(batch);
  EXPECT_TRUE(test::same_bits(std::span(rows).subspan(7 * 33, 33), model.embed(text_)));
}

TEST_F(ModuleChainTest, ReportsUnknownTensorsOfAModule) {
  const Dense dense(kHidden, 5, 11);
  write_modules({{"Pooling", "{}"}, {"Dense", dense_json(dense)}});
  std::vector<test::TestTensor> tensors = tensors_of(dense);
  tensors.push_back({"other.weight", "F32", {5}, test::bytes_of(std::vector<float>(5))});
  write_weights("2", tensors);
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { load(); }).find("other.weight"), std::string::npos);
  const Model model = Model::load(directory_.path().string(), {.ignore_unexpected = true});
  ASSERT_FALSE(model.notices().empty());
  const std::string& notice = model.notices().back();
  EXPECT_NE(notice.find("1 unknown tensors: 'other.weight', not used"), std::string::npos) << notice;
}

TEST_F(ModuleChainTest, EncodesAndRefusesToEmbedWhereWeightsCannotBeRead) {
  const Dense dense(kHidden, 5, 10);
  write_modules({{"Pooling", "{}"}, {"Dense", dense_json(dense)}});
  directory_.write("2/pytorch_model.bin", "PK");
  const Model model = load();
  EXPECT_EQ(model.encode(text_).hidden, kHidden);
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported, [&] { model.embed(text_); }).find("found 'pytorch_model.bin' only"),
            std::string::npos);
  EXPECT_EQ(model.embed(text_, {.pooling = PoolingMode::kMean}).size(), kHidden);
  write_weights("2", {tensors_of(dense)[1]});
  const Model without_bias = load();
  const std::string missing = test::error_of(ErrorCode::kNotFound, [&] { without_bias.embed(text_); });
  EXPECT_NE(missing.find("linear.bias"), std::string::npos) << missing;
}

}  // namespace
}  // namespace bert
