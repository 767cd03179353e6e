#include "models/config/config.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <set>

#include "bert/error.h"
#include "engine/base/json/json.h"
#include "models/config/activations.h"
#include "models/config/family.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

namespace fs = std::filesystem;
using test::error_of;

struct BadConfig {
  std::string json;
  ErrorCode code;
  std::string expected;  // a part of the error's message
};

using Labels = std::vector<std::optional<std::string>>;

TEST(Config, ReadsTheProblemType) {
  for (const auto& [word, type] : {std::pair{"regression", ProblemType::kRegression},
                                   {"single_label_classification", ProblemType::kSingleLabel},
                                   {"multi_label_classification", ProblemType::kMultiLabel},
                                   {"another", ProblemType::kUnspecified}}) {
    EXPECT_EQ(parse_config(R"({"problem_type": ")" + std::string(word) + "\"}", "x").problem_type, type) << word;
  }
}

// The expected labels are those of AutoConfig's id2label in transformers 5.23, for each of num_labels outputs.
TEST(Config, ReadsLabelsAsTheReferenceDoes) {
  const auto labels = [](const std::string& json) { return parse_config(json, "config.json").labels; };
  const Labels by_default = {"LABEL_0", "LABEL_1"};
  EXPECT_EQ(labels(R"({"id2label": {"0": 0, "1": 1.5}})"), (Labels{"0", "1.5"}));
  EXPECT_EQ(labels(R"({"id2label": {"0": null, "1": "x"}})"), (Labels{std::nullopt, "x"}));
  EXPECT_EQ(labels(R"({"id2label": {"1": "b", "0": "a"}})"), (Labels{"a", "b"}));
  EXPECT_EQ(labels(R"({"id2label": {"00": "a", "+1": "b"}})"), (Labels{"a", "b"}));
  EXPECT_EQ(labels(R"({"id2label": {"0": "a", "00": "b"}})"), (Labels{"b"}));
  EXPECT_EQ(labels(R"({"id2label": {"0": "a", "2": "b"}})"), (Labels{"a", std::nullopt}));
  EXPECT_EQ(labels(R"({"id2label": {"1": "a", "2": "b"}})"), (Labels{std::nullopt, "a"}));
  EXPECT_EQ(labels(R"({"id2label": {"-1": "a", "0": "b"}})"), (Labels{"b", std::nullopt}));
  EXPECT_EQ(labels(R"({"id2label": null, "label2id": {"x": 0, "y": 1}})"), by_default);
  EXPECT_EQ(labels(R"({"id2label": null, "num_labels": 3})"), (Labels{"LABEL_0", "LABEL_1", "LABEL_2"}));
  EXPECT_EQ(labels(R"({"id2label": {}, "num_labels": 1})"), (Labels{"LABEL_0"}));
  EXPECT_EQ(labels(R"({"label2id": {"x": 0, "y": 1, "z": 2}})"), by_default);
  EXPECT_EQ(labels(R"({"label2id": {"x": 0}, "num_labels": 1})"), (Labels{"LABEL_0"}));
  EXPECT_EQ(labels(R"({"id2label": {"0": "a", "1": "b"}, "num_labels": 2})"), (Labels{"a", "b"}));
}

TEST(Config, TellsWhichLabelsAreNotUsed) {
  const auto read = [](const std::string& json) {
    std::vector<std::string> notices;
    const Labels labels = parse_config(json, "config.json", &notices).labels;
    return std::pair(labels, notices);
  };
  EXPECT_EQ(read(R"({"id2label": {"0": "a", "1": "b"}, "num_labels": 1})"),
            std::pair(Labels{"LABEL_0"},
                      std::vector<std::string>{"'config.json': id2label has 2 labels and num_labels is 1: the labels "
                                               "are LABEL_0, LABEL_1, …, as in the reference library"}));
  EXPECT_EQ(
      read(R"({"label2id": {"x": 0}})").second,
      std::vector<std::string>{"'config.json': label2id without id2label is not read, as in the reference library"});
  EXPECT_EQ(read(R"({"id2label": {"0": "a"}, "label2id": {"x": 7}, "num_labels": 1})").second,
            std::vector<std::string>{});
}

