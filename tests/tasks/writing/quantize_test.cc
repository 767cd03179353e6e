#include "bert/quantize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "bert/explore.h"
#include "engine/checkpoint/narrow.h"
#include "engine/tensor/dtype.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

class QuantizeTest : public test::TinyModelTest {
 protected:
  std::string source() const { return directory_.path().string(); }
  std::filesystem::path result(const char* name) const { return results_.path() / name; }

  test::TemporaryDirectory results_;
};

constexpr std::string_view kFoxText = "the quick brown fox jumps over the lazy dog";

TEST_F(QuantizeTest, WritesAModelWithTheBitsOfTheOneQuantizedAtLoad) {
  write_tiny_model(directory_);
  directory_.write("notes.bin", "not a part of a model");
  directory_.write("artifact.metadata", "{}");
  directory_.write("NOTICE", "whose it is");
  directory_.write("chat_template.jinja", "a template");
  const QuantizedModel written = quantize(source() + "/", result("int8"), SmallWeights::kInt8);
  EXPECT_EQ(written.not_copied, std::vector<std::string>{"notes.bin"});
  EXPECT_EQ(quantize(source(), directory_.path() / "inside", SmallWeights::kInt8).not_copied, written.not_copied);
  std::filesystem::remove_all(directory_.path() / "inside");
  for (const char* file : {"artifact.metadata", "chat_template.jinja", "NOTICE"}) {
    EXPECT_TRUE(std::filesystem::exists(result("int8") / file)) << file;
  }
  EXPECT_LT(written.bytes, written.source_bytes);
  const Model model = Model::load(result("int8").string());
  EXPECT_EQ(model.describe().precision, "int8");
  const EncodedText expected = Model::load(source(), {.precision = Precision::kInt8}).encode(kFoxText);
  EXPECT_TRUE(test::same_bits(model.encode(kFoxText).last_hidden_state, expected.last_hidden_state));
  EXPECT_TRUE(test::same_bits(model.encode(kFoxText).pooler_output, expected.pooler_output));
}

// The scale of a row is its largest magnitude / 127.5. The numbers in the tables' rows are whole multiples of it.
TEST_F(QuantizeTest, WritesTablesOfEightBits) {
  write_tiny_model(directory_);
  quantize(source(), result("tables"), SmallWeights::kInt8Tables);
  const std::vector<int32_t> ids = {2, 7, 9, 3};
  const TokenSequence sequence{.ids = ids};
  const Model model = Model::load(result("tables").string()), floats = Model::load(source());
  const EmbeddingParts found = embedding_parts(model, sequence), exact = embedding_parts(floats, sequence);
  for (const auto& [table, original] :
       {std::pair(&found.word, &exact.word), {&found.position, &exact.position}, {&found.segment, &exact.segment}}) {
    for (size_t row = 0; row < ids.size(); ++row) {
      float largest = 0;
      for (size_t i = 0; i < exact.hidden; ++i) {
        largest = std::max(largest, std::abs((*original)[row * exact.hidden + i]));
      }
      const float scale = largest / 127.5f;
      for (size_t i = row * exact.hidden; i < (row + 1) * exact.hidden; ++i) {
        EXPECT_EQ((*table)[i], scale * std::clamp(std::nearbyint((*original)[i] / scale), -128.0f, 127.0f)) << i;
      }
    }
  }
  EXPECT_EQ(model.describe().precision_reason,
            "quantization_config of config.json, with asymmetric activations; the embedding tables are 8-bit too");
  for (const TensorInfo& tensor : model.describe().tensors) {
    EXPECT_TRUE(!tensor.name.ends_with("embeddings.weight") || tensor.dtype == "I8") << tensor.name;
  }
}

