// Compares models with changed forward passes with the original model.
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "bert/interventions.h"
#include "bert/text_pipeline.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/safetensors_writer.h"

namespace bert {
namespace {

const Interventions kWithoutAHead = {.heads = {{0, 0}}};

class InterveneTest : public test::TinyModelTest {};

TEST_F(InterveneTest, LeavesTheModelAsItIs) {
  std::optional<Model> model(load());
  const std::vector<float> whole = model->embed("the fox");
  const Model changed = intervene(*model, kWithoutAHead);
  const std::vector<float> without = changed.embed("the fox");
  EXPECT_NE(without, whole);
  EXPECT_EQ(model->embed("the fox"), whole);
  EXPECT_EQ(&changed.tokenizer(), &model->tokenizer()) << "not shared";
  model.reset();
  EXPECT_EQ(changed.embed("the fox"), without);
}

TEST_F(InterveneTest, BothModelsMayBeUsedAtTheSameTime) {
  const Model model = load();
  const Model changed = intervene(model, kWithoutAHead);
  const std::vector<float> whole = model.embed("the fox"), without = changed.embed("the fox");
  const auto repeat = [](const Model& of, const std::vector<float>& expected) {
    for (int i = 0; i < 100; ++i) ASSERT_EQ(of.embed("the fox"), expected) << i;
  };
  std::thread other([&] { repeat(changed, without); });
  repeat(model, whole);
  other.join();
}

TEST_F(InterveneTest, RunsOverManyTextsHaveTheirOwnModel) {
  const Model model = load();
  const Model changed = intervene(model, kWithoutAHead);
  const std::vector<std::string_view> texts(200, "the quick fox");
  const VectorRequest request{.dense = EmbedOptions{}};
  EXPECT_FALSE(TextTaskRunner(model, request).shares_passes_with(TextTaskRunner(changed, request)));
  Texts first(texts), second(texts);
  TextPipeline of_model(model, request, first), of_changed(changed, request, second);
  const std::vector<float> whole = model.embed(texts[0]), without = changed.embed(texts[0]);
  for (TextResult a, b; of_model.next(a) && of_changed.next(b);) {
    ASSERT_EQ(a.vectors().dense, whole) << a.input.index;
    ASSERT_EQ(b.vectors().dense, without) << b.input.index;
  }
}

TEST_F(InterveneTest, AddsToWhatTheModelHas) {
  const Model model = load();
  const Model both = intervene(model, {.heads = {{0, 0}, {1, 2}}});
  const Model one = intervene(model, kWithoutAHead);
  const Model other = intervene(one, {.heads = {{1, 2}}});
  EXPECT_EQ(other.embed("the fox"), both.embed("the fox"));
  EXPECT_NE(other.embed("the fox"), one.embed("the fox"));
}

TEST_F(InterveneTest, RefusesWhatTheModelDoesNotHave) {
  const Model model = load();
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument,
                          [&] {
                            intervene(model, {.heads = {{2, 0}}});
                          })
                .find("head 2.0"),
            std::string::npos);
  const test::TemporaryDirectory folder;
  folder.write("vocab.txt", "[PAD]\n[UNK]\nfox\n");
  folder.write("model.safetensors", test::image_of({{"embedding.weight", "F32", {3, 2}, std::string(24, '\0')}}));
  folder.write("modules.json", R"([{"type": "sentence_transformers.models.StaticEmbedding", "path": ""}])");
  const Model without_layers = Model::load(folder.path().string());
  EXPECT_NE(test::refusal(ErrorCode::kNotFound, [&] { intervene(without_layers, {}); }).find("has no layers to change"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
