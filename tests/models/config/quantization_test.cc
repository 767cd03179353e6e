#include "models/config/quantization.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/config/config.h"
#include "tests/models/tiny_model_test.h"
#include "tests/support/compare.h"
#include "tests/support/expect_error.h"
#include "tests/support/safetensors_writer.h"

namespace bert {
namespace {

using Document = nlohmann::json;
using test::error_of;

// Returns a configuration as the package compressed-tensors writes it.
Document quantization_config(bool symmetric = false) {
  return {
      {"quant_method", "compressed-tensors"},
      {"format", "int-quantized"},
      {"quantization_status", "compressed"},
      {"global_compression_ratio", nullptr},
      {"kv_cache_scheme", nullptr},
      {"sparsity_config", Document::object()},
      {"ignore", Document::array()},
      {"config_groups",
       {{"group_0",
         {{"targets", {"Linear"}},
          {"format", nullptr},
          {"output_activations", nullptr},
          {"weights",
           {{"num_bits", 8},
            {"type", "int"},
            {"symmetric", true},
            {"strategy", "channel"},
            {"dynamic", false},
            {"group_size", nullptr},
            {"observer", "minmax"}}},
          {"input_activations",
           {{"num_bits", 8}, {"type", "int"}, {"symmetric", symmetric}, {"strategy", "token"}, {"dynamic", true}}}}}}}};
}

Quantization quantization_of(const Document& config) {
  return *parse_config(Document{{"model_type", "bert"}, {"quantization_config", config}}.dump(), "config.json")
              .quantization;
}

TEST(Quantization, IgnoredLayersCanHaveTheReferencesNames) {
  constexpr RenamedPart kRenamed[] = {{"encoder.layers", "layers"}, {"attn.Wqkv", "self_attn.q_proj"}};
  const IgnoredLayers ignored({.ignore = {"re:layers.0.*", "layers.1.self_attn.q_proj"}}, kRenamed);
  EXPECT_TRUE(ignored.has("encoder.layers.0.attn.Wqkv", "Linear"));
  EXPECT_TRUE(ignored.has("encoder.layers.1.attn.Wqkv", "Linear"));
  EXPECT_FALSE(ignored.has("encoder.layers.2.attn.Wqkv", "Linear"));
}

TEST(Quantization, IsReadAsCompressedTensorsWritesIt) {
  EXPECT_FALSE(quantization_of(quantization_config()).symmetric_activations);
  EXPECT_TRUE(quantization_of(quantization_config(true)).symmetric_activations);
  EXPECT_EQ(parse_config(R"({"model_type": "bert"})", "config.json").quantization.has_value(), false);
}

TEST(Quantization, RefusesOtherSchemesByName) {
  const auto error = [](const std::string& at, const Document& value) {
    Document config = quantization_config();
    config[Document::json_pointer(at)] = value;
    return error_of(ErrorCode::kUnsupported, [&] { quantization_of(config); });
  };
  EXPECT_EQ(error("/quant_method", "gptq"),
            "'config.json': quantization_config.quant_method \"gptq\" is not supported, expected 'compressed-tensors'");
  EXPECT_EQ(error("/format", "pack-quantized"),
            "'config.json': quantization_config.format \"pack-quantized\" is not "
            "supported, expected 'int-quantized'");
  const std::string weights = "/config_groups/group_0/weights/";
  const std::string in_weights = "'config.json': quantization_config.config_groups.group_0.weights.";
  EXPECT_EQ(error(weights + "num_bits", 4), in_weights + "num_bits 4 is not supported, expected 8");
  EXPECT_EQ(error(weights + "type", "float"), in_weights + "type \"float\" is not supported, expected 'int'");
  EXPECT_EQ(error(weights + "strategy", "tensor"),
            in_weights + "strategy \"tensor\" is not supported, expected 'channel'");
  EXPECT_EQ(error(weights + "symmetric", false), in_weights + "symmetric false is not supported, expected true");
  EXPECT_EQ(error(weights + "group_size", 128), in_weights + "group_size 128 is not supported, expected null");
  for (const auto& [at, value] :
       std::vector<std::pair<std::string, Document>>{{"/quantization_status", "frozen"},
                                                     {"/kv_cache_scheme", {{"num_bits", 8}}},
                                                     {"/config_groups/group_0/input_activations", nullptr},
                                                     {"/config_groups/group_0/input_activations/strategy", "tensor"},
                                                     {"/config_groups/group_0/input_activations/dynamic", false},
                                                     {"/config_groups/group_0/output_activations", {{"num_bits", 8}}},
                                                     {"/config_groups/group_0/targets", {"re:.*dense"}},
                                                     {"/config_groups/group_1", Document::object()}}) {
    EXPECT_NE(error(at, value).find("is not supported, expected "), std::string::npos)
        << at << ": " << error(at, value);
  }
}

// Sets every field to every kind of value. A value outside the field's list of supported ones is refused.
TEST(Quantization, AcceptsNothingThatItDoesNotKnow) {
  const std::vector<Document> odd = {nullptr,
                                     true,
                                     false,
                                     0,
                                     1,
                                     4,
                                     8,
                                     -8,
                                     7.5,
                                     128,
                                     "",
                                     "int",
                                     "float",
                                     "channel",
                                     "token",
                                     "group",
                                     "tensor",
                                     "torch.int8",
                                     Document::array(),
                                     Document::object(),
                                     Document::array({1}),
                                     Document{{"x", 1}}};
  const std::string weights = "/config_groups/group_0/weights/", inputs = "/config_groups/group_0/input_activations/";
  const Document none = {nullptr, Document::array(), Document::object()};
  std::vector<std::pair<std::string, Document>> supported = {
      {"/quant_method", Document::array()},
      {"/format", Document::array()},
      {"/quantization_status", Document::array()},
      {"/kv_cache_scheme", none},
      {"/sparsity_config", none},
      {"/transform_config", none},
      {"/moe_sparsity_config", none},
      {"/config_groups", Document::array()},
      {"/ignore", {nullptr, Document::array()}},
      {"/unknown", Document::array()},
      {"/config_groups/group_0/targets", Document::array()},
      {"/config_groups/group_0/format", {nullptr}},
      {"/config_groups/group_0/weights", Document::array()},
      {"/config_groups/group_0/input_activations", Document::array()},
      {"/config_groups/group_0/output_activations", none},
      {"/config_groups/group_0/unknown", Document::array()},
      {weights + "symmetric", {true}},
      {weights + "strategy", {"channel"}},
      {weights + "dynamic", {false}},
      {inputs + "symmetric", {true, false}},
      {inputs + "strategy", {"token"}},
      {inputs + "dynamic", {true}},
  };
  for (const std::string& args : {weights, inputs}) {
    supported.insert(supported.end(), {{args + "num_bits", {8}},
                                       {args + "type", {"int"}},
                                       {args + "group_size", none},
                                       {args + "block_structure", none},
                                       {args + "actorder", none},
                                       {args + "scale_dtype", none},
                                       {args + "zp_dtype", {nullptr, "torch.int8"}},
                                       {args + "unknown", Document::array()}});
  }
  for (const auto& [at, accepted] : supported) {
    for (const Document& value : odd) {
      Document config = quantization_config();
      config[Document::json_pointer(at)] = value;
      const bool is_accepted = std::find(accepted.begin(), accepted.end(), value) != accepted.end();
      EXPECT_EQ(error_of([&] { quantization_of(config); }).empty(), is_accepted) << at << ": " << value;
    }
  }
}

// `quantize --embeddings int8` writes a second group for the tables.
TEST(Quantization, CanHaveTables) {
  EXPECT_FALSE(quantization_of(quantization_config()).int8_tables);
  Document config = quantization_config();
  Document& groups = config["config_groups"];
  groups["group_1"] = {{"targets", {"Embedding"}}, {"weights", groups["group_0"]["weights"]}};
  EXPECT_TRUE(quantization_of(config).int8_tables);
  const auto error = [&](const std::string& at, const Document& value) {
    Document other = config;
    other[Document::json_pointer("/config_groups/" + at)] = value;
    return error_of(ErrorCode::kUnsupported, [&] { quantization_of(other); });
  };
  EXPECT_NE(error("group_1/weights/num_bits", 4).find("group_1.weights.num_bits 4 is not supported, expected 8"),
            std::string::npos);
  EXPECT_NE(error("group_1/input_activations", {{"num_bits", 8}}).find("group_1.input_activations"), std::string::npos);
  EXPECT_NE(error("group_0/targets", {"Embedding"}).find("group_0.input_activations"), std::string::npos);
  EXPECT_NE(error("group_2", groups["group_1"]).find("expected at most one group with the target \"Embedding\""),
            std::string::npos);
  EXPECT_NE(error("group_1/targets", {"Linear"}).find("group_1.input_activations"), std::string::npos);
  groups.erase("group_0");
  EXPECT_NE(error_of(ErrorCode::kUnsupported, [&] { quantization_of(config); })
                .find("expected one group with the target \"Linear\""),
            std::string::npos);
}

TEST(Quantization, IgnoresLayersByNameOrExpression) {
  const auto ignored = [](const std::string& entry, const std::string& layer) {
    return IgnoredLayers({.ignore = {entry}}).has(layer, "Linear");
  };
  EXPECT_TRUE(ignored("classifier", "classifier"));
  EXPECT_FALSE(ignored("classifier", "classifier.dense"));
  EXPECT_TRUE(ignored("re:.*pooler.*", "bert.pooler.dense"));
  EXPECT_TRUE(ignored("re:.*pooler", "bert.pooler.dense"));  // an expression must match from the name's beginning
  EXPECT_FALSE(ignored("re:pooler", "bert.pooler.dense"));
  EXPECT_FALSE(ignored("re:.*pooler$", "bert.pooler.dense"));
  EXPECT_TRUE(ignored("re:^bert\\.pooler\\.dense$", "bert.pooler.dense"));
  EXPECT_FALSE(ignored("re:bert\\.pooler", "bert_pooler"));
  EXPECT_TRUE(ignored("re:bert.pooler", "bert_pooler"));
  EXPECT_TRUE(ignored("re:a*b.*c*$", "aabxc"));
  EXPECT_TRUE(ignored("re:.*layers?.0.*", "encoder.layer.0.output.dense"));
  EXPECT_TRUE(ignored("re:(a|b)", "bc"));
  EXPECT_FALSE(ignored("re:a|b", "cb"));
  EXPECT_TRUE(ignored("Linear", "any"));
  EXPECT_FALSE(ignored("Embedding", "any"));
  EXPECT_NE(error_of(ErrorCode::kInvalidFile, [&] { ignored("re:(a", "a"); }), "");
}

bool is_linear(const std::string& name) {
  return name.ends_with(".weight") &&
         (name.find("dense") != std::string::npos || name.find(".self.") != std::string::npos);
}

class QuantizedModelTest : public test::TinyModelTest {
 protected:
  // Loads the model of write_tiny_model with its linear layers in 8 bits.
  Model load_quantized(Document config, const LoadOptions& options = {.threads = 2},
                       const std::function<void(std::vector<test::TestTensor>&)>& edit = {}) {
    test::TinyTensors floats;
    write_tiny_model(directory_, {}, [&](test::TinyTensors& tensors) { floats = tensors; });
    std::vector<test::TestTensor> tensors;
    for (const auto& [name, tensor] : floats) {
      if (!is_linear(name)) {
        tensors.push_back({name, "F32", tensor.shape, test::bytes_of(tensor.values)});
        continue;
      }
      std::vector<float> scales;
      std::vector<int8_t> weights;
      const size_t cols = tensor.shape[1];
      for (size_t row = 0; row < tensor.shape[0]; ++row) {
        float largest = 0;
        for (size_t i = 0; i < cols; ++i) largest = std::max(largest, std::abs(tensor.values[row * cols + i]));
        scales.push_back(largest / 127.5f);
        for (size_t i = 0; i < cols; ++i) {
          const float value = tensor.values[row * cols + i] / scales.back();
          weights.push_back(static_cast<int8_t>(std::nearbyint(std::clamp(value, -128.0f, 127.0f))));
        }
      }
      tensors.push_back({name, "I8", tensor.shape, test::bytes_of(weights)});
      tensors.push_back({name + "_scale", "F32", {tensor.shape[0], 1}, test::bytes_of(scales)});
    }
    if (edit) edit(tensors);
    directory_.write("model.safetensors", test::image_of(tensors));
    std::ifstream file(directory_.path() / "config.json");
    Document all = Document::parse(file);
    if (!config.is_null()) all["quantization_config"] = std::move(config);
    directory_.write("config.json", all.dump());
    return Model::load(directory_.path().string(), options);
  }

