#include "models/sentence/sentence_settings.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/expect_error.h"
#include "tests/support/test_data.h"

namespace bert {
namespace {

using test::error_of;

using Files = std::map<std::string, std::string>;
using Modes = std::vector<PoolingMode>;

SentenceSettings read(const Files& files, size_t hidden_size = 0) {
  std::map<std::string, std::string_view> views(files.begin(), files.end());
  return read_sentence_settings(MemorySource(std::move(views), "DIR"), hidden_size);
}

// Returns the modules.json of modules of these types, with the reference's folder names.
std::string modules(const std::vector<std::string>& types) {
  std::string text = "[";
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string path = i == 0 ? "" : std::to_string(i) + "_" + types[i];
    text += (i > 0 ? ", " : "") + std::string(R"({"idx": )") + std::to_string(i) + R"(, "name": ")" +
            std::to_string(i) + R"(", "path": ")" + path + R"(", "type": "sentence_transformers.models.)" + types[i] +
            "\"}";
  }
  return text + "]";
}

// Adds the two files without which no directory is one of sentence-transformers.
Files with_modules(Files files) {
  files.emplace("modules.json", modules({"Transformer", "Pooling"}));
  files.emplace("1_Pooling/config.json", "{}");
  return files;
}

std::string refusal(const std::optional<Error>& error) { return error ? error->what() : ""; }

const char* const kMean = R"({"word_embedding_dimension": 384, "pooling_mode_mean_tokens": true})";
const char* const kCls = R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false})";

TEST(SentenceSettings, WithoutFilesIsTheMeanAndNotDeclared) {
  const SentenceSettings settings = read({});
  EXPECT_EQ(settings.pooling.modes, Modes{PoolingMode::kMean});
  EXPECT_FALSE(settings.pooling.normalize);
  EXPECT_FALSE(settings.pooling.declared);
  EXPECT_FALSE(settings.pooling_refusal || settings.prompt_refusal || settings.max_length);
  EXPECT_EQ(settings.transformer_directory, "");
  // As in the reference, a pooling folder is not read if no modules.json names it.
  EXPECT_EQ(read({{"1_Pooling/config.json", kCls}}).pooling.modes, Modes{PoolingMode::kMean});
}

TEST(SentenceSettings, ReadsModeAndNormalising) {
  SentenceSettings settings =
      read({{"modules.json", modules({"Transformer", "Pooling", "Normalize"})},
            {"1_Pooling/config.json", kMean},
            {"sentence_bert_config.json", R"({"max_seq_length": 256, "do_lower_case": false})"}},
           384);
  EXPECT_EQ(settings.pooling.modes, Modes{PoolingMode::kMean});
  EXPECT_TRUE(settings.pooling.normalize);
  EXPECT_TRUE(settings.pooling.declared);
  EXPECT_EQ(settings.max_length, 256u);
  EXPECT_EQ(refusal(settings.pooling_refusal), "");
  settings = read({{"modules.json", modules({"Transformer", "Pooling"})}, {"1_Pooling/config.json", kCls}});
  EXPECT_EQ(settings.pooling.modes, Modes{PoolingMode::kCls});
  EXPECT_FALSE(settings.pooling.normalize);
}