TEST(Config, ReadsTheActivationOfACrossEncoderUnderItsNewAndItsOldKey) {
  const auto activation = [](const std::string& json) { return parse_config(json, "config.json").activation_fn; };
  EXPECT_EQ(activation("{}"), "");
  EXPECT_EQ(
      activation(R"({"sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity", "version": "4"}})"),
      "torch.nn.modules.linear.Identity");
  EXPECT_EQ(activation(R"({"sbert_ce_default_activation_function": "torch.nn.modules.linear.Identity"})"),
            "torch.nn.modules.linear.Identity");
  EXPECT_EQ(activation(R"({"sbert_ce_default_activation_function": null, "sentence_transformers": {}})"), "");
}

TEST(Config, TakesTheReferencesDefaults) {
  const ModelConfig config = parse_config("{}", "x");
  EXPECT_EQ(config.model_type, "bert");
  EXPECT_EQ(config.vocab_size, 30522u);
  EXPECT_EQ(config.hidden_size, 768u);
  EXPECT_EQ(config.num_hidden_layers, 12u);
  EXPECT_EQ(config.num_attention_heads, 12u);
  EXPECT_EQ(config.head_dim(), 64u);
  EXPECT_EQ(config.intermediate_size, 3072u);
  EXPECT_EQ(config.max_position_embeddings, 512u);
  EXPECT_EQ(config.type_vocab_size, 2u);
  EXPECT_EQ(config.hidden_act, "gelu");
  EXPECT_EQ(config.layer_norm_eps, 1e-12);
  EXPECT_EQ(config.position_embedding_type, "absolute");
  EXPECT_EQ(config.pad_token_id, 0);
  EXPECT_TRUE(config.tie_word_embeddings);
  EXPECT_EQ(config.labels, (Labels{"LABEL_0", "LABEL_1"}));
  EXPECT_EQ(config.problem_type, ProblemType::kUnspecified);
}

TEST(Config, ReadsEveryField) {
  const ModelConfig config = parse_config(
      R"({"model_type": "bert", "architectures": ["BertForMaskedLM", "x"], "vocab_size": 131, "hidden_size": 36,
          "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 70, "max_position_embeddings": 64,
          "type_vocab_size": 1, "hidden_act": "gelu_new", "layer_norm_eps": 1e-5, "pad_token_id": 3,
          "position_embedding_type": "absolute", "tie_word_embeddings": false, "problem_type": "regression",
          "id2label": {"1": "b", "0": "a", "2": "c"}, "label2id": {"ignored": "x"}, "num_labels": 3})",
      "x");
  EXPECT_EQ(config.architectures, (std::vector<std::string>{"BertForMaskedLM", "x"}));
  EXPECT_EQ(config.vocab_size, 131u);
  EXPECT_EQ(config.hidden_size, 36u);
  EXPECT_EQ(config.num_hidden_layers, 3u);
  EXPECT_EQ(config.num_attention_heads, 4u);
  EXPECT_EQ(config.intermediate_size, 70u);
  EXPECT_EQ(config.max_position_embeddings, 64u);
  EXPECT_EQ(config.type_vocab_size, 1u);
  EXPECT_EQ(config.hidden_act, "gelu_new");
  EXPECT_EQ(config.layer_norm_eps, 1e-5);
  EXPECT_EQ(config.pad_token_id, 3);
  EXPECT_FALSE(config.tie_word_embeddings);
  EXPECT_EQ(config.problem_type, ProblemType::kRegression);
  EXPECT_EQ(config.labels, (Labels{"a", "b", "c"}));
}

