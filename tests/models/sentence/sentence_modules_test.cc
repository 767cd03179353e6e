#include "models/sentence/sentence_modules.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/expect_error.h"

namespace bert {
namespace {

using test::error_of;

using Files = std::map<std::string, std::string>;
using Modes = std::vector<PoolingMode>;

std::optional<SentenceModule> read(const std::string& type, const Files& files,
                                   std::vector<std::string>* notices = {}) {
  std::map<std::string, std::string_view> views(files.begin(), files.end());
  std::vector<std::string> unread;
  return read_sentence_module({.index = 3, .type = type, .directory = "3_Module"},
                              MemorySource(std::move(views), "DIR"), notices != nullptr ? *notices : unread);
}

std::optional<SentenceModule> read_json(const std::string& type, const std::string& json) {
  return read(type, {{"3_Module/config.json", json}});
}

Modes modes_of(const std::string& json) {
  return std::get<PoolingModule>(read_json("sentence_transformers.models.Pooling", json)->kind).modes;
}

DenseModule dense_of(const std::string& fields) {
  const std::string json = R"({"in_features": 4, "out_features": 3)" + fields + "}";
  return std::get<DenseModule>(read_json("sentence_transformers.models.Dense", json)->kind);
}

TEST(SentenceModules, KnowsClassesByTheirNamesBeforeAndSinceTheyMoved) {
  EXPECT_EQ(module_class("sentence_transformers.models.Pooling"), "Pooling");
  EXPECT_EQ(module_class("sentence_transformers.sentence_transformer.modules.pooling.Pooling"), "Pooling");
  EXPECT_EQ(module_class("sentence_transformers.base.modules.dense.Dense"), "Dense");
  EXPECT_EQ(module_class("pylate.models.Dense.Dense"), "Dense") << "the same files as sentence-transformers' class";
}

TEST(SentenceModules, KnowsEveryWayToNameAPooling) {
  const std::vector<std::pair<std::string, Modes>> cases = {
      {"{}", {PoolingMode::kMean}},
      {R"({"pooling_mode_mean_tokens": false})", {PoolingMode::kMean}},
      {R"({"pooling_mode_cls_token": true})", {PoolingMode::kCls}},
      {R"({"pooling_mode_lasttoken": true, "pooling_mode_mean_tokens": false})", {PoolingMode::kLastToken}},
      {R"({"pooling_mode_weightedmean_tokens": true})", {PoolingMode::kWeightedMean}},
      // With several members of the old form, the order of the modes is fixed and does not depend on the file's order.
      {R"({"pooling_mode_mean_sqrt_len_tokens": true, "pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true})",
       {PoolingMode::kMax, PoolingMode::kMean, PoolingMode::kMeanSqrtLength}},
      {R"({"pooling_mode": "max"})", {PoolingMode::kMax}},
      {R"({"pooling_mode": "mean_sqrt_len_tokens"})", {PoolingMode::kMeanSqrtLength}},
      {R"({"pooling_mode": ["lasttoken", "cls"]})", {PoolingMode::kLastToken, PoolingMode::kCls}},
      {R"({"pooling_mode": "cls", "pooling_mode_mean_tokens": true})", {PoolingMode::kCls}},
  };
  for (const auto& [json, modes] : cases) EXPECT_EQ(modes_of(json), modes) << json;
}

TEST(SentenceModules, ReadsADenseModule) {
  const DenseModule plain = dense_of("");
  EXPECT_EQ(plain.in, 4u);
  EXPECT_EQ(plain.out, 3u);
  EXPECT_TRUE(plain.bias && !plain.residual && plain.of == VectorOf::kText);
  EXPECT_EQ(plain.activation, Activation::kTanh);
  const DenseModule other = dense_of(R"(, "bias": false, "use_residual": true, "module_input_name": "token_embeddings",
      "module_output_name": null, "activation_function": "torch.nn.modules.linear.Identity", "unknown": 1)");
  EXPECT_TRUE(!other.bias && other.residual && other.of == VectorOf::kToken);
  EXPECT_EQ(other.activation, Activation::kIdentity);
  EXPECT_EQ(dense_of(R"(, "activation_function": "torch.nn.modules.activation.GELU")").activation, Activation::kGelu);
}

TEST(SentenceModules, TakesTanhForAnActivationThatIsNotOfTorchAndSaysSo) {
  std::vector<std::string> notices;
  const auto module = read(
      "sentence_transformers.models.Dense",
      {{"3_Module/config.json", R"({"in_features": 4, "out_features": 3, "activation_function": "mine.Softsign"})"}},
      &notices);
  EXPECT_EQ(std::get<DenseModule>(module->kind).activation, Activation::kTanh);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("activation_function 'mine.Softsign' is not of torch: Tanh is used"), std::string::npos);
}

