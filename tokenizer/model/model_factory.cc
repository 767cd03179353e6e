#include "tokenizer/model/model_factory.h"

#include <utility>

namespace bert {
namespace {

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

std::unique_ptr<const SubwordModel> make_model(const Vocabulary& vocabulary, ModelSettings settings,
                                               std::string_view source) {
  using Model = std::unique_ptr<const SubwordModel>;
  return std::visit(
      Overloaded{
          [&](WordPieceSettings& s) -> Model { return std::make_unique<WordPiece>(vocabulary, s, source); },
          [&](BpeSettings& s) -> Model { return std::make_unique<Bpe>(vocabulary, std::move(s), source); },
          [&](UnigramSettings& s) -> Model { return std::make_unique<Unigram>(vocabulary, std::move(s), source); },
          [&](WordLevelSettings& s) -> Model { return std::make_unique<WordLevel>(vocabulary, s, source); }},
      settings);
}

}  // namespace bert
