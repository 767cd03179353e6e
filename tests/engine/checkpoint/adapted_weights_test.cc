// Tests weights that an adapter (LoRA) in another file changes. xlm_roberta_flash_test.cc tests adapters in the
// weights' file.
#include <gtest/gtest.h>

#include <vector>

#include "engine/checkpoint/weight_reader.h"
#include "tests/support/expect_error.h"
#include "tests/support/safetensors_writer.h"

namespace bert {
namespace {

using test::error_of;
using test::floats;
using test::TestTensor;

constexpr std::string_view kModelPrefixes[] = {"", "bert."};
constexpr std::string_view kModelIgnorable[] = {"pooler.*", "cls.*"};

// A reader of a base model's file and an adapter's file, both in memory.
struct Adapted {
  std::string base, adapter;
  std::vector<std::string> asked;  // modules whose scale the reader asked for
  WeightReader reader;

  Adapted(const std::vector<TestTensor>& base_tensors, const std::vector<TestTensor>& tensors,
          bool is_quantised = false)
      : base(test::image_of(base_tensors)),
        adapter(test::image_of(tensors)),
        reader(open(), names(), options(is_quantised)) {}

  Checkpoint open() const {
    Checkpoint checkpoint = Checkpoint::from_memory(test::as_bytes(base), "model.safetensors");
    checkpoint.append(Checkpoint::from_memory(test::as_bytes(adapter), "adapter_model.safetensors"));
    return checkpoint;
  }
  static WeightNames names() {
    return {.anchor = "embeddings.word.weight", .prefixes = kModelPrefixes, .ignorable = kModelIgnorable};
  }
  WeightReaderOptions options(bool is_quantised) {
    const auto scale = [this](std::string_view module, size_t rank) {
      asked.push_back(std::string(module) + " " + std::to_string(rank));
      return module.find("word") == module.npos ? 0.5 : 2.0;
    };
    return {.int8 = is_quantised ? std::optional(WeightFormat::kI8) : std::nullopt,
            .quantize = is_quantised,
            .adapter_files = WeightReaderOptions::AdapterFiles{1, scale}};
  }
};

TestTensor words(const std::string& prefix = "") { return floats(prefix + "embeddings.word.weight", {3, 4}); }

std::vector<float> values_of(const WeightView& view) {
  const auto* values = static_cast<const float*>(view.data);
  return {values, values + view.rows * view.cols};
}

// The expected values are computed by hand: weight + scale · B · A.
TEST(AdaptedWeights, AreSumsWithTheProductOfTheAdaptersMatrices) {
  Adapted adapted(
      {words("bert."), floats("bert.q.weight", {2, 3}), floats("bert.k.weight", {2, 3})},
      {floats("base_model.model.q.lora_A.weight", {2, 3}), floats("base_model.model.q.lora_B.weight", {2, 2}),
       floats("base_model.model.embeddings.word.lora_embedding_A", {1, 3}),
       floats("base_model.model.embeddings.word.lora_embedding_B", {4, 1})});
  const WeightView table = adapted.reader.matrix("embeddings.word.weight", 3, 4, WeightRole::kTable);
  const WeightView query = adapted.reader.matrix("q.weight", 2, 3, WeightRole::kProjection);
  const WeightView key = adapted.reader.matrix("k.weight", 2, 3, WeightRole::kProjection);
  const WeightStorage storage = adapted.reader.finish();
  EXPECT_EQ(values_of(query), (std::vector<float>{5.5f, 8, 10.5f, 13.5f, 18, 22.5f}));
  EXPECT_EQ(values_of(table), (std::vector<float>{3, 6, 9, 12, 9, 14, 19, 24, 15, 22, 29, 36}));
  EXPECT_EQ(values_of(key), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(adapted.asked, (std::vector<std::string>{"embeddings.word 1", "q 2"}));
  EXPECT_EQ(storage.adapted_bytes(), (12 + 6) * sizeof(float));
  EXPECT_EQ(storage.notices.back(),
            "'adapter_model.safetensors': the adapter (LoRA) is merged into 2 weights, in 72 bytes of memory");
}

// Code that copies or reorders weights while the model is read must get the sums.
TEST(AdaptedWeights, AreThereBeforeTheReadingEnds) {
  Adapted adapted({words(), floats("q.weight", {2, 3})}, {floats("base_model.model.q.lora_A.weight", {2, 3}),
                                                          floats("base_model.model.q.lora_B.weight", {2, 2})});
  const std::vector<float> expected = {5.5f, 8, 10.5f, 13.5f, 18, 22.5f};
  EXPECT_EQ(values_of(adapted.reader.matrix("q.weight", 2, 3, WeightRole::kHead)), expected);
  const std::span<const float> floats = adapted.reader.floats("q.weight", 2, 3, WeightRole::kHead);
  EXPECT_EQ(std::vector<float>(floats.begin(), floats.end()), expected);
}

// As in peft 0.21.2, each module has the base model's tensor plus only its own change.
TEST(AdaptedWeights, OfATableAreNotThoseOfTheLayerTiedToIt) {
  const std::string table = "base_model.model.embeddings.word", output = "base_model.model.decoder";
  const TestTensor table_a = floats(table + ".lora_embedding_A", {1, 3}),
                   table_b = floats(table + ".lora_embedding_B", {4, 1}),
                   output_a = floats(output + ".lora_A.weight", {1, 4}),
                   output_b = floats(output + ".lora_B.weight", {3, 1});
  const std::vector<float> base = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
                           table_sums = {3, 6, 9, 12, 9, 14, 19, 24, 15, 22, 29, 36},
                           output_sums = {1.5f, 3, 4.5f, 6, 6, 8, 10, 12, 10.5f, 13, 15.5f, 18}, ones(12, 1);
  const TestTensor replaced{table + ".weight", "F32", {3, 4}, test::bytes_of(ones)};
  const TestTensor trained{output + ".weight", "F32", {3, 4}, test::bytes_of(ones)};
  const struct {
    std::vector<TestTensor> adapter;
    std::vector<float> table, output;
    size_t notices;
  } cases[] = {{{table_a, table_b}, table_sums, base, 1},
               {{output_a, output_b}, base, output_sums, 1},
               {{table_a, table_b, output_a, output_b}, table_sums, output_sums, 2},
               {{replaced}, ones, base, 1},
               {{trained}, base, ones, 1},
               {{replaced, output_a, output_b}, ones, output_sums, 2},
               {{floats("base_model.model.x.weight", {1})}, base, base, 0}};
  for (const auto& expected : cases) {
    Adapted adapted({words()}, expected.adapter);
    const WeightView read = adapted.reader.matrix("embeddings.word.weight", 3, 4, WeightRole::kTable);
    const WeightView tied = adapted.reader.tied("decoder", "embeddings.word", read);
    EXPECT_EQ(values_of(read), expected.table);
    EXPECT_EQ(values_of(tied), expected.output);
    adapted.reader.ignore("x.weight");
    const std::vector<std::string> notices = adapted.reader.finish().notices;
    EXPECT_EQ(notices.size(), expected.notices + 1);
    if (expected.table == table_sums) {
      EXPECT_EQ(notices.front(),
                "'decoder' has the tensor of 'embeddings.word' in the base model, and not the adapter's (LoRA) change "
                "of that, as in peft's forward; peft's merge can change both");
    }
  }
}

// The adapter was made from a model with a head, so its names have the encoder's prefix, which the base model's file
// lacks.
TEST(AdaptedWeights, TakeThePlaceOfTheModelsTensorsOrAreMore) {
  Adapted adapted(
      {words(), floats("q.weight", {1, 2}), {"q.bias", "F32", {1}, test::bytes_of<float>({7})}},
      {floats("base_model.model.bert.q.base_layer.bias", {1}), floats("base_model.model.bert.q.lora_A.weight", {1, 2}),
       floats("base_model.model.bert.q.lora_B.weight", {1, 1}),
       floats("base_model.model.classifier.modules_to_save.weight", {2, 2})});
  adapted.reader.matrix("embeddings.word.weight", 3, 4, WeightRole::kTable);
  const WeightView query = adapted.reader.matrix("q.weight", 1, 2, WeightRole::kProjection);
  EXPECT_EQ(adapted.reader.vector("q.bias", 1, WeightRole::kProjection)[0], 1.0f);
  EXPECT_EQ(values_of(adapted.reader.matrix("classifier.weight", 2, 2, WeightRole::kHead)),
            (std::vector<float>{1, 2, 3, 4}));
  const WeightStorage storage = adapted.reader.finish();
  EXPECT_EQ(values_of(query), (std::vector<float>{1.5f, 3}));
  EXPECT_NE(storage.notices.back().find("into 1 weights, in 8 bytes of memory, and brings 2 tensors of its own"),
            std::string::npos)
      << storage.notices.back();
}

// With bias="all", peft writes the bias of a module that is saved whole under several names.
TEST(AdaptedWeights, AreTakenOnceWhereAModuleIsSavedWithItsBiases) {
  const auto bias = [](const std::string& name, float value) {
    return TestTensor{"base_model.model.classifier." + name, "F32", {1}, test::bytes_of<float>({value})};
  };
  const auto tensors = [&](float plain) {
    return std::vector<TestTensor>{bias("bias", plain), bias("modules_to_save.bias", 2),
                                   bias("original_module.bias", 1)};
  };
  Adapted adapted({words()}, tensors(2));
  EXPECT_EQ(adapted.reader.vector("classifier.bias", 1, WeightRole::kHead)[0], 2.0f);
  adapted.reader.matrix("embeddings.word.weight", 3, 4, WeightRole::kTable);
  EXPECT_NO_THROW(adapted.reader.finish());
  Adapted differs({words()}, tensors(3));
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [&] { differs.reader.vector("classifier.bias", 1, WeightRole::kHead); })
                .find("which means the same; expected one of the two"),
            std::string::npos);
}

TEST(AdaptedWeights, AreQuantisedIfTheyAreFinite) {
  Adapted adapted({words(), floats("q.weight", {2, 3})},
                  {{"base_model.model.q.lora_A.weight", "F32", {1, 3}, test::bytes_of<float>({0, 3e38f, 0})},
                   {"base_model.model.q.lora_B.weight", "F32", {2, 1}, test::bytes_of<float>({0, 10})}},
                  true);
  adapted.reader.matrix("embeddings.word.weight", 3, 4, WeightRole::kTable);
  adapted.reader.matrix("q.weight", 2, 3, WeightRole::kProjection);
  EXPECT_EQ(error_of(ErrorCode::kNonFinite, [&] { adapted.reader.finish(); }),
            "tensor 'q.weight' in 'model.safetensors': the adapter changes a number to a NaN or an infinity, expected "
            "finite numbers");
}

// An unused tensor of the adapter is an error, even if the base model's tensor may be unused.
TEST(AdaptedWeights, AreAllUsed) {
  Adapted adapted({words(), floats("pooler.dense.weight", {2, 2})},
                  {floats("base_model.model.pooler.dense.lora_A.weight", {1, 2}),
                   floats("base_model.model.pooler.dense.lora_B.weight", {2, 1}),
                   floats("base_model.model.pooler.dense.lora_magnitude_vector", {2})});
  adapted.reader.matrix("embeddings.word.weight", 3, 4, WeightRole::kTable);
  const std::string error = error_of(ErrorCode::kInvalidFile, [&] { adapted.reader.finish(); });
  EXPECT_NE(error.find("'adapter_model.safetensors': 3 unknown tensors: 'base_model.model.pooler.dense.lora_A.weight'"),
            std::string::npos)
      << error;
}

TEST(AdaptedWeights, AreOfMatricesThatFit) {
  const auto error_with = [](const TestTensor& a, const TestTensor& b) {
    Adapted adapted({words(), floats("q.weight", {2, 3})}, {a, b});
    return error_of([&] { adapted.reader.matrix("q.weight", 2, 3, WeightRole::kProjection); });
  };
  const std::string a = "base_model.model.q.lora_A.weight", b = "base_model.model.q.lora_B.weight";
  EXPECT_EQ(error_with(floats(a, {2, 3}), floats(b, {2, 1})),
            "tensor '" + b + "' in 'adapter_model.safetensors': shape [2, 1], expected [2, 2]");
  EXPECT_EQ(error_with(floats(a, {2, 4}), floats(b, {2, 2})),
            "tensor '" + a + "' in 'adapter_model.safetensors': shape [2, 4], expected [2, 3]");
  EXPECT_NE(error_with(floats("base_model.model.x", {1}), floats(b, {2, 2})).find("'q.lora_A.weight'"),
            std::string::npos);
  Adapted integers({words(), {"q.weight", "I8", {1, 1}, "x"}}, {floats(a, {1, 1}), floats(b, {1, 1})});
  EXPECT_NE(error_of([&] { integers.reader.matrix("q.weight", 1, 1, WeightRole::kProjection); }).find("type I8"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
