// The parts of a GLiNER2 model beside its encoder: finds the entities and the classes of a text.
// Source: Zaratiana et al. 2025, "GLiNER2: An Efficient Multi-Task Information Extraction System with Schema-Driven
// Interface"; gliner2 2.1.0.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/labels/boundaries/boundary_layers.h"
#include "tasks/labels/gliner/span_scorer.h"
#include "tasks/labels/gliner2/count_queries.h"
#include "tasks/labels/gliner2/gliner2_settings.h"
#include "tasks/labels/label_reader.h"

namespace bert {

class Gliner2 : public LabelReader {
 public:
  // weights: of the file of the encoder, whose outputs have this width.
  Gliner2(const Gliner2Settings& settings, size_t width, WeightReader& weights);

  // Returns the markers to add, in this order, to a tokenizer that has none of them.
  static std::vector<std::string> markers();

  bool can(LabelTask) const override { return true; }
  std::string description() const override;
  std::string config_file() const override { return std::string(kGliner2EncoderFolder) + "/config.json"; }
  std::optional<PoolingMode> label_pooling() const override { return std::nullopt; }

  // Tokenises the task's name and the labels, each after a marker, then the words of the text in lower case. A text
  // that does not end with ., ! or ? gets a full stop, as in the reference. special_tokens_mask is set for the tokens
  // of the markers.
  Encoding tokenize(const Tokenizer& tokenizer, std::string_view text, const PreparedLabels& labels,
                    const TokenizeOptions& options) const override;
  std::vector<Offset> words(std::string_view text) const override;

  // Entities' labels are independent: their scores are, and spans of one label do not exclude spans of another. nested:
  // false leaves overlaps to the model's policy.
  void run(ForwardPass& pass, std::span<const Encoding* const> encodings, std::span<const std::string_view> texts,
           const PreparedLabels& labels, ConstMatrixView label_vectors, const LabelResultSink& sink) const override;

 private:
  // Finds entities by spans of words.
  struct Spans {
    TwoLayers counts;  // number of records in a text; if it is 0, there are no entities
    CountQueries queries;
    SpanScorer scorer;
  };

  Matrix gather_words(const Encoding& encoding, ConstMatrixView tokens) const;
  std::vector<ScoredSpan> spans(ConstMatrixView task, ConstMatrixView labels, ConstMatrixView words, double threshold,
                                const ProductRunner& products) const;
  std::vector<FoundEntity> entities(std::vector<ScoredSpan> spans, size_t words, std::string_view text,
                                    const LabelRequest& request) const;
  std::vector<FoundClass> classes(ConstMatrixView labels, const LabelRequest& request,
                                  const ProductRunner& products) const;

  Gliner2Settings settings_;
  TwoLayers classifier_;
  std::optional<Spans> spans_;
  std::optional<BoundaryLayers> boundaries_;
  size_t widest_input_;
};

}  // namespace bert
