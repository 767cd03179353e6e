#include "models/config/activations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/test_data.h"

namespace bert {
namespace {

// The expected aliases are those of ACT2FN in activations.py of transformers 4.57.6.
TEST(Activations, KnowTheReferencesNames) {
  EXPECT_EQ(find_activation("gelu"), Activation::kGelu);
  EXPECT_EQ(find_activation("gelu_python"), Activation::kGelu);
  for (const char* tanh_form : {"gelu_new", "gelu_accurate", "gelu_python_tanh", "gelu_pytorch_tanh"}) {
    EXPECT_EQ(find_activation(tanh_form), Activation::kGeluTanh) << tanh_form;
  }
  EXPECT_EQ(find_activation("gelu_fast"), Activation::kGeluFast);
  EXPECT_EQ(find_activation("silu"), Activation::kSilu);
  EXPECT_EQ(find_activation("swish"), Activation::kSilu);
  EXPECT_EQ(find_activation("linear"), Activation::kIdentity);
  EXPECT_EQ(find_activation("relu2"), Activation::kRelu2);
}

TEST(Activations, DoNotKnowOtherNames) {
  for (const char* name : {"", "GELU", "gelu ", "prelu", "xielu", "gelu_11"}) {
    EXPECT_EQ(find_activation(name), std::nullopt) << name;
  }
}

TEST(Activations, AreListedInOrderOnce) {
  const auto names = named_activations();
  const auto not_before = [](const NamedActivation& a, const NamedActivation& b) { return a.name >= b.name; };
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end(), not_before), names.end());
}

TEST(Activations, KnowEveryNameThatTheSharedModelsUse) {
  BERT_TEST_DATA_OR_SKIP(family, "family");
  size_t folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(family)) {
    const std::string folder = entry.path().filename().string();
    constexpr std::string_view kPrefix = "bert-act-";
    if (!folder.starts_with(kPrefix)) continue;
    EXPECT_TRUE(find_activation(folder.substr(kPrefix.size()))) << folder;
    ++folders;
  }
  EXPECT_EQ(folders, named_activations().size());
}

}  // namespace
}  // namespace bert
