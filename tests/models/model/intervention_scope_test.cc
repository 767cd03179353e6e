#include <gtest/gtest.h>

#include <utility>

#include "bert/explain.h"
#include "models/model/intervention_slot.h"
#include "tests/models/tiny_model_test.h"

namespace bert {
namespace {

class InterventionScopeTest : public test::TinyModelTest {};

TEST_F(InterventionScopeTest, LastsUntilItsEnd) {
  const Model model = load();
  const std::vector<float> whole = model.embed("the fox");
  InterventionScope scope(model, {.heads = {{0, 0}}});
  EXPECT_NE(model.embed("the fox"), whole);
  InterventionScope moved(std::move(scope));
  scope.end();
  EXPECT_NE(model.embed("the fox"), whole);
  moved.end();
  EXPECT_EQ(model.embed("the fox"), whole);
}

TEST_F(InterventionScopeTest, IsTheOnlyOne) {
  const Model model = load();
  const InterventionScope scope(model, {.heads = {{0, 0}}});
  EXPECT_NE(test::refusal(ErrorCode::kInvalidArgument,
                          [&] {
                            InterventionScope(model, {.heads = {{0, 1}}});
                          })
                .find("one at a time"),
            std::string::npos);
}

TEST_F(InterventionScopeTest, OtherModelsStay) {
  const Model model = load();
  const Model other = Model::load(directory_.path().string());
  const std::vector<float> whole = other.embed("the fox");
  const InterventionScope scope(model, {.heads = {{0, 0}}});
  EXPECT_EQ(other.embed("the fox"), whole);
}

TEST(InterventionSlot, HoldsOneAtATime) {
  InterventionSlot slot;
  EXPECT_EQ(slot.get(), nullptr);
  const auto one = std::make_shared<const Interventions>();
  EXPECT_TRUE(slot.set(one));
  EXPECT_EQ(slot.get(), one);
  EXPECT_FALSE(slot.set(std::make_shared<const Interventions>()));
  EXPECT_EQ(slot.get(), one);
  slot.clear();
  EXPECT_EQ(slot.get(), nullptr);
}

}  // namespace
}  // namespace bert
