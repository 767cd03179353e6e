// The C interface's calls for the tasks of heads: results in a handle of their own.
#include <vector>

#include "bert/text_tasks.h"
#include "bindings/c/c_api.h"
#include "bindings/c/c_api_items.h"

namespace bert::c_api {
namespace {

void add_labels(bert_items& results, const TaskResults<LabelScore>& scores) {
  results.truncated_tokens = scores.truncated_tokens;
  for (const LabelScore& score : scores) results.add(score.label).score = score.score;
}

Aggregation aggregation_of(int32_t number) {
  static constexpr Aggregation kAggregations[] = {Aggregation::kSimple, Aggregation::kNone, Aggregation::kFirst,
                                                  Aggregation::kAverage, Aggregation::kMax};
  return kAggregations[index_of(number, std::size(kAggregations), "aggregation")];
}

TagScheme scheme_of(int32_t number) {
  static constexpr TagScheme kSchemes[] = {TagScheme::kFromLabels, TagScheme::kIob, TagScheme::kBioes,
                                           TagScheme::kBilou};
  return kSchemes[index_of(number, std::size(kSchemes), "scheme")];
}

}  // namespace
}  // namespace bert::c_api

using namespace bert;
using namespace bert::c_api;

size_t bert_items_count(const bert_items* items) { return items == nullptr ? 0 : items->items.size(); }

const bert_item* bert_items_data(const bert_items* items) {
  return bert_items_count(items) == 0 ? nullptr : items->items.data();
}

size_t bert_items_truncated_tokens(const bert_items* items) { return items == nullptr ? 0 : items->truncated_tokens; }

void bert_items_free(bert_items* items) { delete items; }

bert_status bert_classify(const bert_model* model, bert_text text, const bert_classify_options* options,
                          bert_items** items) {
  return new_items(items, [&](bert_items& results) {
    const bert_classify_options known = known_part(options);
    std::optional<std::string_view> pair;
    if (known.pair.data != nullptr) pair = text_of(known.pair, "pair");
    const WindowOptions windows = window_options(known);
    add_labels(results, classify(need(model, "model").model, text_of(text, "text"), pair, windows));
  });
}

bert_status bert_zero_shot(const bert_model* model, bert_text text, const bert_text* labels, size_t count,
                           const bert_zero_shot_options* options, bert_items** items) {
  return new_items(items, [&](bert_items& results) {
    const bert_zero_shot_options known = known_part(options);
    ZeroShotOptions request{.multi_label = known.multi_label != 0, .windows = window_options(known)};
    if (known.hypothesis_template != nullptr) request.hypothesis_template = known.hypothesis_template;
    const auto candidates = texts_of<std::string>(labels, count, "labels");
    const auto scores = zero_shot(need(model, "model").model, text_of(text, "text"), candidates, request);
    results.truncated_tokens = scores.truncated_tokens;
    for (const LabelScore& score : scores) results.add(score.label, candidates).score = score.score;
  });
}

bert_status bert_tag(const bert_model* model, bert_text text, const bert_tag_options* options, bert_items** items) {
  return new_items(items, [&](bert_items& results) {
    const bert_tag_options known = known_part(options);
    TagOptions request{.aggregation = aggregation_of(known.aggregation),
                       .scheme = scheme_of(known.scheme),
                       .progress = progress_of(known.progress, known.progress_context)};
    if (known.stride > 0) request.stride = known.stride;
    request.long_text = long_text_of(known.long_text).value_or(request.long_text);
    const std::string_view whole = text_of(text, "text");
    const OffsetUnits units(whole, offset_unit(known.offset_unit));
    const auto found = tag(need(model, "model").model, whole, request);
    results.truncated_tokens = found.truncated_tokens;
    for (const Entity& entity : found) {
      bert_item& item = results.add(entity.entity);
      item.score = entity.score;
      set_offsets(item, units, entity.start, entity.end);
    }
  });
}

int32_t bert_model_mask_id(const bert_model* model) {
  const bert::Tokenizer* const tokenizer = model == nullptr ? nullptr : model->tokenizer.tokenizer;
  return tokenizer == nullptr ? -1 : tokenizer->mask_id().value_or(-1);
}

bert_status bert_fill_masks(const bert_model* model, bert_text text, const bert_fill_mask_options* options,
                            bert_items** items) {
  return new_items(items, [&](bert_items& results) {
    const bert_fill_mask_options known = known_part(options);
    FillMaskOptions request{.targets = texts_of<std::string>(known.targets, known.target_count, "targets")};
    if (known.top_k > 0) request.top_k = known.top_k;
    request.long_text = long_text_of(known.long_text).value_or(request.long_text);
    const auto masks = fill_masks(need(model, "model").model, text_of(text, "text"), request);
    results.truncated_tokens = masks.truncated_tokens;
    for (size_t mask = 0; mask < masks.size(); ++mask) {
      for (const MaskCandidate& candidate : masks[mask]) {
        bert_item& item = results.add(candidate.token);
        item.score = candidate.score;
        item.index = mask;
        item.id = candidate.id;
      }
    }
  });
}

bert_status bert_answer(const bert_model* model, bert_text question, bert_text context,
                        const bert_answer_options* options, bert_items** items) {
  return new_items(items, [&](bert_items& results) {
    const bert_answer_options known = known_part(options);
    AnswerOptions request{.no_answer = known.no_answer != 0, .align_to_words = known.any_bounds == 0};
    if (known.top_k > 0) request.top_k = known.top_k;
    if (known.max_answer_tokens > 0) request.max_answer_tokens = known.max_answer_tokens;
    const std::string_view whole = text_of(context, "context");
    const OffsetUnits units(whole, offset_unit(known.offset_unit));
    const auto answers = answer(need(model, "model").model, text_of(question, "question"), whole, request);
    results.truncated_tokens = answers.truncated_tokens;
    for (const Answer& found : answers) {
      bert_item& item = results.add(found.answer);
      item.score = found.score;
      set_offsets(item, units, found.start, found.end);
    }
  });
}

bert_status bert_rerank(const bert_model* model, bert_text query, const bert_text* documents, size_t count,
                        const bert_rerank_options* options, bert_items** items) {
  return new_items(items, [&](bert_items& results) {
    const bert_rerank_options known = known_part(options);
    const Model& with = need(model, "model").model;
    EmbedOptions embed;
    if (known.prompt != nullptr) embed.prompt = known.prompt;
    std::optional<std::string> label;
    if (known.relevant_label != nullptr) label = known.relevant_label;
    const Reranker reranker(with, embed, label);
    const auto texts = texts_of<std::string_view>(documents, count, "documents");
    const auto documents_by_rank = rerank(with, reranker, text_of(query, "query"), texts, window_options(known));
    results.truncated_tokens = documents_by_rank.truncated_tokens;
    for (const RankedDocument& ranked : documents_by_rank) {
      results.items.push_back({});
      results.items.back().index = ranked.index;
      results.items.back().score = ranked.score;
    }
  });
}
