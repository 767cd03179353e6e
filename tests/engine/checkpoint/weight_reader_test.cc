#include "engine/checkpoint/weight_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "tests/support/expect_error.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using test::bytes_of;
using test::error_of;
using test::floats;
using test::image_of;
using test::TestTensor;

constexpr std::string_view kPrefixes[] = {"", "bert.", "model.", "0.auto_model."};
constexpr std::string_view kWrappers[] = {"module.", "_orig_mod."};
constexpr WeightNames::Ending kEndings[] = {{"LayerNorm.gamma", "LayerNorm.weight"},
                                            {"LayerNorm.beta", "LayerNorm.bias"}};
constexpr std::string_view kIgnorable[] = {"embeddings.position_ids", "cls.*", "pooler.*"};

WeightNames names() {
  return {.anchor = "embeddings.word_embeddings.weight",
          .prefixes = kPrefixes,
          .wrappers = kWrappers,
          .endings = kEndings,
          .ignorable = kIgnorable};
}

TestTensor anchor(const std::string& prefix = "") {
  return floats(prefix + "embeddings.word_embeddings.weight", {3, 4});
}

// A reader and the file's bytes, which must outlive it.
struct Fixture {
  std::string image;
  WeightReader reader;
  explicit Fixture(const std::vector<TestTensor>& tensors, const WeightReaderOptions& options = {},
                   size_t alignment = 8)
      : image(image_of(tensors, alignment)),
        reader(Checkpoint::from_memory(test::as_bytes(image), "model.safetensors"), names(), options) {}
};

std::string open_error(const std::vector<TestTensor>& tensors) {
  return error_of([&] { Fixture fixture(tensors); });
}

// The file has [2, 3, 2]: for each output and input, a weight for each of two places.
TEST(WeightReader, OrdersAConvolutionsWeightsByPlace) {
  Fixture fixture({anchor(), floats("conv.weight", {2, 3, 2})});
  const WeightView weights = fixture.reader.convolution("conv.weight", 2, 3, 2);
  EXPECT_EQ(weights.rows, 2u);
  EXPECT_EQ(weights.cols, 6u);
  const auto* values = static_cast<const float*>(weights.data);
  EXPECT_EQ(std::vector<float>(values, values + 12),
            (std::vector<float>{1, 3, 5, 2, 4, 6, 7, 9, 11, 8, 10, 12}));  // calculated by hand
  EXPECT_NE(error_of([&] { fixture.reader.convolution("conv.weight", 2, 3, 3); }).find("expected [2, 3, 3]"),
            std::string::npos);
}

// The file has two matrices [in, out] of 2 and 3 in several types. F64 becomes F32.
TEST(WeightReader, TurnsWeightsThatAreStoredFromInputsToOutputs) {
  const std::vector<uint16_t> halves = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  Fixture fixture({anchor(),
                   floats("a", {2, 2, 3}),
                   {"b", "BF16", {4, 3}, bytes_of<uint16_t>(halves)},
                   {"c", "F64", {2, 1}, bytes_of<double>({0.5, -2})}});
  const WeightView a = fixture.reader.transposed("a", std::array<size_t, 3>{2, 2, 3}, 2, WeightRole::kProjection);
  EXPECT_EQ(a.rows, 6u);
  EXPECT_EQ(a.cols, 2u);
  const auto* values = static_cast<const float*>(a.data);
  EXPECT_EQ(std::vector<float>(values, values + 12), (std::vector<float>{1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12}));
  const WeightView b = fixture.reader.transposed("b", std::array<size_t, 2>{4, 3}, 2, WeightRole::kProjection);
  EXPECT_EQ(b.format, WeightFormat::kBF16);
  const auto* turned = static_cast<const uint16_t*>(b.data);
  EXPECT_EQ(std::vector<uint16_t>(turned, turned + 12), (std::vector<uint16_t>{1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12}));
  const WeightView c = fixture.reader.transposed("c", std::array<size_t, 2>{2, 1}, 2, WeightRole::kProjection);
  EXPECT_EQ(static_cast<const float*>(c.data)[1], -2);
  EXPECT_NE(error_of([&] {
              fixture.reader.transposed("a", std::array<size_t, 2>{4, 3}, 2, WeightRole::kHead);
            }).find("shape [2, 2, 3], expected [4, 3]"),
            std::string::npos);
  fixture.reader.ignore("embeddings.*");
  EXPECT_EQ(fixture.reader.finish().conversions.size(), 3u);  // the narrowed F64 weights are not kept
}