// The decoder of this model shares the word table.
TEST_F(QuantizeTest, KeepsATiedDecoderOfATableOfEightBits) {
  BERT_TEST_DATA_OR_SKIP(masked_lm, "family/bert-masked-lm");
  quantize(masked_lm.string(), result("layers"), SmallWeights::kInt8);
  quantize(masked_lm.string(), result("tables"), SmallWeights::kInt8Tables);
  const std::vector<int32_t> ids = {2, 7, 9, 3};
  const TokenSequence sequence{.ids = ids};
  const auto logits = [&](const std::string& name) {
    return Model::load(name).logits(Head::kMaskedLm, {&sequence, 1}).front().values;
  };
  const std::vector<float> exact = logits(masked_lm.string());
  const std::vector<float> tables = logits(result("tables").string());
  const float largest = *std::max_element(exact.begin(), exact.end());
  EXPECT_TRUE(test::within(0.1 * largest, tables, exact));
  EXPECT_FALSE(test::same_bits(tables, logits(result("layers").string())));
}

TEST_F(QuantizeTest, WritesSixteenBits) {
  write_tiny_model(directory_);
  const EncodedText exact = Model::load(source()).encode(kFoxText);
  quantize(source(), result("f16"), SmallWeights::kFloat16);
  quantize(source(), result("bf16"), SmallWeights::kBFloat16);
  const Model f16 = Model::load(result("f16").string()), bf16 = Model::load(result("bf16").string());
  EXPECT_EQ(f16.describe().precision, "float16");
  EXPECT_EQ(f16.describe().precision_reason, "as in the weights' files; computed in float32");
  EXPECT_EQ(bf16.describe().precision, "bfloat16");
  EXPECT_TRUE(test::within(0.01, f16.encode(kFoxText).last_hidden_state, exact.last_hidden_state));
  EXPECT_TRUE(test::within(0.08, bf16.encode(kFoxText).last_hidden_state, exact.last_hidden_state));
}

// The bfloat16 file gives the same bits as the float model computed in bfloat16. quantize also rounds tables, which
// that model does not, so the source's tables have numbers that rounding does not change.
TEST_F(QuantizeTest, WritesAModelThatComputesInBFloat16) {
  const auto rounded = [](float x) { return widen_bf16(narrow_bf16(x)); };
  write_tiny_model(directory_, {}, [&](test::TinyTensors& tensors) {
    for (auto& [name, tensor] : tensors) {
      if (name.find("embeddings.") == std::string::npos || name.ends_with("bias")) continue;
      std::transform(tensor.values.begin(), tensor.values.end(), tensor.values.begin(), rounded);
    }
  });
  quantize(source(), result("bf16"), SmallWeights::kBFloat16);
  const EncodedText expected = Model::load(source(), {.precision = Precision::kBFloat16}).encode(kFoxText);
  const Model model = Model::load(result("bf16").string());
  EXPECT_EQ(model.describe().precision_reason, "bert_infer_precision of config.json");
  EXPECT_TRUE(test::same_bits(model.encode(kFoxText).last_hidden_state, expected.last_hidden_state));
  EXPECT_TRUE(test::same_bits(model.encode(kFoxText).pooler_output, expected.pooler_output));

  const Model floats = Model::load(result("bf16").string(), {.precision = Precision::kFloat32});
  EXPECT_NE(floats.describe().arithmetic, model.describe().arithmetic);
  EXPECT_EQ(floats.describe().precision_reason, "as in the weights' files; computed in float32");
  EXPECT_FALSE(test::same_bits(floats.encode(kFoxText).last_hidden_state, expected.last_hidden_state));
  // The source already computes in bfloat16. It can be quantised to bfloat16 again, and to 8 bits.
  quantize(result("bf16").string(), result("again"), SmallWeights::kBFloat16);
  EXPECT_TRUE(test::same_bits(Model::load(result("again").string()).encode(kFoxText).last_hidden_state,
                              expected.last_hidden_state));
  quantize(result("bf16").string(), result("int8"), SmallWeights::kInt8);
  EXPECT_EQ(Model::load(result("int8").string()).describe().precision, "int8");
}