TEST(SentenceSettings, KeepsWhatIsNotDoneAsARefusal) {
  const std::string two = modules({"Transformer", "Pooling"});
  const std::vector<std::pair<Files, std::string>> cases = {
      {{{"modules.json", modules({"Transformer"})}}, "'DIR/modules.json': no Pooling module"},
      {{{"modules.json", "[]"}}, "'DIR/modules.json': no Pooling module"},
      {{{"modules.json", modules({"WordEmbeddings", "Pooling"})}, {"1_Pooling/config.json", kMean}},
       "module 0 of type 'sentence_transformers.models.WordEmbeddings' is not supported, expected Transformer"},
      {{{"modules.json", modules({"Transformer", "CNN", "Pooling"})}, {"1_Pooling/config.json", kMean}},
       "'DIR/modules.json': module 1 of type 'sentence_transformers.models.CNN' is not supported, expected Pooling, "
       "Dense, LayerNorm, Normalize or Dropout after Transformer"},
      {{{"modules.json", R"([{"type": "custom.Transformer", "path": ""}])"}}, "module 0 of type 'custom.Transformer'"},
      {{{"modules.json", R"([{"type": "sentence_transformers.base.modules.router.Router", "path": ""}])"},
        {"router_config.json", R"({"types": {"s": "my.Static"}, "structure": {"query": ["s"]}, "parameters": {}})"}},
       "module 0, route 'query', of type 'my.Static' is not supported, expected Transformer"},
      {{{"modules.json", two}}, "'DIR/1_Pooling/config.json': no such file, expected it because modules.json names it"},
      {{{"modules.json", two}, {"1_Pooling/config.json", R"({"pooling_mode": "attention"})"}},
       "pooling_mode 'attention' is not supported, expected one of cls, max, mean"},
      {{{"modules.json", two},
        {"1_Pooling/config.json", kMean},
        {"config_sentence_transformers.json", R"({"model_type": "SparseEncoder"})"}},
       "model_type 'SparseEncoder' without a module that makes a sparse vector"},
  };
  for (const auto& [files, expected] : cases) {
    const SentenceSettings settings = read(files);
    EXPECT_NE(refusal(settings.pooling_refusal).find(expected), std::string::npos)
        << expected << ": " << refusal(settings.pooling_refusal);
    EXPECT_FALSE(settings.pooling.declared);
    EXPECT_EQ(settings.pooling.unsupported, refusal(settings.pooling_refusal));
    ASSERT_EQ(settings.modules.size(), 1u);  // a caller's pooling can replace it
  }
}

// In the reference, only modules.json decides whether a directory is one of sentence-transformers.
TEST(SentenceSettings, ReadsNothingElseWithoutModulesJsonAndSaysSo) {
  const SentenceSettings settings =
      read({{"sentence_bert_config.json", R"({"max_seq_length": 5})"},
            {"config_sentence_transformers.json",
             R"({"prompts": {"q": "x"}, "default_prompt_name": "q", "truncate_dim": 3})"}});
  EXPECT_EQ(settings.max_length, std::nullopt);
  EXPECT_TRUE(settings.prompts.empty() && settings.default_prompt.empty() && !settings.pooling.dimensions);
  ASSERT_EQ(settings.notices.size(), 2u);
  EXPECT_EQ(
      settings.notices[0],
      "'DIR/sentence_bert_config.json' is not read: there is no modules.json, without which the reference library "
      "does not read it either");
}

TEST(SentenceSettings, ListsTheModulesAfterTheTransformer) {
  const Files files = {{"modules.json", modules({"Transformer", "Pooling", "Dense", "Dropout", "Normalize"})},
                       {"1_Pooling/config.json", R"({"pooling_mode": ["mean", "cls"], "embedding_dimension": 24})"},
                       {"2_Dense/config.json", R"({"in_features": 48, "out_features": 12, "bias": false})"}};
  const SentenceSettings settings = read(files, 24);
  EXPECT_EQ(settings.pooling.modes, (Modes{PoolingMode::kMean, PoolingMode::kCls}));
  EXPECT_TRUE(settings.pooling.normalize);
  EXPECT_EQ(settings.pooling.modules,
            (std::vector<std::string>{"Pooling mean and cls", "Dense 48 to 12, Tanh, no bias", "Normalize"}));
  EXPECT_EQ(settings.modules.size(), 2u);
}

TEST(SentenceSettings, ReadsHowManyNumbersAreKept) {
  const auto kept = [](const std::string& json) {
    return read({{"modules.json", modules({"Transformer", "Pooling"})},
                 {"1_Pooling/config.json", kMean},
                 {"config_sentence_transformers.json", json}})
        .pooling.dimensions;
  };
  EXPECT_EQ(kept(R"({"truncate_dim": 64})"), 64u);
  EXPECT_EQ(kept(R"({"truncate_dim": null})"), std::nullopt);
  EXPECT_EQ(kept("{}"), std::nullopt);
}

