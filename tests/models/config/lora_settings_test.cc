#include "models/config/lora_settings.h"

#include <gtest/gtest.h>

#include "bert/error.h"
#include "engine/base/json/json.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"

namespace bert {
namespace {

using test::error_of;

LoraSettings settings_of(const std::string& more) {
  const JsonDocument json = parse_json(R"({"peft_type": "LORA")" + more + "}", "adapter_config.json");
  return read_lora_settings(JsonObject(json.root(), "adapter_config.json"));
}

// peft 0.21 writes such a file.
TEST(LoraSettings, AreReadFromAFileOfTheLibrary) {
  const LoraSettings settings = settings_of(R"(, "alora_invocation_tokens": null, "alpha_pattern": {},
    "arrow_config": null, "auto_mapping": null, "base_model_name_or_path": "bert-base-uncased", "bias": "none",
    "corda_config": null, "ensure_weight_tying": false, "eva_config": null, "exclude_modules": null,
    "fan_in_fan_out": false, "inference_mode": true, "init_lora_weights": true, "layer_replication": null,
    "layers_pattern": null, "layers_to_transform": null, "loftq_config": {}, "lora_alpha": 32, "lora_bias": false,
    "lora_dropout": 0.1, "megatron_config": null, "megatron_core": "megatron.core", "modules_to_save": ["classifier"],
    "peft_version": "0.21.2", "qalora_group_size": 16, "r": 16, "rank_pattern": {}, "revision": null,
    "target_modules": ["query"], "target_parameters": null, "task_type": "SEQ_CLS", "trainable_token_indices": null,
    "use_dora": false, "use_qalora": false, "use_rslora": false)");
  EXPECT_EQ(settings.base_model, "bert-base-uncased");
  EXPECT_EQ(settings.head_class, "ForSequenceClassification");
  EXPECT_EQ(settings.scale("bert.encoder.layer.0.attention.self.query", 16), 2);
}

TEST(LoraSettings, ScaleEachModuleByItsOwnRankAndAlpha) {
  const LoraSettings settings = settings_of(
      R"(, "r": 4, "lora_alpha": 8, "rank_pattern": {"layer.1.attention.self.query": 2, "key": 16},
         "alpha_pattern": {"^key$": 1, "query": 3})");
  EXPECT_EQ(settings.scale("encoder.layer.0.attention.self.value", 4), 2);
  EXPECT_EQ(settings.scale("encoder.layer.1.attention.self.query", 2), 1.5);
  EXPECT_EQ(settings.scale("encoder.layer.0.attention.self.query", 4), 0.75);
  EXPECT_EQ(settings.scale("encoder.layer.0.attention.self.key", 16), 0.5) << "^ is the name's start";
  EXPECT_EQ(settings_of(R"(, "r": 16, "lora_alpha": 8, "use_rslora": true)").scale("query", 16), 2);
  EXPECT_EQ(error_of(ErrorCode::kInvalidFile, [&] { settings.scale("encoder.layer.1.attention.self.query", 4); }),
            "'adapter_config.json': rank 2 of 'encoder.layer.1.attention.self.query', expected 4, the rows of its "
            "lora_A");
}

// The expected values are those of Python's re.match(rf"(.*\.)?({pattern})$", module).
TEST(LoraSettings, NameModulesAsTheLibrarysExpressionsDo) {
  EXPECT_TRUE(names_module("query", "attention.self.query"));
  EXPECT_FALSE(names_module("query", "attention.self.subquery"));
  EXPECT_FALSE(names_module("quer", "attention.self.query"));
  EXPECT_TRUE(names_module("layer.1.query", "encoder.layer.1.query"));
  EXPECT_FALSE(names_module("layer.1.query", "encoder.layer.11.query"));
  EXPECT_TRUE(names_module("layer.\\d+.query", "encoder.layer.11.query"));
  EXPECT_FALSE(names_module("layer.\\d+.query", "encoder.layer..query"));
  EXPECT_TRUE(names_module("layers.*query", "layers.1.attn.query"));
  EXPECT_FALSE(names_module("layers\\.query", "layersxquery"));
  EXPECT_TRUE(names_module("layers.query", "layersxquery"));
  EXPECT_TRUE(names_module("enc?oder", "enoder"));
  EXPECT_FALSE(names_module("enc?oder", "eoder"));
  EXPECT_TRUE(names_module("^key$", "key"));
  EXPECT_FALSE(names_module("^key$", "self.key"));
}

TEST(LoraSettings, RefuseByNameWhatChangesTheNumbers) {
  const auto refusal = [](const std::string& more) {
    return error_of(ErrorCode::kUnsupported, [&] { settings_of(more); });
  };
  EXPECT_NE(refusal(R"(, "use_dora": true)").find("use_dora true (DoRA) is not supported"), std::string::npos);
  EXPECT_NE(refusal(R"(, "a_new_key": {"x": 1})").find("a_new_key"), std::string::npos);
  EXPECT_NE(refusal(R"(, "lora_bias": true)").find("lora_bias"), std::string::npos);
  EXPECT_NE(refusal(R"(, "layer_replication": [[0, 4]])").find("layer_replication"), std::string::npos);
  EXPECT_NE(refusal(R"(, "trainable_token_indices": [1])").find("trainable_token_indices"), std::string::npos);
  EXPECT_NE(refusal(R"(, "target_parameters": ["experts"])").find("target_parameters"), std::string::npos);
  EXPECT_NE(refusal(R"(, "init_lora_weights": "pissa")").find("'pissa' is not supported"), std::string::npos);
  EXPECT_NE(refusal(R"x(, "rank_pattern": {"(query|key)": 2})x").find("'(query|key)' is not supported"),
            std::string::npos);
  EXPECT_EQ(refusal(R"(, "a_new_key": false, "another": null, "init_lora_weights": "gaussian")"), "");
}

// Each field of LoraConfig in peft 0.21.2 that does not change the factor of B · A gets a value other than the default.
// A field that only initialises the matrices for training does not change a forward pass, so it is accepted.
TEST(LoraSettings, EachFieldOfTheLibraryIsReadRefusedOrWithoutEffect) {
  for (const char* field : {R"("auto_mapping": {"base_model_class": "BertModel"})",
                            R"("base_model_name_or_path": "x")",
                            R"("bias": "lora_only")",
                            R"("corda_config": {"corda_method": "ipm"})",
                            R"("ensure_weight_tying": true)",
                            R"("eva_config": {"rho": 2.0, "tau": 0.99, "adjust_scaling_factors": true})",
                            R"("exclude_modules": ["key"])",
                            R"("fan_in_fan_out": true)",
                            R"("inference_mode": true)",
                            R"("init_lora_weights": "eva")",
                            R"("init_lora_weights": "mica")",
                            R"("init_lora_weights": "orthogonal")",
                            R"("layers_pattern": ["layer"])",
                            R"("layers_to_transform": [1])",
                            R"("loftq_config": {"loftq_bits": 4})",
                            R"("lora_dropout": 0.1)",
                            R"("lora_ga_config": {"direction": "ArB2r"})",
                            R"("megatron_core": "x")",
                            R"("modules_to_save": ["x"])",
                            R"("peft_version": "0.21.2")",
                            R"("qalora_group_size": 8)",
                            R"("revision": "x")",
                            R"("target_modules": "all-linear")",
                            R"("task_type": "FEATURE_EXTRACTION")"}) {
    EXPECT_EQ(error_of([&] { EXPECT_EQ(settings_of(std::string(", ") + field).scale("query", 8), 1); }), "") << field;
  }
  for (const char* field :
       {R"("alora_invocation_tokens": [1])", R"("arrow_config": {"top_k": 3})", R"("init_lora_weights": "corda")",
        R"("init_lora_weights": "loftq")", R"("init_lora_weights": "lora_ga")", R"("init_lora_weights": "olora")",
        R"("kasa_config": {"beta": 1})", R"("layer_replication": [[0, 4]])", R"("lora_bias": true)",
        R"("megatron_config": {"x": 1})", R"("monteclora_config": {"num_samples": 8})", R"("target_parameters": ["x"])",
        R"("trainable_token_indices": [1])", R"("use_bdlora": {"x": 1})", R"("use_dora": true)",
        R"("use_qalora": true)", R"("velora_config": {"num_groups": 64})"}) {
    const std::string name = std::string(field).substr(1, std::string(field).find('"', 1) - 1);
    const std::string error = error_of(ErrorCode::kUnsupported, [&] { settings_of(std::string(", ") + field); });
    EXPECT_NE(error.find(name), std::string::npos) << field << ": " << error;
  }
}

// Each module is compared with each pattern, so the number of patterns and the steps of a match have limits.
TEST(LoraSettings, HaveALimitOfPatterns) {
  const auto refusal = [](size_t count, const std::string& pattern) {
    std::string patterns;
    for (size_t i = 0; i < count; ++i) {
      patterns += (i > 0 ? ", \"" : "\"") + pattern + std::to_string(i) + "\": 2";
    }
    return error_of([&] { settings_of(R"(, "alpha_pattern": {)" + patterns + "}"); });
  };
  EXPECT_EQ(refusal(65536, "layer."), "");
  EXPECT_NE(refusal(65537, "layer.").find("expected at most 65536 patterns"), std::string::npos);
  EXPECT_EQ(refusal(1000, "layer.*"), "");
  EXPECT_NE(refusal(3000, "layer.*").find("expected at most 16384 bytes of patterns with signs"), std::string::npos);
}

TEST(LoraSettings, AreInTheAdaptersDirectory) {
  const test::TemporaryDirectory directory;
  EXPECT_NE(error_of(ErrorCode::kNotFound, [&] { read_lora_settings(DirectorySource(directory.path())); })
                .find("adapter_config.json': no such file, expected the settings of a LoRA adapter"),
            std::string::npos);
  directory.write("adapter_config.json", R"({"peft_type": "PROMPT_TUNING"})");
  EXPECT_NE(error_of(ErrorCode::kUnsupported, [&] { read_lora_settings(DirectorySource(directory.path())); })
                .find("peft_type 'PROMPT_TUNING' is not supported, expected LORA"),
            std::string::npos);
}

}  // namespace
}  // namespace bert