// The expected values follow from attribute_map in transformers 5.24's DistilBertConfig, and in the class of older
// NomicBERT files.
TEST(Config, TheUsualNamesCountBesideAFamilysOwn) {
  const ModelConfig distil = parse_config(
      R"({"model_type": "distilbert", "n_layers": 2, "num_hidden_layers": 1, "dim": 64, "hidden_size": 32,
          "n_heads": 4, "num_attention_heads": 2, "hidden_dim": 10, "intermediate_size": 20})",
      "config.json");
  EXPECT_EQ(distil.num_hidden_layers, 1u);
  EXPECT_EQ(distil.hidden_size, 32u);
  EXPECT_EQ(distil.num_attention_heads, 2u);
  EXPECT_EQ(distil.intermediate_size, 10u);
  const ModelConfig nomic = parse_config(
      R"({"model_type": "nomic_bert", "n_embd": 32, "hidden_size": 64, "n_layer": 2, "num_hidden_layers": 3,
          "n_head": 4, "num_attention_heads": 8, "n_inner": 77, "n_positions": 99, "activation_function": "swiglu"})",
      "config.json");
  EXPECT_EQ(nomic.hidden_size, 64u);
  EXPECT_EQ(nomic.num_hidden_layers, 3u);
  EXPECT_EQ(nomic.num_attention_heads, 8u);
  EXPECT_EQ(nomic.max_position_embeddings, 99u);
  EXPECT_EQ(nomic.intermediate_size, 77u);
  const ModelConfig both = parse_config(R"({"model_type": "nomic_bert", "n_embd": 768, "n_inner": 77,
      "intermediate_size": 55, "activation_function": "swiglu"})",
                                        "config.json");
  EXPECT_EQ(both.intermediate_size, 55u);
}

TEST(Config, IsReadAsPythonReadsJson) {
  std::vector<std::string> notices;
  const ModelConfig config = parse_config(
      R"({"num_hidden_layers": 2, "num_hidden_layers": 3, "x": {"y": NaN},
          "id2label": {"0": "cut \ud83d", "1": "b"}})",
      "config.json", &notices);
  EXPECT_EQ(config.num_hidden_layers, 3u);
  EXPECT_EQ(config.labels[0], "cut \uFFFD");
  EXPECT_EQ(notices,
            std::vector<std::string>{
                "'config.json': duplicate key 'num_hidden_layers'; the last value counts, as in the reference"});
  EXPECT_EQ(parse_config(R"({"num_hidden_layers": 2, "num_hidden_layers": 3})", "x").num_hidden_layers, 3u);
  EXPECT_EQ(error_of([] { parse_config(R"({"layer_norm_eps": NaN})", "config.json"); }),
            "'config.json': layer_norm_eps: found NaN, expected a finite number above 0");
}

TEST(Config, AcceptsNullWhereTheReferenceWritesIt) {
  EXPECT_EQ(error_of([] {
              parse_config(
                  R"({"classifier_dropout": null, "problem_type": null, "pad_token_id": null, "bos_token_id": null,
                               "architectures": null})",
                  "x");
            }),
            "");
}

TEST(Config, DoesNotLookAtFieldsWithoutEffect) {
  EXPECT_EQ(error_of([] {
              parse_config(
                  R"({"hidden_dropout_prob": "x", "use_cache": 3, "gradient_checkpointing": [], "torch_dtype": 1,
                               "max_length": Infinity, "initializer_range": NaN, "_name_or_path": "/etc/passwd",
                               "is_decoder": false, "add_cross_attention": false, "pruned_heads": {}, "unheard_of": {}})",
                  "x");
            }),
            "");
}

TEST(Config, TellsTheTypeOfOldFilesByTheirClass) {
  EXPECT_EQ(parse_config(R"({"architectures": ["BertForMaskedLM"]})", "x").model_type, "bert");
  EXPECT_EQ(parse_config(R"({"architectures": ["XLMRobertaModel"]})", "x").model_type, "xlm-roberta");
  EXPECT_EQ(error_of([] {
              parse_config(R"({"architectures": ["OtherModel"]})", "x");
            }).find("'x': architectures 'OtherModel' without model_type is not supported, expected albert, bart, "),
            0u);
}