TEST(SentenceSettings, RefusesMalformedFiles) {
  const std::string two = modules({"Transformer", "Pooling"});
  const std::vector<std::pair<Files, std::string>> cases = {
      {{{"modules.json", "["}}, "'DIR/modules.json', byte 1: found the end of the text"},
      {{{"modules.json", "{}"}}, "'DIR/modules.json': found {}, expected an array"},
      {{{"modules.json", "[1]"}}, "module 0: found 1, expected an object"},
      {{{"modules.json", R"([{"type": 1}])"}}, "module 0.type: found 1, expected a string"},
      {{{"modules.json", R"([{"type": "x", "path": null}])"}}, "module 0.path: found null, expected a string"},
      {{{"modules.json", two}, {"1_Pooling/config.json", "[]"}},
       "'DIR/1_Pooling/config.json': found [], expected an object"},
      {{{"modules.json", two}, {"1_Pooling/config.json", R"({"pooling_mode_cls_token": "yes"})"}},
       "pooling_mode_cls_token: found \"yes\", expected true or false"},
      {{{"modules.json", two}, {"1_Pooling/config.json", R"({"word_embedding_dimension": 383})"}},
       "word_embedding_dimension: found 383, expected the encoder's hidden_size 384"},
      {with_modules({{"sentence_bert_config.json", R"({"max_seq_length": 0})"}}),
       "max_seq_length: found 0, expected an integer"},
      {with_modules({{"sentence_bert_config.json", R"({"max_seq_length": "256"})"}}),
       "max_seq_length: found \"256\", expected an integer"},
      {with_modules({{"sentence_bert_config.json", R"({"do_lower_case": 1})"}}),
       "do_lower_case: found 1, expected true or false"},
      {with_modules({{"config_sentence_transformers.json", R"({"default_prompt_name": 1})"}}),
       "default_prompt_name: found 1, expected a string"},
      {with_modules({{"config_sentence_transformers.json", R"({"truncate_dim": 0})"}}),
       "truncate_dim: found 0, expected an integer"},
      {with_modules({{"config_sentence_transformers.json", R"({"default_prompt_name": "q", "prompts": []})"}}),
       "prompts: found [], expected an object"},
  };
  for (const auto& [files, expected] : cases) {
    const std::string error = error_of(ErrorCode::kInvalidFile, [&given = files] { read(given, 384); });
    EXPECT_NE(error.find(expected), std::string::npos) << expected << ": " << error;
  }
}

TEST(SentenceSettings, RefusesPathsThatAreNoPlainName) {
  for (const std::string path : {"/etc", "..", "../x", "a/b", ".", "./a", "a\\\\b", ".hidden", "1_Pooling/", "a b"}) {
    const std::string json = R"([{"type": "sentence_transformers.models.Transformer", "path": ")" + path + "\"}]";
    EXPECT_NE(error_of([&] {
                read({{"modules.json", json}});
              }).find("expected \"\" or the plain name of a directory"),
              std::string::npos)
        << path;
  }
}

TEST(SentenceSettings, FollowsTheTransformersFolder) {
  const SentenceSettings settings =
      read({{"modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": "0_Transformer"},
                                 {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}])"},
            {"1_Pooling/config.json", kMean},
            {"0_Transformer/sentence_bert_config.json", R"({"max_seq_length": 128})"}});
  EXPECT_EQ(settings.transformer_directory, "0_Transformer");
  EXPECT_EQ(settings.max_length, 128u);
}

TEST(SentenceSettings, ReadsTheFirstOfTheSettingsFiles) {
  EXPECT_EQ(read(with_modules({{"sentence_roberta_config.json", R"({"max_seq_length": 5})"}})).max_length, 5u);
  // The reference library does not read a file of this name.
  EXPECT_NE(read(with_modules({{"sentence_mpnet_config.json", R"({"max_seq_length": 5})"}})).max_length, 5u);
  EXPECT_EQ(read(with_modules({{"sentence_bert_config.json", R"({"max_seq_length": null})"},
                               {"sentence_roberta_config.json", R"({"max_seq_length": 5})"}}))
                .max_length,
            std::nullopt);
}

TEST(SentenceSettings, ReadsPromptsAndWhichIsTheDefault) {
  const SentenceSettings settings =
      read(with_modules({{"config_sentence_transformers.json",
                          R"({"prompts": {"query": "query: ", "none": ""}, "default_prompt_name": "query"})"}}));
  EXPECT_EQ(settings.prompts, (std::map<std::string, std::string>{{"query", "query: "}, {"none", ""}}));
  EXPECT_EQ(settings.default_prompt, "query");
  EXPECT_EQ(read(with_modules({{"config_sentence_transformers.json",
                                R"({"prompts": {"q": "x"}, "default_prompt_name": null})"}}))
                .default_prompt,
            "");
  EXPECT_NE(error_of([] {
              read(with_modules({{"config_sentence_transformers.json", R"({"default_prompt_name": "query"})"}}));
            }).find("default_prompt_name: found \"query\", expected a name among the prompts"),
            std::string::npos);
}

