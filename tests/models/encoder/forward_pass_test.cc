// Tests the checks of a forward pass, and its counts of coarse rows, for each call that runs one.
#include "models/encoder/forward_pass.h"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "bert/quantize.h"
#include "models/model/model_impl.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/random.h"

namespace bert {
namespace {

using Ids = std::vector<int32_t>;

class ForwardPassTest : public test::TinyModelTest {};

TEST_F(ForwardPassTest, ChecksSequencesAsEncodeDoes) {
  const Model model = load();
  EXPECT_NO_THROW(model.check({.ids = Ids{1, 39}}));
  const std::vector<TokenSequence> bad = {{.ids = Ids{}}};
  const Ids past = {1, 40};
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument, [&] { model.check({.ids = past}); }).find("token 1 has id 40"),
            std::string::npos);
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument, [&] { model.encode(bad); }), "");
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument, [&] { model.embed(bad); }), "");
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument, [&] { model.encode(std::span<const TokenSequence>()); }), "");
}

TEST_F(ForwardPassTest, RefusesANaNInTheOutputForTheSequenceThatHasIt) {
  const Model model = load({}, [](test::TinyTensors& tensors) {
    tensors["embeddings.word_embeddings.weight"].values[7 * 24 + 3] = std::numeric_limits<float>::quiet_NaN();
  });
  const Ids good = {2, 5, 3}, bad = {2, 7, 3};
  EXPECT_NO_THROW(model.encode(std::vector<TokenSequence>{{.ids = good}}));
  const std::vector<TokenSequence> batch = {{.ids = good}, {.ids = bad}};
  for (const bool embed : {false, true}) {
    const std::string error = test::refusal(ErrorCode::kNonFinite, [&] {
      if (embed) {
        model.embed(batch);
      } else {
        model.encode(batch);
      }
    });
    EXPECT_NE(error.find("sequence 1"), std::string::npos) << error;
    EXPECT_NE(error.find("NaN"), std::string::npos) << error;
  }
}

// The model's weights give the first layer coarse rows; the model without the large number has none.
TEST_F(ForwardPassTest, CountsTheCoarseRowsOfEachSequence) {
  const Ids first = {2, 5, 3}, second = {2, 7, 9, 11, 3};
  std::vector<size_t> of_first = {9}, of_second = {9};
  const std::vector<TokenSequence> batch = {{.ids = first, .coarse_rows_by_layer = &of_first},
                                            {.ids = second, .coarse_rows_by_layer = &of_second}};
  using Counts = std::vector<size_t>;
  test::write_tiny_coarse_model(directory_);
  const Model model = Model::load(directory_.path().string(), {.threads = 2, .precision = Precision::kInt8});
  model.embed(batch);
  EXPECT_EQ(of_first, (Counts{0, 3, 0}));
  EXPECT_EQ(of_second, (Counts{0, 5, 0}));
  model.embed({&batch[1], 1});
  EXPECT_EQ(of_second, (Counts{0, 5, 0}));
  model.encode(batch);  // runs the pooler too
  EXPECT_EQ(of_second, (Counts{0, 5, 0, 0}));

  // With packed weights a pass goes through the layers in blocks of rows.
  const Model packed = Model::load(directory_.path().string(),
                                   {.threads = 1, .precision = Precision::kInt8, .packing = Packing::kAlways});
  std::vector<TokenSequence> many(100, {.ids = first});
  many.insert(many.end() - 1, batch[1]);
  many.back().coarse_rows_by_layer = &of_first;
  of_first = of_second = {9};
  for (int pass = 0; pass < 2; ++pass) packed.embed(many);
  EXPECT_EQ(of_first, (Counts{0, 3, 0}));
  EXPECT_EQ(of_second, (Counts{0, 5, 0}));

  Model::load(directory_.path().string()).embed(batch);
  EXPECT_EQ(of_first, Counts{});
  load({.hidden = 96, .intermediate = 200}, {}, {.precision = Precision::kInt8}).embed(batch);
  EXPECT_EQ(of_first, (Counts{0, 0, 0}));
}

// The pooler reads one row per sequence. With 8-bit tables, the masked LM head's decoder reads a row per token.
TEST_F(ForwardPassTest, CountsTheCoarseRowsOfPoolerAndHead) {
  const Ids ids = {2, 5, 3};
  std::vector<size_t> rows;
  const TokenSequence sequence{.ids = ids, .coarse_rows_by_layer = &rows};
  const test::TemporaryDirectory results;
  const auto with_large = [&](const std::string& tensor) {
    test::write_tiny_model(directory_, {.hidden = 96}, [&](test::TinyTensors& tensors) {
      const std::string transform = "cls.predictions.transform.";
      test::Random random(9);
      tensors[transform + "dense.weight"] = {{96, 96}, random.numbers(96 * 96)};
      tensors[transform + "dense.bias"] = {{96}, random.numbers(96)};
      tensors[transform + "LayerNorm.weight"] = {{96}, random.numbers(96)};
      tensors[transform + "LayerNorm.bias"] = {{96}, random.numbers(96)};
      tensors["cls.predictions.bias"] = {{40}, random.numbers(40)};
      tensors.at(tensor).values[5] = 1.2e5f;
    });
    const std::string small = (results.path() / tensor).string();
    quantize(directory_.path().string(), small, SmallWeights::kInt8Tables);
    return Model::load(small);
  };
  with_large("encoder.layer.1.output.LayerNorm.bias").encode({&sequence, 1});
  EXPECT_EQ(rows, (std::vector<size_t>{0, 0, 0, 1}));
  with_large("cls.predictions.transform.LayerNorm.bias").logits(Head::kMaskedLm, {&sequence, 1});
  EXPECT_EQ(rows, (std::vector<size_t>{0, 0, 0, 3}));
}

