#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bert/error.h"
#include "models/config/config.h"
#include "models/config/family.h"
#include "tests/models/family_check.h"
#include "tests/support/compare.h"
#include "tests/support/environment.h"
#include "tests/support/isa.h"
#include "tests/support/random.h"
#include "tests/support/tiny_model.h"

namespace bert {
namespace {

using Numbers64 = std::vector<double>;

constexpr const char* kJinaConfig =
    R"({"model_type": "bert", "position_embedding_type": "alibi", "feed_forward_type": "geglu", "vocab_size": 40,
        "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 50,
        "max_position_embeddings": 24, "type_vocab_size": 2, "layer_norm_eps": 1e-12)";

// Computes the encoder in float64 from the authors' description. Shares no code with the library.
class JinaInFloat64 {
 public:
  static constexpr size_t kWidth = 24, kHeads = 3, kInner = 50;
  explicit JinaInFloat64(const test::TinyTensors& tensors) : tensors_(tensors) {}

  // Returns [tokens, 24].
  Numbers64 encode(const std::vector<int32_t>& ids) const {
    Numbers64 x;
    for (const int32_t id : ids) {
      for (size_t c = 0; c < kWidth; ++c) {
        x.push_back(at("embeddings.word_embeddings.weight", static_cast<size_t>(id) * kWidth + c) +
                    at("embeddings.token_type_embeddings.weight", c));
      }
    }
    normalize(x, "embeddings.LayerNorm");
    for (const char* number : {"0", "1"}) layer(x, std::string("encoder.layer.") + number + ".");
    return x;
  }

 private:
  double at(const std::string& name, size_t index) const { return tensors_.at(name).values[index]; }

  Numbers64 dense(const Numbers64& x, const std::string& name, size_t in, size_t out, bool bias) const {
    Numbers64 y;
    for (size_t row = 0; row < x.size() / in; ++row) {
      for (size_t o = 0; o < out; ++o) {
        double sum = bias ? at(name + ".bias", o) : 0;
        for (size_t i = 0; i < in; ++i) sum += x[row * in + i] * at(name + ".weight", o * in + i);
        y.push_back(sum);
      }
    }
    return y;
  }

  void normalize(Numbers64& x, const std::string& name) const {
    for (size_t row = 0; row < x.size(); row += kWidth) {
      double mean = 0, variance = 0;
      for (size_t c = 0; c < kWidth; ++c) mean += x[row + c] / kWidth;
      for (size_t c = 0; c < kWidth; ++c) variance += (x[row + c] - mean) * (x[row + c] - mean) / kWidth;
      for (size_t c = 0; c < kWidth; ++c) {
        x[row + c] =
            (x[row + c] - mean) / std::sqrt(variance + 1e-12) * at(name + ".weight", c) + at(name + ".bias", c);
      }
    }
  }

  void layer(Numbers64& x, const std::string& prefix) const {
    const size_t tokens = x.size() / kWidth, dim = kWidth / kHeads;
    const std::string self = prefix + "attention.self.";
    const Numbers64 q = dense(x, self + "query", kWidth, kWidth, true),
                    k = dense(x, self + "key", kWidth, kWidth, true),
                    v = dense(x, self + "value", kWidth, kWidth, true);
    const double slopes[kHeads] = {1 / 16.0, 1 / 256.0, 1 / 4.0};
    Numbers64 context(x.size());
    for (size_t head = 0; head < kHeads; ++head) {
      for (size_t i = 0; i < tokens; ++i) {
        Numbers64 weights;
        double total = 0;
        for (size_t j = 0; j < tokens; ++j) {
          double score = 0;
          for (size_t d = head * dim; d < (head + 1) * dim; ++d) score += q[i * kWidth + d] * k[j * kWidth + d];
          const double distance = static_cast<double>(i > j ? i - j : j - i);
          weights.push_back(std::exp(score / std::sqrt(static_cast<double>(dim)) - slopes[head] * distance));
          total += weights.back();
        }
        for (size_t j = 0; j < tokens; ++j) {
          for (size_t d = head * dim; d < (head + 1) * dim; ++d) {
            context[i * kWidth + d] += weights[j] / total * v[j * kWidth + d];
          }
        }
      }
    }
    const Numbers64 attended = dense(context, prefix + "attention.output.dense", kWidth, kWidth, true);
    for (size_t i = 0; i < x.size(); ++i) x[i] += attended[i];
    normalize(x, prefix + "attention.output.LayerNorm");
    const Numbers64 halves = dense(x, prefix + "mlp.gated_layers", kWidth, 2 * kInner, false);
    Numbers64 wide;
    for (size_t i = 0; i < tokens; ++i) {
      for (size_t c = 0; c < kInner; ++c) {
        const double a = halves[i * 2 * kInner + c], gate = halves[i * 2 * kInner + kInner + c];
        wide.push_back(0.5 * a * (1 + std::erf(a / std::sqrt(2.0))) * gate);
      }
    }
    const Numbers64 y = dense(wide, prefix + "mlp.wo", kInner, kWidth, true);
    for (size_t i = 0; i < x.size(); ++i) x[i] += y[i];
    normalize(x, prefix + "mlp.layernorm");
  }