TEST(SentenceSettings, SayWhetherTextsAreLowerCasedBeforeTheTokenizer) {
  const auto lowercases = [](const Files& files) {
    return lowercases_first(MemorySource({files.begin(), files.end()}, "DIR"));
  };
  const char* const kTrue = R"({"do_lower_case": true})";
  EXPECT_TRUE(lowercases(with_modules({{"sentence_bert_config.json", kTrue}})));
  EXPECT_TRUE(lowercases(with_modules({{"sentence_roberta_config.json", kTrue}})));
  EXPECT_FALSE(lowercases(with_modules({{"sentence_bert_config.json", R"({"do_lower_case": false})"}})));
  EXPECT_FALSE(lowercases(with_modules({{"sentence_bert_config.json", R"({"do_lower_case": null})"}})));
  EXPECT_FALSE(lowercases(with_modules({})));
  EXPECT_FALSE(lowercases({{"sentence_bert_config.json", kTrue}})) << "without modules.json it is not read";
  EXPECT_FALSE(lowercases({{"modules.json", modules({"StaticEmbedding"})}, {"sentence_bert_config.json", kTrue}}));
  EXPECT_TRUE(lowercases({{"modules.json", R"([{"path": "0_BERT", "type": "sentence_transformers.models.BERT"}])"},
                          {"0_BERT/sentence_bert_config.json", kTrue}}));
}

// CrossEncoder of sentence-transformers 6.2 writes such a directory.
TEST(SentenceSettings, ReadsTheModulesOfAClassifier) {
  const std::string dense =
      R"({"in_features": 8, "out_features": 3, "activation_function": "torch.nn.modules.linear.Identity",
          "module_input_name": "sentence_embedding", "module_output_name": "scores"})";
  Files files = {{"modules.json", modules({"Transformer", "Pooling", "Dense"})},
                 {"1_Pooling/config.json", R"({"embedding_dimension": 8, "pooling_mode": "max"})"},
                 {"2_Dense/config.json", dense},
                 {"config_sentence_transformers.json", R"({"model_type": "CrossEncoder"})"}};
  const SentenceSettings settings = read(files, 8);
  ASSERT_EQ(settings.classifier.size(), 2u);
  EXPECT_EQ(describe_module(settings.classifier[1]), "Dense 8 to 3, Identity, scores");
  EXPECT_EQ(refusal(settings.pooling_refusal),
            "'DIR/modules.json': the modules make the scores of a classifier's labels, expected a vector of the text: "
            "classify it");

  files["modules.json"] = modules({"Transformer", "Pooling", "Dense", "Normalize"});
  const SentenceSettings more = read(files, 8);
  EXPECT_TRUE(more.classifier.empty());
  EXPECT_EQ(refusal(more.pooling_refusal),
            "'DIR/modules.json': a module after the one that makes a classifier's scores, expected that one last");

  files["modules.json"] = modules({"Transformer", "Pooling", "Dense"});
  files["2_Dense/config.json"] =
      R"({"in_features": 8, "out_features": 3, "module_input_name": "x", "module_output_name": "scores"})";
  EXPECT_EQ(refusal(read(files, 8).pooling_refusal),
            "'DIR/2_Dense/config.json': module_input_name 'x' with module_output_name 'scores' is not supported, "
            "expected sentence_embedding");
}

TEST(SentenceSettings, ReadsTheRealAllMiniLm) {
  BERT_MINILM_OR_SKIP(path);
  const SentenceSettings settings = read_sentence_settings(DirectorySource(path), 384);
  EXPECT_EQ(settings.pooling.modes, Modes{PoolingMode::kMean});
  EXPECT_TRUE(settings.pooling.normalize && settings.pooling.declared);
  EXPECT_EQ(settings.max_length, 256u);
  EXPECT_FALSE(settings.pooling_refusal || settings.prompt_refusal);
}

}  // namespace
}  // namespace bert