// Replacing a word's vector by itself changes nothing; replacing it by another word's gives that word's outputs.
TEST_F(ForwardPassTest, TakesVectorsInPlaceOfWords) {
  const Model model = load();
  const Model::Impl& impl = ModelAccess::impl(model);
  const Ids first = {2, 5, 3}, second = {2, 7, 9, 3}, expected = {2, 5, 9, 3};
  const auto* table = static_cast<const float*>(impl.encoder.plan.embeddings.word.data);
  const size_t width = impl.config.hidden_size;
  const std::vector<TokenSequence> batch = {{.ids = first}, {.ids = second}};
  ForwardPass pass = ModelAccess::forward_pass(model, batch);
  const std::vector<size_t> places = {1, 4};  // rows of the whole batch
  std::vector<float> vectors;
  for (int i = 0; i < 2; ++i) vectors.insert(vectors.end(), table + 5 * width, table + 6 * width);
  pass.replace_words(places, {vectors.data(), 2, width, width});
  pass.run();
  const auto hidden = [&](const Ids& ids) {
    const TokenSequence sequence{.ids = ids};
    return model.encode({&sequence, 1})[0].last_hidden_state;
  };
  const auto rows = [&](size_t sequence) {
    const ConstMatrixView view = pass.hidden(sequence);
    std::vector<float> values;
    for (size_t row = 0; row < view.rows; ++row) values.insert(values.end(), view.row(row), view.row(row) + view.cols);
    return values;
  };
  EXPECT_EQ(rows(0), hidden(first));
  EXPECT_EQ(rows(1), hidden(expected));
}

TEST_F(ForwardPassTest, GivesManyThreadsAtOnceTheSameBits) {
  const Model model = load({.hidden = 48, .layers = 3, .intermediate = 96, .positions = 64});
  test::Random random(3);
  std::vector<Ids> texts;
  for (const size_t length : {1, 3, 17, 40, 64}) {
    texts.emplace_back();
    for (size_t i = 0; i < length; ++i) texts.back().push_back(static_cast<int32_t>(random.below(40)));
  }
  std::vector<EncodedSequence> expected;
  for (const Ids& ids : texts) {
    const TokenSequence sequence{.ids = ids};
    expected.push_back(model.encode({&sequence, 1}).front());
  }
  std::vector<int> different(4);
  std::vector<std::thread> users;
  for (size_t user = 0; user < different.size(); ++user) {
    users.emplace_back([&, user] {
      for (size_t pass = 0; pass < 30; ++pass) {
        const size_t text = (pass + user) % texts.size();
        const std::vector<TokenSequence> batch = {{.ids = texts[text]}, {.ids = texts[pass % texts.size()]}};
        const auto got = model.encode(batch, {.attentions = pass % 3 == 0});
        different[user] += !test::same_bits(got[0].last_hidden_state, expected[text].last_hidden_state);
        different[user] += !test::same_bits(got[0].pooler_output, expected[text].pooler_output);
      }
    });
  }
  for (std::thread& user : users) user.join();
  EXPECT_EQ(different, std::vector<int>(4, 0));
}

#if defined(__SSE__)
TEST_F(ForwardPassTest, ComputesTheSameBitsWhateverTheCallersFloatingPointMode) {
  constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040, kRoundDown = 0x2000;
  const auto tiny_numbers = [](test::TinyTensors& tensors) {
    for (float& value : tensors["encoder.layer.1.output.LayerNorm.weight"].values) value *= 1e-39f;
    for (float& value : tensors["encoder.layer.1.output.LayerNorm.bias"].values) value *= 1e-39f;
  };
  const Model model = load({}, tiny_numbers);
  const auto outputs = [](const Model& of) {
    EncodedText encoded = of.encode("The quick fox");
    std::vector<float> all = std::move(encoded.last_hidden_state);
    for (const PoolingMode mode : {PoolingMode::kMean, PoolingMode::kPooler}) {
      const std::vector<float> vector = of.embed("The quick fox", {.pooling = mode});
      all.insert(all.end(), vector.begin(), vector.end());
    }
    return all;
  };
  const std::vector<float> expected = outputs(model);
  ASSERT_EQ(std::fpclassify(expected[0]), FP_SUBNORMAL);
  const unsigned own = __builtin_ia32_stmxcsr();
  const unsigned modes = kFlushToZero | kDenormalsAreZero | kRoundDown;
  __builtin_ia32_ldmxcsr(own | modes);
  const std::vector<float> got = outputs(model), loaded_in_it = outputs(Model::load(directory_.path().string()));
  const unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(own);
  EXPECT_TRUE(test::same_bits(got, expected));
  EXPECT_TRUE(test::same_bits(loaded_in_it, expected));
  EXPECT_EQ(after & modes, modes) << "the caller's own mode is gone";
}
#endif

}  // namespace
}  // namespace bert
