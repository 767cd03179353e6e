// A GLiNER2 model beside its encoder: the entities and the classes of a text.
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

  // Added to a tokenizer that has none of them, in this order.
  static std::vector<std::string> markers();

  bool can(LabelTask) const override { return true; }
  std::string description() const override;
  std::string config_file() const override { return std::string(kGliner2EncoderFolder) + "/config.json"; }
  std::optional<PoolingMode> label_pooling() const override { return std::nullopt; }

  // The task's name and the labels, each after a marker, then the words of the text in lower case. A text that does not
  // end with ., ! or ? gets a full stop, as in the reference. The tokens of the markers are those with
  // special_tokens_mask.
  Encoding tokenize(const Tokenizer& tokenizer, std::string_view text, const PreparedLabels& labels,
                    const TokenizeOptions& options) const override;
  std::vector<Offset> words(std::string_view text) const override;

  // The scores of entities' labels stand alone, and so do their spans: those of one label do not exclude those of
  // another. nested: false leaves overlaps to the model.
  void run(ForwardPass& pass, std::span<const Encoding* const> encodings, std::span<const std::string_view> texts,
           const PreparedLabels& labels, ConstMatrixView label_vectors, const LabelResultSink& give) const override;

 private:
  // How entities are found by spans of words.
  struct Spans {
    TwoLayers counts;  // of records in a text; without one there are no entities
    CountQueries queries;
    SpanScorer scorer;
  };

  Matrix gather_words(const Encoding& encoding, ConstMatrixView tokens) const;
  std::vector<ScoredSpan> spans(ConstMatrixView task, ConstMatrixView labels, ConstMatrixView words, double threshold,
                                const OwnProducts& products) const;
  std::vector<FoundEntity> entities(std::vector<ScoredSpan> spans, size_t words, std::string_view text,
                                    const LabelRequest& request) const;
  std::vector<FoundClass> classes(ConstMatrixView labels, const LabelRequest& request,
                                  const OwnProducts& products) const;

  Gliner2Settings settings_;
  TwoLayers classifier_;
  std::optional<Spans> spans_;
  std::optional<BoundaryLayers> boundaries_;
  size_t widest_input_;
};

}  // namespace bert