TEST_F(QuantizeTest, RefusesWhatItCannotWrite) {
  write_tiny_model(directory_, {}, [](test::TinyTensors& tensors) {
    tensors.at("encoder.layer.0.output.dense.weight").values[3] = 70000;
  });
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { quantize(source(), result("f16"), SmallWeights::kFloat16); })
                .find("70000 at index 3, expected what a 16-bit float can hold"),
            std::string::npos);
  write_tiny_model(directory_, {}, [](test::TinyTensors& tensors) {
    tensors.at("embeddings.word_embeddings.weight").values[5] = -INFINITY;
  });
  EXPECT_NE(
      test::error_of(ErrorCode::kNonFinite, [&] { quantize(source(), result("int8"), SmallWeights::kInt8Tables); })
          .find("tensor 'embeddings.word_embeddings.weight' in '" + source() +
                "/model.safetensors': -inf at index 5, expected finite numbers"),
      std::string::npos);
  quantize(source(), result("int8"), SmallWeights::kInt8);
  EXPECT_NE(
      test::error_of(ErrorCode::kInvalidArgument, [&] { quantize(source(), result("int8"), SmallWeights::kInt8); })
          .find("exists, expected the name of a new directory"),
      std::string::npos);
  EXPECT_NE(test::error_of(ErrorCode::kUnsupported,
                           [&] { quantize(result("int8").string(), result("again"), SmallWeights::kInt8); })
                .find("its weights are 8-bit already"),
            std::string::npos);
}

// The unfinished directory may belong to the user or to another run, so it stays. What a failed run has begun is
// removed.
TEST_F(QuantizeTest, LeavesAnUnfinishedDirectoryOfOthersAlone) {
  write_tiny_model(directory_, {}, [](test::TinyTensors& tensors) {
    tensors.at("encoder.layer.0.output.dense.weight").values[3] = 70000;
  });
  const std::filesystem::path partial = result("new").string() + ".partial";
  test::error_of(ErrorCode::kInvalidFile, [&] { quantize(source(), result("new"), SmallWeights::kFloat16); });
  EXPECT_FALSE(std::filesystem::exists(partial));
  std::filesystem::create_directories(partial / "mine");
  write_tiny_model(directory_, {});
  quantize(source(), result("new"), SmallWeights::kInt8);
  EXPECT_TRUE(std::filesystem::exists(partial / "mine"));
  EXPECT_TRUE(std::filesystem::exists(result("new") / "model.safetensors"));
  for (int n = 2; n <= 9; ++n)
    std::filesystem::create_directories(result(("other.partial." + std::to_string(n)).c_str()));
  std::filesystem::create_directories(result("other.partial"));
  EXPECT_NE(
      test::error_of(ErrorCode::kInvalidArgument, [&] { quantize(source(), result("other"), SmallWeights::kInt8); })
          .find("other.partial': exists, and .2 to .9 of it: other runs are writing them"),
      std::string::npos);
}

TEST_F(QuantizeTest, GivesTheDirectoryItsNameWithTheFilesThatTheCallerAdds) {
  write_tiny_model(directory_, {});
  const auto add = [&](const std::filesystem::path& unpublished) {
    EXPECT_NE(unpublished, result("new"));
    EXPECT_TRUE(std::filesystem::exists(unpublished / "model.safetensors"));
    std::ofstream(unpublished / "mine") << "1";
  };
  quantize(source(), result("new"), SmallWeights::kInt8, {}, add);
  EXPECT_TRUE(std::filesystem::exists(result("new") / "mine"));

  const auto fail = [&](const std::filesystem::path& unpublished) {
    add(unpublished);
    throw Error(ErrorCode::kIo, "no space left");
  };
  test::error_of(ErrorCode::kIo, [&] { quantize(source(), result("other"), SmallWeights::kInt8, {}, fail); });
  EXPECT_FALSE(std::filesystem::exists(result("other")));
  EXPECT_FALSE(std::filesystem::exists(result("other").string() + ".partial"));
}

TEST(FileSha256, IsThatOfItsBytes) {
  const test::TemporaryDirectory directory;
  directory.write("abc", "abc");
  EXPECT_EQ(file_sha256(directory.path() / "abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(FileSha256, IsThatOfAPart) {
  const test::TemporaryDirectory directory;
  directory.write("abc", "xxabcy");
  const std::filesystem::path file = directory.path() / "abc";
  EXPECT_EQ(file_sha256(file, 2, 5), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_NE(test::error_of(ErrorCode::kInvalidFile, [&] { file_sha256(file, 2, 7); }).find("has 6 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