// The rows are (1, 4), (2, -8) and (-2, 6). A row's scale is its largest magnitude / 127.5.
TEST(WeightReader, QuantisesExpertsByOutputAndReadsThemInPlace) {
  Fixture floating({anchor(), {"a", "F32", {1, 2, 3}, bytes_of<float>({1, 2, -2, 4, -8, 6})}},
                   {.int8 = WeightFormat::kI8, .quantize = true});
  const WeightView made = floating.reader.expert_weights("a", 1, 2, 3, WeightRole::kProjection);
  floating.reader.ignore("embeddings.*");
  const WeightStorage storage = floating.reader.finish();
  const std::vector<int8_t> expected = {32, 127, 32, -127, -42, 127};
  const auto* weights = static_cast<const int8_t*>(made.data);
  EXPECT_EQ(std::vector<int8_t>(weights, weights + 6), expected);
  EXPECT_FLOAT_EQ(made.scales[1], 8.0f / 127.5f);
  EXPECT_EQ(made.sums[2], 85);
  Fixture integers({anchor(), {"a", "I8", {1, 3, 2}, bytes_of<int8_t>(expected)}, floats("a_scale", {3, 1})},
                   {.int8 = WeightFormat::kI8});
  const WeightView read = integers.reader.expert_weights("a", 1, 2, 3, WeightRole::kProjection);
  integers.reader.ignore("embeddings.*");
  const WeightStorage in_place = integers.reader.finish();
  EXPECT_EQ(read.rows, 3u);
  EXPECT_EQ(read.cols, 2u);
  EXPECT_EQ(static_cast<const int8_t*>(read.data)[2], 32);
  EXPECT_EQ(read.scales[2], 3);
  EXPECT_EQ(read.sums[0], 159);
}

TEST(WeightReader, ReadsATensorWithoutDimensions) {
  Fixture fixture({anchor(), {"scale", "F32", {}, bytes_of<float>({2.5f})}, floats("list", {1})});
  EXPECT_EQ(fixture.reader.scalar("scale", WeightRole::kHead), 2.5f);
  EXPECT_NE(error_of([&] { fixture.reader.scalar("list", WeightRole::kHead); }).find("shape [1], expected []"),
            std::string::npos);
}

TEST(WeightReader, UsesAlignedTensorsInPlace) {
  Fixture fixture({anchor(),
                   floats("a", {4}),
                   {"h", "F16", {2, 2}, bytes_of<uint16_t>({0x3C00, 0, 1, 2})},
                   {"b", "BF16", {1, 2}, bytes_of<uint16_t>({0x3F80, 0})}});
  const WeightView words = fixture.reader.matrix("embeddings.word_embeddings.weight", 3, 4, WeightRole::kProjection);
  EXPECT_EQ(words.format, WeightFormat::kF32);
  EXPECT_EQ(words.rows, 3u);
  EXPECT_EQ(words.cols, 4u);
  EXPECT_EQ(static_cast<const float*>(words.data)[11], 12.0f);
  const auto a = fixture.reader.vector("a", 4, WeightRole::kProjection);
  const WeightView h = fixture.reader.matrix("h", 2, 2, WeightRole::kProjection);
  EXPECT_EQ(h.format, WeightFormat::kF16);
  const WeightView b = fixture.reader.matrix("b", 1, 2, WeightRole::kProjection);
  EXPECT_EQ(b.format, WeightFormat::kBF16);
  const WeightStorage storage = fixture.reader.finish();
  EXPECT_TRUE(storage.conversions.empty());
  const auto* begin = reinterpret_cast<const std::byte*>(fixture.image.data());
  const auto is_inside = [&](const void* data) { return data >= begin && data < begin + fixture.image.size(); };
  EXPECT_TRUE(is_inside(words.data) && is_inside(a.data()) && is_inside(h.data) && is_inside(b.data));
  EXPECT_EQ(storage.roles, std::vector<WeightRole>(4, WeightRole::kProjection));
  EXPECT_EQ(storage.names, (std::vector<std::string>{"embeddings.word_embeddings.weight", "a", "h", "b"}));
}

