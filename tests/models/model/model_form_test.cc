// Which form a directory has.
#include "models/model/model_form.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "tests/support/tiny_gliclass.h"
#include "tests/support/tiny_gliner.h"
#include "tests/support/tiny_gliner2.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

class ModelFormTest : public ::testing::Test {
 protected:
  ModelForm read() const { return read_form(directory_.path(), {}); }
  const test::TemporaryDirectory directory_;
};

TEST_F(ModelFormTest, IsOneOfThoseThatReadLabels) {
  const test::TemporaryDirectory gliner, gliner2, gliclass;
  test::write_tiny_gliner(gliner);
  test::write_tiny_gliner2(gliner2);
  test::write_tiny_gliclass(gliclass);
  EXPECT_EQ(read_form(gliner.path(), {}).prefix, "token_rep_layer.bert_layer.model.");
  EXPECT_EQ(read_form(gliner2.path(), {}).prefix, "encoder.");
  EXPECT_EQ(read_form(gliclass.path(), {}).prefix, "model.encoder_model.");
}

TEST_F(ModelFormTest, IsAStaticModel) {
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.StaticEmbedding", "path": ""}])");
  const ModelForm form = read();
  EXPECT_EQ(form.static_kind, StaticKind::kRows);
  EXPECT_TRUE(form.tokenizer.of_static_model);
  EXPECT_EQ(form.config_if_any(), nullptr);
}

TEST_F(ModelFormTest, IsElseAnEncoder) {
  test::write_tiny_model(directory_);
  const ModelForm form = read();
  EXPECT_EQ(form.static_kind, StaticKind::kNone);
  ASSERT_NE(form.config_if_any(), nullptr);
  EXPECT_EQ(form.config_if_any()->hidden_size, 24u);
  EXPECT_FALSE(form.read_labels);
  EXPECT_FALSE(form.needs_tokenizer);
}

TEST_F(ModelFormTest, LowerCasesTextsFirstIfItsTransformerModuleSaysSo) {
  test::write_tiny_model(directory_);
  directory_.write("sentence_bert_config.json", R"({"do_lower_case": true})");
  EXPECT_FALSE(read().tokenizer.lowercase_first) << "there is no modules.json";
  directory_.write("modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""}])");
  EXPECT_TRUE(read().tokenizer.lowercase_first);
  directory_.write("sentence_bert_config.json", R"({"do_lower_case": false})");
  EXPECT_FALSE(read().tokenizer.lowercase_first);
}

TEST_F(ModelFormTest, HasTheErrorOfAMissingConfiguration) {
  const ModelForm form = read();
  EXPECT_EQ(form.config_if_any(), nullptr);
  EXPECT_EQ(std::get<Error>(form.config).code(), ErrorCode::kNotFound);
}

TEST_F(ModelFormTest, HasTheErrorOfAMissingAdapter) {
  test::write_tiny_model(directory_);
  try {
    read_form(directory_.path(), {.adapter = "/not/there"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_EQ(std::string(error.what()).find("adapter (LoRA) '/not/there': not there, expected a directory with"), 0u)
        << error.what();
  }
}

TEST(BuiltinForm, HasNoDirectory) {
  const ModelForm form = builtin_form({});
  EXPECT_EQ(form.directory, std::nullopt);
  EXPECT_TRUE(std::holds_alternative<Tokenizer>(read_tokenizer(form)));
}

}  // namespace
}  // namespace bert
