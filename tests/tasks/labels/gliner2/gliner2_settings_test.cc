#include "tasks/labels/gliner2/gliner2_settings.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

std::optional<Gliner2Settings> read_gliner2(const std::string& members) {
  return read_gliner2_settings(MemorySource({{"config.json", "{" + members + "}"}}, "DIR"));
}

TEST(Gliner2Settings, HaveTheReferencesDefaults) {
  const Gliner2Settings settings = read_gliner2(R"("model_type": "extractor")").value();
  EXPECT_EQ(settings.pooling, WordPooling::kFirst);
  EXPECT_EQ(settings.max_width, 8u);
  EXPECT_EQ(settings.count_layer, CountLayer::kTwoLayers);
  EXPECT_FALSE(settings.boundaries);
}

TEST(Gliner2Settings, AreThoseOfTheFile) {
  const Gliner2Settings spans = read_gliner2(R"("model_type": "extractor", "token_pooling": "mean", "max_width": 12,
      "counting_layer": "count_lstm_v2")")
                                    .value();
  EXPECT_EQ(spans.pooling, WordPooling::kMean);
  EXPECT_EQ(spans.max_width, 12u);
  EXPECT_EQ(spans.count_layer, CountLayer::kTransformer);
  const Gliner2Settings own =
      read_gliner2(R"("model_type": "extractor", "max_width": 12, "span_head": {"max_width": 5})").value();
  EXPECT_EQ(own.max_width, 5u);
  const Gliner2Settings boundaries =
      read_gliner2(R"("model_type": "extractor", "architecture": "boundary", "boundary_head": {"boundary_dim": 32})")
          .value();
  EXPECT_EQ(boundaries.boundaries->width, 32u);
}

TEST(Gliner2Settings, OfAnotherKindOfDirectoryAreNone) {
  EXPECT_FALSE(read_gliner2(R"("model_type": "bert")"));
  EXPECT_FALSE(read_gliner2(""));
  EXPECT_FALSE(read_gliner2_settings(MemorySource({}, "DIR")));
}

TEST(Gliner2Settings, RefuseOtherFormsByName) {
  const auto refusal = [](const std::string& members) {
    return test::error_of(ErrorCode::kUnsupported, [&] { read_gliner2(R"("model_type": "extractor", )" + members); });
  };
  EXPECT_EQ(refusal(R"("architecture": "lattice")"),
            "'DIR/config.json': architecture 'lattice' is not supported, expected span, boundary");
  EXPECT_EQ(refusal(R"("counting_layer": "count_gru")"),
            "'DIR/config.json': counting_layer 'count_gru' is not supported, expected count_lstm, count_lstm_moe, "
            "count_lstm_v2");
  EXPECT_NE(refusal(R"("token_pooling": "last")"), "");
}

}  // namespace
}  // namespace bert