TEST(WeightReader, CopiesMisalignedTensorsInTheirOwnType) {
  for (const size_t shift : {1, 2, 3}) {
    std::string filler(shift, 'x');
    Fixture fixture({{"cls.x", "U8", {shift}, filler},
                     anchor(),
                     floats("a", {4}),
                     {"h", "F16", {2, 2}, bytes_of<uint16_t>({0x3C00, 0, 1, 2})}});
    const WeightView words = fixture.reader.matrix("embeddings.word_embeddings.weight", 3, 4, WeightRole::kProjection);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(words.data) % 64, 0u);
    EXPECT_EQ(static_cast<const float*>(words.data)[0], 1.0f);
    EXPECT_EQ(static_cast<const float*>(words.data)[11], 12.0f);
    EXPECT_EQ(fixture.reader.vector("a", 4, WeightRole::kProjection)[3], 4.0f);
    const WeightView h = fixture.reader.matrix("h", 2, 2, WeightRole::kProjection);
    EXPECT_EQ(h.format, WeightFormat::kF16);
    EXPECT_EQ(static_cast<const uint16_t*>(h.data)[0], 0x3C00);
    EXPECT_EQ(fixture.reader.finish().conversions.size(), shift == 2 ? 2u : 3u);
  }
}

TEST(WeightReader, WidensVectorsExactlyAndNarrowsF64) {
  Fixture fixture({anchor(),
                   {"h", "F16", {3}, bytes_of<uint16_t>({0x3C00, 0xC000, 0x0001})},
                   {"b", "BF16", {2}, bytes_of<uint16_t>({0x3F80, 0xC2F7})},
                   {"d", "F64", {2}, bytes_of<double>({0.1, -1e-300})},
                   {"m", "F64", {1, 2}, bytes_of<double>({1.5, 3e38})}});
  const auto h = fixture.reader.vector("h", 3, WeightRole::kProjection);
  EXPECT_EQ(h[0], 1.0f);
  EXPECT_EQ(h[1], -2.0f);
  EXPECT_EQ(h[2], 0x1p-24f);
  const auto b = fixture.reader.vector("b", 2, WeightRole::kProjection);
  EXPECT_EQ(b[0], 1.0f);
  EXPECT_EQ(b[1], -123.5f);
  const auto d = fixture.reader.vector("d", 2, WeightRole::kProjection);
  EXPECT_EQ(d[0], 0.1f);
  EXPECT_EQ(std::bit_cast<uint32_t>(d[1]), 0x80000000u);
  const WeightView m = fixture.reader.matrix("m", 1, 2, WeightRole::kProjection);
  EXPECT_EQ(m.format, WeightFormat::kF32);
  EXPECT_EQ(static_cast<const float*>(m.data)[1], 3e38f);
}

TEST(WeightReader, RefusesF64ThatNoFloatCanHold) {
  Fixture fixture({anchor(), {"d", "F64", {3}, bytes_of<double>({0, 1e39, 1})}});
  EXPECT_EQ(error_of([&] { fixture.reader.vector("d", 3, WeightRole::kProjection); }),
            "tensor 'd' in 'model.safetensors': 1e+39 at index 1, expected what a 32-bit float can hold");
}

TEST(WeightReader, NamesTheNumberThatCannotBeQuantised) {
  const auto error = [](ErrorCode code, double number) {
    Fixture fixture({anchor(), {"d", "F64", {1, 3}, bytes_of<double>({0, 1, number})}},
                    {.int8 = WeightFormat::kI8, .quantize = true});
    fixture.reader.matrix("d", 1, 3, WeightRole::kProjection);
    fixture.reader.ignore("embeddings.*");
    return error_of(code, [&] { fixture.reader.finish(); });
  };
  EXPECT_EQ(error(ErrorCode::kInvalidFile, -1e39),
            "tensor 'd' in 'model.safetensors': -1e+39 at index 2, expected what a 32-bit float can hold");
  EXPECT_EQ(error(ErrorCode::kNonFinite, HUGE_VAL),
            "tensor 'd' in 'model.safetensors': inf at index 2, expected finite numbers");
}

TEST(WeightReader, RefusesF64OfAConvolutionThatNoFloatCanHold) {
  Fixture fixture({anchor(), {"d", "F64", {1, 1, 3}, bytes_of<double>({3e38, 0, -1e39})}});
  EXPECT_EQ(error_of([&] { fixture.reader.convolution("d", 1, 1, 3); }),
            "tensor 'd' in 'model.safetensors': -1e+39 at index 2, expected what a 32-bit float can hold");
}

