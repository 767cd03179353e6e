// The parts of a GLiClass model beside its encoder: scores how well labels fit a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/labels/gliclass/gliclass_layers.h"
#include "tasks/labels/label_reader.h"

namespace bert {

class GliClass : public LabelReader {
 public:
  // weights: of the encoder's file.
  GliClass(ClassSettings settings, const Tokenizer& tokenizer, WeightReader& weights);

  bool can(LabelTask task) const override { return task == LabelTask::kClasses; }
  std::string description() const override;
  std::string config_file() const override { return "config.json"; }
  std::optional<PoolingMode> label_pooling() const override;

  // Labels and text are one string, as in the reference, so the tokens are not those of the text alone. If there are
  // too many, the last tokens of the text are dropped.
  Encoding tokenize(const Tokenizer& tokenizer, std::string_view text, const PreparedLabels& labels,
                    const TokenizeOptions& options) const override;
  std::vector<Offset> words(std::string_view text) const override;

  void run(ForwardPass& pass, std::span<const Encoding* const> encodings, std::span<const std::string_view> texts,
           const PreparedLabels& labels, ConstMatrixView label_vectors, const LabelResultSink& sink) const override;

 private:
  std::string marks(const LabelRequest& request) const;
  std::vector<size_t> label_rows(const Encoding& encoding) const;
  size_t text_row(const Encoding& encoding) const;
  void gather_labels(const Encoding& encoding, ConstMatrixView tokens, MatrixView labels) const;
  Matrix text_vectors(ForwardPass& pass, std::span<const Encoding* const> encodings,
                      const ProductRunner& products) const;
  Matrix label_vectors(const Encoding& encoding, ConstMatrixView tokens, size_t labels,
                       const ProductRunner& products) const;

  ClassSettings settings_;
  ClassLayers layers_;
};

}  // namespace bert
