#include "engine/layers/feed_forward.h"

#include <gtest/gtest.h>

#include "tests/engine/layers/layer_setup.h"
#include "tests/support/compare.h"

namespace bert {
namespace {

// down(relu(first) * second) + residual in float64, and the same with the halves exchanged.
TEST(FeedForward, MultipliesTheActivatedHalfByTheOther) {
  const size_t hidden = 6, intermediate = 21, rows = 11;
  test::Random random(3);
  const test::Dense first(intermediate, hidden, random), second(intermediate, hidden, random),
      down(hidden, intermediate, random);
  const std::vector<float> x = random.numbers(rows * hidden), residual = random.numbers(rows * hidden);
  for (const auto activated : {Gate::Activated::kFirst, Gate::Activated::kSecond}) {
    FeedForward layer;
    layer.up.parts = {first.part(), second.part()};
    layer.gate = Gate{activated, Activation::kRelu};
    layer.down = down.linear();
    test::LayerSetup setup(
        {.tokens = rows, .longest = rows, .hidden = hidden, .wide = 2 * intermediate, .head_dim = 1, .threads = 2});
    std::vector<float> y(x.size());
    layer.forward({x.data(), rows, hidden, hidden}, {residual.data(), rows, hidden, hidden},
                  {y.data(), rows, hidden, hidden}, setup.context());

    const bool is_first = activated == Gate::Activated::kFirst;
    test::Doubles wide = (is_first ? first : second).exact(test::widen(x));
    const test::Doubles gate = (is_first ? second : first).exact(test::widen(x));
    for (size_t i = 0; i < wide.size(); ++i) wide[i] = std::max(wide[i], 0.0) * gate[i];
    test::Doubles expected = down.exact(wide);
    for (size_t i = 0; i < expected.size(); ++i) expected[i] += static_cast<double>(residual[i]);
    EXPECT_TRUE(test::within(3e-6, y, expected));
  }
}

}  // namespace
}  // namespace bert
