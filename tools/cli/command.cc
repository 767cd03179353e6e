// The table of commands; main() and the help read it.
#include "tools/cli/command.h"

namespace bert::cli {
namespace {

constexpr CommandEntry kCommands[] = {
    {"encode", "TEXT…", "token representations and the pooled output",
     R"(  bert-infer "The quick brown fox jumps over the lazy dog"
  bert-infer encode --pair "It barked." "The dog saw a fox."
  bert-infer encode --format json --layers --attentions "The quick brown fox" > fox.json
  bert-infer encode --input texts.txt --format npz --output tokens.npz)",
     make_encode},
    {"embed", "TEXT…", "one vector a text",
     R"(  bert-infer embed "The quick brown fox"
  bert-infer embed --normalize --pooling cls --format json "one text" "another"
  bert-infer embed --input texts.txt --format npy --output vectors.npy
  printf '{"id": "a", "text": "one"}\n' | bert-infer embed --input - --jsonl --format jsonl)",
     make_embed},
    {"tokenize", "TEXT…", "tokens, ids, segments and offsets; --decode goes back from ids to text",
     R"(  bert-infer tokenize "Tokenizers split unbelievable words"
  bert-infer tokenize --format ids --input texts.txt
  bert-infer tokenize --max-length 128 --stride 32 --format jsonl --input long.txt
  bert-infer tokenize --decode 101 7592 2088 102)",
     make_tokenize},
    {"similarity", "TEXT TEXT", "the cosine of two texts' vectors",
     R"(  bert-infer similarity "A man is playing a guitar" "Someone plays an instrument"
  bert-infer similarity --input pairs.jsonl --jsonl --format jsonl)",
     make_similarity},
    {"inspect", "", "the architecture, the tensors, what the machine offers, what a forward pass costs",
     R"(  bert-infer inspect
  bert-infer inspect --model path/to/bert-base-uncased --format json)",
     make_inspect},
};

}  // namespace

std::span<const CommandEntry> commands() { return kCommands; }

}  // namespace bert::cli