// Expects for each case an error of one line that begins with the file's name.
void expect_refused(const std::vector<BadConfig>& cases) {
  for (const BadConfig& bad : cases) {
    const std::string error = error_of(bad.code, [&] { parse_config(bad.json, "config.json"); });
    EXPECT_EQ(error.find("'config.json'"), 0u) << bad.json << ": " << error;
    EXPECT_NE(error.find(bad.expected), std::string::npos) << bad.json << ": " << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

constexpr ErrorCode kInvalid = ErrorCode::kInvalidFile;
constexpr ErrorCode kUnsupported = ErrorCode::kUnsupported;

TEST(Config, RefusesEveryBadNumberByName) {
  expect_refused({
      {"", kInvalid, "the end of the text"},
      {"[]", kInvalid, "[], expected an object"},
      {"null", kInvalid, "null, expected an object"},
      {"{\"vocab_size\": 5", kInvalid, "the end of the text"},
      {R"({"vocab_size": "30522"})", kInvalid, "vocab_size: found \"30522\", expected an integer from 1 to 16777216"},
      {R"({"vocab_size": 0})", kInvalid, "vocab_size: found 0, expected an integer from 1 to 16777216"},
      {R"({"vocab_size": -1})", kInvalid, "vocab_size: found -1, expected"},
      {R"({"vocab_size": 16777217})", kInvalid, "vocab_size: found 16777217, expected"},
      {R"({"vocab_size": 18446744073709551616})", kInvalid, "vocab_size: found 18446744073709551616, expected"},
      {R"({"vocab_size": 18446744073709551615})", kInvalid, "vocab_size: found 18446744073709551615, expected"},
      {R"({"vocab_size": 1e3})", kInvalid, "vocab_size: found 1e3, expected an integer"},
      {R"({"vocab_size": null})", kInvalid, "vocab_size: found null, expected an integer"},
      {R"({"vocab_size": true})", kInvalid, "vocab_size: found true, expected an integer"},
      {R"({"vocab_size": NaN})", kInvalid, "vocab_size: found NaN, expected an integer"},
      {R"({"hidden_size": 65537})", kInvalid, "hidden_size: found 65537, expected an integer from 1 to 65536"},
      {R"({"hidden_size": 770})", kInvalid, "hidden_size: found 770, expected a multiple of num_attention_heads 12"},
      {R"({"hidden_size": [768]})", kInvalid, "hidden_size: found [768], expected an integer"},
      {R"({"num_attention_heads": 0})", kInvalid, "num_attention_heads: found 0, expected an integer from 1 to 1024"},
      {R"({"num_attention_heads": 5})", kInvalid, "hidden_size: missing, expected a multiple of num_attention_heads 5"},
      {R"({"num_hidden_layers": 1001})", kInvalid, "num_hidden_layers: found 1001, expected an integer from 1 to 1000"},
      {R"({"num_hidden_layers": 0})", kInvalid, "num_hidden_layers: found 0, expected"},
      {R"({"intermediate_size": 0})", kInvalid, "intermediate_size: found 0, expected"},
      {R"({"max_position_embeddings": 0})", kInvalid, "max_position_embeddings: found 0, expected"},
      {R"({"type_vocab_size": 0})", kInvalid, "type_vocab_size: found 0, expected"},
      {R"({"pad_token_id": 30522})", kInvalid, "pad_token_id: found 30522, expected an integer from -30522 to 30521"},
      {R"({"pad_token_id": "0"})", kInvalid, "pad_token_id: found \"0\", expected an integer"},
      {R"({"layer_norm_eps": 0})", kInvalid, "layer_norm_eps: found 0, expected a finite number above 0"},
      {R"({"layer_norm_eps": -1e-12})", kInvalid, "layer_norm_eps: found -1e-12, expected a finite number above 0"},
      {R"({"layer_norm_eps": "1e-12"})", kInvalid, "layer_norm_eps: found \"1e-12\", expected a finite number above 0"},
      {R"({"layer_norm_eps": null})", kInvalid, "layer_norm_eps: found null, expected a finite number above 0"},
      {R"({"layer_norm_eps": Infinity})", kInvalid, "layer_norm_eps: found Infinity, expected a finite number above 0"},
      {R"({"layer_norm_eps": 1e999})", kInvalid, "'config.json'"},
  });
}

TEST(Config, RefusesEveryBadChoiceByName) {
  expect_refused({
      {R"({"hidden_act": 3})", kInvalid, "hidden_act: found 3, expected a string"},
      {R"({"hidden_act": null})", kInvalid, "hidden_act: found null, expected a string"},
      {R"({"hidden_act": "prelu"})", kUnsupported,
       "hidden_act 'prelu' is not supported, expected one of gelu, gelu_10,"},
      {R"({"hidden_act": "xielu"})", kUnsupported, "hidden_act 'xielu' is not supported"},
      {R"({"hidden_act": "GELU"})", kUnsupported, "hidden_act 'GELU' is not supported"},
      {R"({"hidden_act": ""})", kUnsupported, "hidden_act '' is not supported"},
      {R"({"position_embedding_type": "rotary"})", kUnsupported,
       "'rotary' is not supported, expected one of absolute, "},
      {R"({"position_embedding_type": "relative_bias"})", kUnsupported, "'relative_bias' is not supported"},
      {R"({"model_type": "albert", "num_hidden_groups": 13})", kInvalid,
       "num_hidden_groups: found 13, expected an integer from 1"},
      {R"({"model_type": "albert", "inner_group_num": 2, "num_hidden_groups": 12})", kInvalid,
       "inner_group_num: found 2"},
      {R"({"model_type": "roberta", "pad_token_id": -1})", kInvalid, "pad_token_id: found -1, expected 0 or more"},
      {R"({"model_type": "roberta", "max_position_embeddings": 2})", kInvalid,
       "max_position_embeddings: found 2, expected more"},
      {R"({"model_type": "distilbert", "n_heads": 5})", kInvalid, "dim: missing, expected a multiple of n_heads 5"},
      {R"({"position_embedding_type": null})", kInvalid, "position_embedding_type: found null, expected a string"},
      {R"({"tie_word_embeddings": "true"})", kInvalid, "tie_word_embeddings: found \"true\", expected true or false"},
      {R"({"bert_infer_precision": "float16"})", kUnsupported,
       "bert_infer_precision 'float16' is not supported, expected \"bfloat16\""},
      {R"({"is_decoder": true})", kUnsupported, "is_decoder true is not supported, expected false: an encoder"},
      {R"({"is_decoder": 1})", kInvalid, "is_decoder: found 1, expected true or false"},
      {R"({"add_cross_attention": true})", kUnsupported, "add_cross_attention true is not supported"},
      {R"({"pruned_heads": {"0": [1]}})", kUnsupported, "pruned_heads {\"0\":[1]} is not supported, expected {}"},
      {R"({"pruned_heads": null})", kInvalid, "pruned_heads: found null, expected an object"},
      {R"({"model_type": "xlnet"})", kUnsupported, "model_type 'xlnet' is not supported, expected albert, bart, "},
      {R"({"model_type": "BERT"})", kUnsupported, "model_type 'BERT' is not supported, expected "},
      {R"({"model_type": ["bert"]})", kInvalid, "model_type: found [\"bert\"], expected a string"},
      {R"({"model_type": null})", kInvalid, "model_type: found null, expected a string"},
      {R"({"model_type": "nomic", "auto_map": {"AutoModel": "x.y"}})", kUnsupported,
       "code of its own, which is never run"},
  });
}

TEST(Config, RefusesEveryBadLabelByName) {
  expect_refused({
      {R"({"architectures": "BertModel"})", kInvalid,
       "architectures: found \"BertModel\", expected an array of strings"},
      {R"({"architectures": [1]})", kInvalid, "architectures: found [1], expected an array of strings"},
      {R"({"problem_type": 1})", kInvalid, "problem_type: found 1, expected a string"},
      {R"({"id2label": {}})", kInvalid, "id2label: found {}, expected an object"},
      {R"({"id2label": ["a"]})", kInvalid, "id2label: found [\"a\"], expected an object"},
      {R"({"id2label": {"0": "a", "x": "b"}})", kInvalid, "found 'x': \"b\""},
      {R"({"id2label": {"0": true}})", kInvalid, "found '0': true"},
      {R"({"id2label": {"0": ["a"]}})", kInvalid, "found '0': [\"a\"]"},
      {R"({"id2label": {"0.0": "a"}})", kInvalid, "found '0.0': \"a\""},
      {R"({"id2label": {"": "a"}})", kInvalid, "found '': \"a\""},
      {R"({"id2label": {"99999999999999999999": "a"}})", kInvalid, "found '99999999999999999999': \"a\""},
      {R"({"num_labels": 0})", kInvalid, "num_labels: found 0, expected an integer"},
      {R"({"num_labels": 99999999999})", kInvalid, "num_labels: found 99999999999, expected an integer"},
  });
}

TEST(Config, CutsLongStringsInErrors) {
  const std::string error =
      error_of([] { parse_config(R"({"model_type": ")" + std::string(100000, 'x') + "\"}", "x"); });
  EXPECT_LT(error.size(), 1000u);
}

TEST(Config, LimitsTheFile) {
  EXPECT_NE(error_of([] { parse_config(std::string((16u << 20) + 1, ' '), "x"); }).find("expected at most 16777216"),
            std::string::npos);
  EXPECT_NE(error_of([] { parse_config(R"({"x":)" + std::string(1'000'000, '['), "x"); }).find("deeper than 64"),
            std::string::npos);
}

TEST(Config, NamesADirectoryWithoutOne) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(error_of(ErrorCode::kNotFound, [&] { read_config(DirectorySource(directory.path())); }),
            "'" + (directory.path() / "config.json").string() + "': no such file, expected the model's configuration");
}