TEST(SentenceModules, ReadsAModuleWithoutAFileWhereItNeedsNone) {
  EXPECT_EQ(std::get<NormalizeModule>(read("sentence_transformers.models.Normalize", {})->kind).of, VectorOf::kText);
  EXPECT_FALSE(read("sentence_transformers.models.Dropout", {}).has_value());
}

TEST(SentenceModules, RefusesByNameWhatItDoesNotDo) {
  const auto refusal = [](const std::string& type, const std::string& json) {
    return error_of(ErrorCode::kUnsupported, [&] { read_json("sentence_transformers.models." + type, json); });
  };
  EXPECT_EQ(
      refusal("Dense",
              R"({"in_features": 4, "out_features": 3, "activation_function": "torch.nn.modules.activation.PReLU"})"),
      "'DIR/3_Module/config.json': activation_function 'torch.nn.modules.activation.PReLU' is not supported, expected "
      "one of CELU, ELU, GELU, Hardshrink, Hardsigmoid, Hardswish, Hardtanh, Identity, LeakyReLU, LogSigmoid, Mish, "
      "RReLU, ReLU, ReLU6, SELU, SiLU, Sigmoid, Softplus, Softshrink, Softsign, Tanh, Tanhshrink of torch.nn");
  EXPECT_NE(refusal("Dense", R"({"in_features": 4, "out_features": 3, "module_output_name": "other"})")
                .find("module_input_name 'sentence_embedding' and module_output_name 'other' are not supported"),
            std::string::npos);
  EXPECT_EQ(
      refusal("Pooling", R"({"pooling_mode": "cls", "output_key": "other"})"),
      "'DIR/3_Module/config.json': 'output_key' is not supported: sentence-transformers' Pooling has no such setting");
  EXPECT_NE(refusal("LSTM", "{}").find("module 3 of type 'sentence_transformers.models.LSTM' is not supported"),
            std::string::npos);
}

TEST(SentenceModules, RefusesMalformedFiles) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"Dense", R"({"out_features": 3})", "in_features: missing, expected an integer"},
      {"Dense", R"({"in_features": 0, "out_features": 3})", "in_features: found 0, expected an integer"},
      {"Dense", R"({"in_features": 4, "out_features": 3, "bias": 1})", "bias: found 1, expected true or false"},
      {"LayerNorm", "{}", "dimension: missing"},
      {"Pooling", R"({"pooling_mode": []})", "pooling_mode: found [], expected a mode's name, or an array of them"},
      {"Pooling", R"({"pooling_mode": 1})", "pooling_mode: found 1, expected a string"},
      {"Normalize", "[]", "expected an object"},
  };
  for (const auto& [type, json, expected] : cases) {
    const std::string error = error_of(ErrorCode::kInvalidFile, [&, &name = type, &text = json] {
      read_json("sentence_transformers.models." + name, text);
    });
    EXPECT_NE(error.find(expected), std::string::npos) << expected << ": " << error;
  }
}

TEST(SentenceModules, FollowsTheWidthFromModuleToModule) {
  const SentenceModule two_modes{"1_Pooling", PoolingModule{.modes = {PoolingMode::kCls, PoolingMode::kMean}}};
  DenseModule dense;
  dense.in = 8;
  dense.out = 3;
  const std::vector<SentenceModule> modules = {two_modes, {"2_Dense", dense}, {"3_Normalize", NormalizeModule{}}};
  EXPECT_EQ(text_width(modules, 4), 3u);
  EXPECT_EQ(text_width(std::span(modules).first(1), 4), 8u);
  EXPECT_EQ(text_width(std::span(modules).first(1), 4, PoolingMode::kMax), 4u);
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { text_width(modules, 5); }),
            "'2_Dense/config.json': in_features: found 8, expected 10, the width of what comes before it");
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { text_width(std::span(modules).subspan(1), 4); }),
            "'2_Dense/config.json': it reads the text's vector, expected a Pooling module before it");
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { text_width(std::span(modules).subspan(2), 4); }),
            "'3_Normalize/config.json': it reads the text's vector, expected a Pooling module before it");
  EXPECT_EQ(error_of(ErrorCode::kInvalidArgument, [&] { text_width(modules, 4, PoolingMode::kMax); }),
            "pooling max does not fit the modules after it: Dense 8 to 3, Tanh: in_features: found 8, expected 4, the "
            "width of what "
            "comes before it");
}

}  // namespace
}  // namespace bert