TEST(WeightReader, NamesWhatIsWrongWithATensor) {
  Fixture fixture({anchor("bert."),
                   floats("bert.a", {2, 3}),
                   {"bert.i", "I64", {2}, std::string(16, 0)},
                   {"bert.f8", "F8_E4M3", {2, 2}, "abcd"}});
  EXPECT_EQ(error_of([&] { fixture.reader.matrix("a", 3, 2, WeightRole::kProjection); }),
            "tensor 'bert.a' in 'model.safetensors': shape [2, 3], expected [3, 2]");
  EXPECT_EQ(error_of([&] { fixture.reader.vector("a", 6, WeightRole::kProjection); }),
            "tensor 'bert.a' in 'model.safetensors': shape [2, 3], expected [6]");
  EXPECT_EQ(error_of([&] { fixture.reader.vector("i", 2, WeightRole::kProjection); }),
            "tensor 'bert.i' in 'model.safetensors': type I64, expected F32, F16, BF16 or F64");
  EXPECT_EQ(error_of([&] { fixture.reader.matrix("f8", 2, 2, WeightRole::kProjection); }),
            "tensor 'bert.f8' in 'model.safetensors': type F8_E4M3, expected F32, F16, BF16 or F64");
  EXPECT_EQ(error_of(ErrorCode::kNotFound, [&] { fixture.reader.matrix("missing", 3, 2, WeightRole::kProjection); }),
            "tensor 'bert.missing' in 'model.safetensors': not there, expected one of shape [3, 2]");
}

TEST(WeightReader, FindsItsWayThroughPrefixesWrappersAndOldNames) {
  // Prefixes, wrappers, spellings and the pooler make 4 × 4 × 2 × 2 = 64 files.
  size_t combinations = 0;
  for (const std::string prefix : {"", "bert.", "model.", "0.auto_model."}) {
    for (const std::string wrapper : {"", "module.", "_orig_mod.", "module._orig_mod."}) {
      for (const bool old_names : {false, true}) {
        for (const bool pooler : {false, true}) {
          const std::string front = wrapper + prefix;
          std::vector<TestTensor> tensors = {
              anchor(front), floats(front + "embeddings.LayerNorm." + (old_names ? "gamma" : "weight"), {4}),
              floats(front + "embeddings.LayerNorm." + (old_names ? "beta" : "bias"), {4}),
              floats(wrapper + "cls.predictions.bias", {3})};
          if (pooler) tensors.push_back(floats(front + "pooler.dense.weight", {4, 4}));
          Fixture fixture(tensors);
          EXPECT_TRUE(fixture.reader.has("embeddings.LayerNorm.weight"));
          EXPECT_EQ(fixture.reader.has("pooler.dense.weight"), pooler);
          EXPECT_FALSE(fixture.reader.has("embeddings.LayerNorm.gamma"));
          fixture.reader.matrix("embeddings.word_embeddings.weight", 3, 4, WeightRole::kProjection);
          EXPECT_EQ(fixture.reader.vector("embeddings.LayerNorm.weight", 4, WeightRole::kProjection)[3], 4.0f);
          EXPECT_EQ(fixture.reader.vector("embeddings.LayerNorm.bias", 4, WeightRole::kProjection)[0], 1.0f);
          const WeightStorage storage = fixture.reader.finish();
          EXPECT_TRUE(storage.notices.empty());  // unused heads and an unused pooler get no notice
          EXPECT_EQ(std::count(storage.roles.begin(), storage.roles.end(), WeightRole::kUnused), pooler ? 2 : 1);
          ++combinations;
        }
      }
    }
  }
  EXPECT_EQ(combinations, 64u);
}

TEST(WeightReader, RefusesTwoSpellingsOfOneTensor) {
  Fixture fixture({anchor(), floats("embeddings.LayerNorm.gamma", {4}), floats("embeddings.LayerNorm.weight", {4})});
  EXPECT_EQ(
      error_of([&] { fixture.reader.vector("embeddings.LayerNorm.weight", 4, WeightRole::kProjection); }),
      "tensor 'embeddings.LayerNorm.gamma' in 'model.safetensors': there is 'embeddings.LayerNorm.weight' too, which "
      "means the same; expected one of the two");
  Fixture wrapped({anchor(), floats("module.a", {4}), floats("a", {4})});
  EXPECT_NE(error_of([&] { wrapped.reader.vector("a", 4, WeightRole::kProjection); }).find("there is 'a' too"),
            std::string::npos);
}