  std::string refusal(const Document& config, const LoadOptions& options = {},
                      const std::function<void(std::vector<test::TestTensor>&)>& edit = {}) {
    return error_of([&] { load_quantized(config, options, edit); });
  }
};

TEST_F(QuantizedModelTest, HasTheBitsOfTheFloatsQuantizedAtLoad) {
  // load() overwrites the model before.
  const std::string_view text = "the quick brown fox jumps over the lazy dog";
  const EncodedText expected = load({}, {}, {.threads = 2, .precision = Precision::kInt8}).encode(text);
  const EncodedText exact = load().encode(text);
  const EncodedText got = load_quantized(quantization_config()).encode(text);
  EXPECT_TRUE(test::same_bits(got.last_hidden_state, expected.last_hidden_state));
  EXPECT_TRUE(test::same_bits(got.pooler_output, expected.pooler_output));
  EXPECT_TRUE(test::within(0.2, got.last_hidden_state, exact.last_hidden_state));
  EXPECT_FALSE(test::within(1e-4, got.last_hidden_state, exact.last_hidden_state));
  const EncodedText symmetric = load_quantized(quantization_config(true)).encode(text);
  EXPECT_TRUE(test::within(0.2, symmetric.last_hidden_state, exact.last_hidden_state));
  EXPECT_FALSE(test::same_bits(symmetric.last_hidden_state, expected.last_hidden_state));
}

TEST_F(QuantizedModelTest, DescribesItsPrecision) {
  const ModelDescription file = load_quantized(quantization_config()).describe();
  EXPECT_EQ(file.precision, "int8");
  EXPECT_EQ(file.precision_reason, "quantization_config of config.json, with asymmetric activations");
  const size_t one[] = {8};
  size_t weight_bytes = 0;
  {
    const Model model = load({}, {}, {.precision = Precision::kInt8});
    EXPECT_EQ(model.describe().precision, "int8");
    EXPECT_EQ(model.describe().precision_reason, "requested: quantised when loaded");
    EXPECT_EQ(model.notices().back(), "the weights of the linear layers are quantised to 8 bits, as requested");
    weight_bytes = model.cost(one).weight_bytes;
  }
  const Model floats = load();
  EXPECT_EQ(floats.describe().precision, "float32");
  EXPECT_LT(weight_bytes, floats.cost(one).weight_bytes / 2);
}

TEST_F(QuantizedModelTest, IsRefusedWhereItCannotBeComputed) {
  const Document config = quantization_config();
  EXPECT_NE(
      refusal(config, {.precision = Precision::kFloat32})
          .find("float32 requested, but the weights are 8-bit integers; expected the model that they were made of"),
      std::string::npos);
  EXPECT_NE(
      refusal(config, {.precision = Precision::kBFloat16})
          .find("bfloat16 requested, but the weights are 8-bit integers; expected the model that they were made of"),
      std::string::npos);
  EXPECT_EQ(refusal(config, {.gemm = GemmProvider::kOpenBlas}),
            "OpenBLAS requested with 8-bit weights, which it cannot multiply; expected the native kernels");
  EXPECT_NE(refusal(nullptr).find("type I8, expected F32, F16, BF16 or F64: config.json has no quantization_config"),
            std::string::npos);
}

TEST_F(QuantizedModelTest, HasTheTypesThatItsConfigurationSays) {
  Document config = quantization_config();
  config["ignore"] = {"re:.*pooler.*"};
  EXPECT_NE(refusal(config).find("type I8, expected floats: quantization_config.ignore has this layer"),
            std::string::npos);
  const auto without_scales = [](std::vector<test::TestTensor>& tensors) {
    std::erase_if(tensors, [](const test::TestTensor& tensor) { return tensor.name == "pooler.dense.weight_scale"; });
  };
  EXPECT_NE(refusal(quantization_config(), {}, without_scales).find("tensor 'pooler.dense.weight_scale' in "),
            std::string::npos);
  const auto with_floats = [&](std::vector<test::TestTensor>& tensors) {
    without_scales(tensors);
    for (test::TestTensor& tensor : tensors) {
      if (tensor.name == "pooler.dense.weight") tensor = test::floats(tensor.name, tensor.shape);
    }
  };
  EXPECT_NE(refusal(quantization_config(), {}, with_floats)
                .find("type F32, expected I8: quantization_config.ignore does not have this layer"),
            std::string::npos);
  EXPECT_EQ(refusal(config, {}, with_floats), "");
  const auto with_table = [&](std::vector<test::TestTensor>& tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (tensors[i].name != "embeddings.word_embeddings.weight") continue;
      const std::vector<size_t> shape = tensors[i].shape;
      tensors[i] = {tensors[i].name, "I8", shape, std::string(shape[0] * shape[1], '\1')};
      tensors.push_back(test::floats("embeddings.word_embeddings.weight_scale", {shape[0], 1}));
      break;
    }
  };
  EXPECT_NE(refusal(quantization_config(), {}, with_table)
                .find("type I8, expected floats: quantization_config has no group with the target \"Embedding\""),
            std::string::npos);
  config = quantization_config();
  config["config_groups"]["group_1"] = {{"targets", {"Embedding"}},
                                        {"weights", config["config_groups"]["group_0"]["weights"]}};
  EXPECT_NE(refusal(config, {}, with_table)
                .find("type F32, expected I8: quantization_config.ignore does not have this layer"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