  test::TinyTensors tensors_;
};

// Writes a tiny BERT with renamed and gated feed-forward layers.
test::TinyTensors write_jina_model(const test::TemporaryDirectory& directory) {
  test::TinyTensors written;
  write_tiny_model(directory, {.pooler = false}, [&](test::TinyTensors& tensors) {
    test::Random random(5);
    tensors.erase("embeddings.position_embeddings.weight");
    for (const std::string prefix : {"encoder.layer.0.", "encoder.layer.1."}) {
      const auto move = [&](const std::string& from, const std::string& to) {
        auto node = tensors.extract(prefix + from);
        node.key() = prefix + to;
        tensors.insert(std::move(node));
      };
      tensors.erase(prefix + "intermediate.dense.weight");
      tensors.erase(prefix + "intermediate.dense.bias");
      tensors[prefix + "mlp.gated_layers.weight"] = {{100, 24}, random.numbers(100 * 24, 0.2f)};
      move("output.dense.weight", "mlp.wo.weight");
      move("output.dense.bias", "mlp.wo.bias");
      move("output.LayerNorm.weight", "mlp.layernorm.weight");
      move("output.LayerNorm.bias", "mlp.layernorm.bias");
    }
    written = tensors;
  });
  directory.write("config.json", std::string(kJinaConfig) + "}");
  return written;
}

TEST(JinaBertFamily, ComputesWhatItsAuthorsDescribe) {
  const test::TemporaryDirectory directory;
  const JinaInFloat64 exact(write_jina_model(directory));
  std::vector<int32_t> ids;
  for (int32_t i = 0; i < 70; ++i) ids.push_back(i * 7 % 40);  // longer than the model's table of positions would allow
  for (const char* isa : test::kKernelIsas) {
    if (!test::cpu_has(isa)) continue;
    const test::WithVariable variable("BERT_INFER_ISA", isa);
    const Model model = Model::load(directory.path().string());
    EXPECT_EQ(model.config().position_embedding_type, "alibi");
    const TokenSequence one{ids, {}, {}};
    EXPECT_TRUE(test::within(1e-5, model.encode({&one, 1})[0].last_hidden_state, exact.encode(ids))) << isa;
  }
}

TEST(JinaBertFamily, RefusesItsVariants) {
  for (const char* field :
       {R"("feed_forward_type": "original")",
        R"("auto_map": {"AutoConfig": "jinaai/jina-bert-v2-qk-post-norm--configuration_bert.JinaBertConfig"})"}) {
    std::string config = kJinaConfig;
    if (config.find("feed_forward_type") != config.npos && std::string(field).find("feed_forward") == 1) {
      config.replace(config.find("geglu"), 5, "original");
    } else {
      config += std::string(", ") + field;
    }
    EXPECT_THROW(parse_config(config + "}", "config.json"), Error) << config;
  }
}

TEST(JinaBertFamily, IsNoOtherModelsOfTypeBert) {
  EXPECT_EQ(find_family("bert")->position_embedding_type, "");
  EXPECT_EQ(find_family("bert", "absolute")->position_embedding_type, "");
  EXPECT_EQ(find_family("bert", "alibi")->position_embedding_type, "alibi");
}

}  // namespace
}  // namespace bert