TEST(Config, TellsOfAnAdapterAndRefusesAFileThatIsAPointer) {
  const test::TemporaryDirectory directory;
  directory.write("adapter_config.json", R"({"peft_type": "LORA"})");
  const auto error = [&](ErrorCode code) {
    return error_of(code, [&] { read_config(DirectorySource(directory.path())); });
  };
  directory.write("config.json", "{}");
  std::vector<std::string> notices;
  read_config(DirectorySource(directory.path()), &notices);
  ASSERT_EQ(notices.size(), 1u);
  EXPECT_NE(notices[0].find("adapter_config.json': an adapter (LoRA), which is not applied to the model beside it"),
            std::string::npos);
  directory.write("config.json", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 570\n");
  EXPECT_NE(error(ErrorCode::kInvalidFile).find("config.json': a Git LFS pointer, expected the file itself"),
            std::string::npos);
}

TEST(Config, ReadsEveryConfigOfTheFamilyWhateverItsFieldsAreCalled) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  std::set<std::string> activations;
  for (const auto& entry : fs::directory_iterator(family)) {
    if (!entry.is_directory()) continue;
    const std::string folder = entry.path().filename().string();
    const auto json = nlohmann::json::parse(test::read_file(entry.path() / "config.json"));
    if (find_family(json["model_type"].get<std::string>()) == nullptr) continue;
    const ModelConfig config = read_config(DirectorySource(entry.path()));
    activations.insert(config.hidden_act);
    const auto either = [&](const char* name, const char* other) {
      return json.contains(name) ? json[name] : json[other];
    };
    EXPECT_EQ(config.hidden_size, either("hidden_size", "dim")) << folder;
    EXPECT_EQ(config.num_hidden_layers, either("num_hidden_layers", "n_layers")) << folder;
    EXPECT_EQ(config.num_attention_heads, either("num_attention_heads", "n_heads")) << folder;
    EXPECT_EQ(config.intermediate_size, either("intermediate_size", "hidden_dim")) << folder;
    EXPECT_EQ(config.hidden_act, either("hidden_act", "activation").get<std::string>()) << folder;
    EXPECT_EQ(config.embedding_width(), json.value("embedding_size", config.hidden_size)) << folder;
    EXPECT_EQ(config.vocab_size, json["vocab_size"]) << folder;
    EXPECT_EQ(config.layer_norm_eps, json.value("layer_norm_eps", 1e-12)) << folder;
    EXPECT_EQ(config.labels.size(), json.contains("id2label") ? json["id2label"].size() : 2) << folder;
  }
  EXPECT_EQ(activations.size(), named_activations().size());
}

TEST(Config, ReadsTheTrainedModels) {
  for (const char* name : {"bert-tiny-own", "bert-tiny-own-sst2"}) {
    BERT_TEST_DATA_OR_SKIP(path, std::string("checkpoint/") + name);
    const ModelConfig config = read_config(DirectorySource(path));
    EXPECT_EQ(config.hidden_size, 128u);
    EXPECT_EQ(config.num_hidden_layers, 2u);
    EXPECT_EQ(config.labels.size(), 2u);
  }
}

}  // namespace
}  // namespace bert