TEST(WeightReader, RefusesTwoEncodersAndNone) {
  EXPECT_EQ(open_error({anchor(), anchor("bert.")}),
            "tensor 'bert.embeddings.word_embeddings.weight' in 'model.safetensors': there is "
            "'embeddings.word_embeddings.weight' too, expected one encoder in the file");
  const std::string none = open_error({anchor("query_encoder."), floats("a", {1})});
  EXPECT_NE(
      none.find("tensor 'embeddings.word_embeddings.weight' in 'model.safetensors': not there under any known prefix; "
                "the file has 2 tensors: 'query_encoder.embeddings.word_embeddings.weight', 'a'"),
      std::string::npos)
      << none;
  EXPECT_NE(open_error({}).find("the file has 0 tensors"), std::string::npos);
}

TEST(WeightReader, RefusesUnexpectedTensorsUnlessToldToIgnoreThem) {
  std::vector<TestTensor> tensors = {anchor(), {"embeddings.position_ids", "I64", {1, 2}, std::string(16, 0)}};
  for (int i = 0; i < 7; ++i) tensors.push_back(floats("adapter." + std::to_string(i), {1}));
  Fixture strict(tensors);
  strict.reader.matrix("embeddings.word_embeddings.weight", 3, 4, WeightRole::kProjection);
  EXPECT_EQ(error_of([&] { strict.reader.finish(); }),
            "'model.safetensors': 7 unknown tensors: 'adapter.0', 'adapter.1', 'adapter.2', 'adapter.3', "
            "'adapter.4', …, expected none");
  Fixture lenient(tensors, {.ignore_unexpected = true});
  lenient.reader.matrix("embeddings.word_embeddings.weight", 3, 4, WeightRole::kProjection);
  const WeightStorage storage = lenient.reader.finish();
  ASSERT_EQ(storage.notices.size(), 1u);
  EXPECT_NE(storage.notices[0].find("…, not used"), std::string::npos);
  EXPECT_EQ(std::count(storage.roles.begin(), storage.roles.end(), WeightRole::kProjection), 1);
}

TEST(WeightReader, LetsTensorsBeIgnorableByTheirBeginningOrEnd) {
  WeightNames ignoring = names();
  constexpr std::string_view kBothEnds[] = {"*.unused.weight", "cls.*"};
  ignoring.ignorable = kBothEnds;
  const std::string image = image_of({anchor(), floats("layer.1.unused.weight", {2}), floats("cls.x", {2})}, 8);
  WeightReader reader(Checkpoint::from_memory(test::as_bytes(image), "model.safetensors"), ignoring);
  reader.matrix("embeddings.word_embeddings.weight", 3, 4, WeightRole::kProjection);
  EXPECT_TRUE(reader.finish().notices.empty());
}

TEST(WeightReader, FindsNonFiniteNumbersWhenAsked) {
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<TestTensor> tensors = {anchor(),
                                           {"n", "F32", {2}, bytes_of<float>({1, NAN})},
                                           {"i", "F32", {3}, bytes_of<float>({1, 2, -inf})},
                                           {"h", "F16", {1, 1}, bytes_of<uint16_t>({0x7C00})},
                                           {"b", "BF16", {1, 1}, bytes_of<uint16_t>({0x7FC0})},
                                           {"d", "F64", {1}, bytes_of<double>({HUGE_VAL})},
                                           {"cls.unused", "F32", {1}, bytes_of<float>({NAN})}};
  Fixture checked(tensors, {.check_finite = true});
  EXPECT_EQ(error_of(ErrorCode::kNonFinite, [&] { checked.reader.vector("n", 2, WeightRole::kProjection); }),
            "tensor 'n' in 'model.safetensors': nan at index 1, expected finite numbers");
  EXPECT_NE(error_of([&] { checked.reader.vector("i", 3, WeightRole::kProjection); }).find("-inf at index 2"),
            std::string::npos);
  EXPECT_NE(error_of([&] { checked.reader.matrix("h", 1, 1, WeightRole::kProjection); }).find("inf at index 0"),
            std::string::npos);
  EXPECT_NE(error_of([&] { checked.reader.matrix("b", 1, 1, WeightRole::kProjection); }).find("nan at index 0"),
            std::string::npos);
  EXPECT_NE(error_of([&] { checked.reader.vector("d", 1, WeightRole::kProjection); }).find("inf at index 0"),
            std::string::npos);
  EXPECT_EQ(
      error_of([&] { checked.reader.matrix("embeddings.word_embeddings.weight", 3, 4, WeightRole::kProjection); }), "");
  Fixture unchecked(tensors);
  EXPECT_EQ(error_of([&] {
              unchecked.reader.vector("n", 2, WeightRole::kProjection);
              unchecked.reader.vector("d", 1, WeightRole::kProjection);
            }),
            "");
}

TEST(WeightReader, ViewsStayWhenTheStorageIsMoved) {
  const std::string image = image_of({{"cls.x", "U8", {1}, "x"}, anchor()});
  WeightReader reader(Checkpoint::from_memory(test::as_bytes(image), "x"), names());
  const WeightView words = reader.matrix("embeddings.word_embeddings.weight", 3, 4, WeightRole::kProjection);
  WeightStorage first = reader.finish();
  const WeightStorage second = std::move(first);
  EXPECT_EQ(static_cast<const float*>(words.data)[11], 12.0f);
}

// Returns all weights of a small model as bytes. Throws Error for every fault of the file.
std::string load(const std::string& image) {
  WeightReader reader(Checkpoint::from_memory(test::as_bytes(image), "x"), names());
  std::string loaded;
  const auto matrix = [&](const char* name, size_t rows, size_t cols) {
    const WeightView view = reader.matrix(name, rows, cols, WeightRole::kProjection);
    loaded.append(std::to_string(static_cast<int>(view.format)) + ":");
    loaded.append(static_cast<const char*>(view.data), rows * cols * element_bytes(view.format));
  };
  matrix("embeddings.word_embeddings.weight", 3, 4);
  matrix("encoder.query.weight", 4, 4);
  matrix("encoder.half.weight", 3, 5);
  const auto norm = reader.vector("embeddings.LayerNorm.weight", 4, WeightRole::kProjection);
  loaded.append(reinterpret_cast<const char*>(norm.data()), norm.size_bytes());
  reader.finish();
  return loaded;
}

TEST(WeightReader, LoadsTheSameBitsOrRefusesEveryFlippedBitOfAHeader) {
  const std::string image = image_of({anchor(),
                                      floats("embeddings.LayerNorm.weight", {4}),
                                      floats("encoder.query.weight", {4, 4}),
                                      {"encoder.half.weight", "F16", {3, 5}, std::string(30, 'h')},
                                      {"embeddings.position_ids", "I64", {1, 2}, std::string(16, 0)},
                                      floats("cls.bias", {2})});
  const std::string expected = load(image);
  const size_t header_end = image.find("}}") + 2;
  size_t same = 0;
  for (size_t at = 0; at < header_end; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = image;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      std::string loaded;
      if (error_of([&] { loaded = load(flipped); }).empty()) {
        ++same;
        ASSERT_TRUE(loaded == expected) << "byte " << at << ", bit " << bit;
      }
    }
  }
  RecordProperty("flips_loaded", static_cast<int>(same));
  RecordProperty("flips", static_cast<int>(header_end * 8));
}

TEST(WeightReader, ReadsTheSameNumbersFromEveryFormatOfARealModel) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  const auto numbers = [&](const std::string& folder) {
    WeightReader reader(Checkpoint::open(family / folder), names(), {.ignore_unexpected = true, .check_finite = true});
    std::vector<float> result;
    for (const std::string name :
         {"embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias", "encoder.layer.2.attention.self.query.bias",
          "encoder.layer.1.output.LayerNorm.weight"}) {
      const auto vector = reader.vector(name, 36, WeightRole::kProjection);
      result.insert(result.end(), vector.begin(), vector.end());
    }
    const WeightView words = reader.matrix("embeddings.word_embeddings.weight", 131, 36, WeightRole::kProjection);
    for (size_t i = 0; i < 131 * 36; ++i) {
      const auto* floats = static_cast<const float*>(words.data);
      const auto* halves = static_cast<const uint16_t*>(words.data);
      result.push_back(words.format == WeightFormat::kF32
                           ? floats[i]
                           : (words.format == WeightFormat::kF16 ? widen_f16 : widen_bf16)(halves[i]));
    }
    return result;
  };
  const std::vector<float> expected = numbers("bert-odd-1");
  EXPECT_EQ(numbers("bert-odd-1-sharded"), expected);
  EXPECT_EQ(numbers("bert-odd-1-old-names"), expected);
  EXPECT_EQ(numbers("bert-odd-1-old-names-heads"), expected);
  const auto near = [&](const std::vector<float>& found, float relative) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_NEAR(found[i], expected[i], std::abs(expected[i]) * relative + 1e-7f) << i;
    }
  };
  near(numbers("bert-odd-1-f16"), 0x1p-11f);  // half a unit in the last place
  near(numbers("bert-odd-1-bf16"), 0x1p-8f);
}

}  // namespace
}  // namespace bert
