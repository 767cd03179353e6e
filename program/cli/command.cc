// The table of commands, read by main() and the help.
#include "program/cli/command.h"

namespace bert::cli {
namespace {

constexpr CommandEntry kCommands[] = {
    {CommandGroup::kCompute, "encode", "TEXT…", "token representations and the pooled output",
     R"(  bert-infer "The quick brown fox jumps over the lazy dog"
  bert-infer encode --pair "It barked." "The dog saw a fox."
  bert-infer encode --format json --layers --attentions "The quick brown fox" > fox.json
  bert-infer encode --input texts.txt --format npz --output tokens.npz)",
     make_encode},
    {CommandGroup::kCompute, "embed", "TEXT…", "one vector a text",
     R"(  bert-infer embed "The quick brown fox"
  bert-infer embed --normalize --pooling cls --format json "one text" "another"
  bert-infer embed --input texts.txt --format npy --output vectors.npy
  bert-infer embed --model path/to/colbertv2.0 --kind tokens --role query "how do wings lift?"
  printf '{"id": "a", "text": "one"}\n' | bert-infer embed --input - --jsonl --format jsonl)",
     make_embed},
    {CommandGroup::kCompute, "tokenize", "TEXT…",
     "tokens, ids, segments and offsets; --decode goes back from ids to text",
     R"(  bert-infer tokenize "Tokenizers split unbelievable words"
  bert-infer tokenize --format ids --input texts.txt
  bert-infer tokenize --max-length 128 --stride 32 --format jsonl --input long.txt
  bert-infer tokenize --decode 101 7592 2088 102)",
     make_tokenize},
    {CommandGroup::kCompute, "similarity", "TEXT TEXT…", "the cosine of texts' vectors",
     R"(  bert-infer similarity "A man is playing a guitar" "Someone plays an instrument"
  bert-infer similarity --input pairs.jsonl --jsonl --format jsonl
  bert-infer similarity --input texts.txt --nearest 5 --format jsonl)",
     make_similarity},
    {CommandGroup::kRetrieve, "search", "QUERY…", "the lines of a file that are most similar to a query",
     R"(  bert-infer search --input texts.txt "a man plays music"
  bert-infer search --input texts.txt --index texts.index --top-k 3 --format json "a man plays music"
  bert-infer search --input texts.txt --queries queries.txt --scan int8 --format jsonl)",
     make_search},
    {CommandGroup::kRetrieve, "dedup", "TEXT…", "the texts that are left without near-duplicates of earlier ones",
     R"(  bert-infer dedup --input texts.txt > unique.txt
  bert-infer dedup --threshold 0.95 --groups --input texts.txt
  bert-infer dedup --vectors vectors.npy --input texts.jsonl --format jsonl)",
     make_dedup},
    {CommandGroup::kRetrieve, "cluster", "TEXT…", "groups of texts that are alike",
     R"(  bert-infer cluster --k 10 --input texts.txt
  bert-infer cluster --threshold 0.75 --input texts.txt --format csv --output clusters.csv
  bert-infer cluster --k 100 --seed 1 --vectors vectors.npy --format jsonl)",
     make_cluster},
    {CommandGroup::kLearn, "explain", "TEXT",
     "the word, position and segment vector of each token, and how far each layer moves it",
     R"(  bert-infer explain "The quick brown fox"
  bert-infer explain --html fox.html "The quick brown fox")",
     make_explain},
    {CommandGroup::kLearn, "neighbors", "WORD…", "the words whose vectors in the embedding layer are nearest",
     R"(  bert-infer neighbors king queen
  bert-infer neighbors king - man + woman
  bert-infer neighbors --top-k 5 --model path/to/bert-base-uncased paris)",
     make_neighbors},
    {CommandGroup::kLearn, "attention", "TEXT", "the attention of every head of every layer",
     R"(  bert-infer attention "The quick brown fox"
  bert-infer attention --html fox.html "The quick brown fox")",
     make_attention},
    {CommandGroup::kLearn, "positions", "",
     "what the model knows about places: position vectors, rotations, biases by distance, windows",
     R"(  bert-infer positions
  bert-infer positions --model path/to/bert-base-uncased --html positions.html
  bert-infer positions --model path/to/ModernBERT-base)",
     make_positions},
    {CommandGroup::kLearn, "order", "TEXT", "the same tokens in other orders, with positions and without",
     R"(  bert-infer order "The dog bit the man"
  bert-infer order --shuffles 10 --html order.html "The dog bit the man")",
     make_order},
    {CommandGroup::kLearn, "segments", "A B", "the same tokens as segment A and as segment B",
     R"(  bert-infer segments "The dog saw a fox." "It barked."
  bert-infer segments --html pair.html "The dog saw a fox." "It barked.")",
     make_segments},
    {CommandGroup::kLearn, "probe", "FILE", "variance of the token vectors that position and word explain, by layer",
     R"(  bert-infer probe texts.txt
  bert-infer probe --html probe.html texts.txt)",
     make_probe},
    {CommandGroup::kLearn, "compare", "BASE TUNED",
     "what training changed: each tensor, the words and positions, vectors by layer",
     R"(  bert-infer compare path/to/bert-base-uncased path/to/a-classifier
  bert-infer compare --html tuned.html --input texts.txt path/to/bert-base-uncased path/to/a-classifier)",
     make_compare},
    {CommandGroup::kLearn, "report", "TEXT",
     "explain, positions, order, segments, attention, probe of one model: questions with short answers",
     R"(  bert-infer report "The dog bit the man"
  bert-infer report --model path/to/bert-base-uncased --html report.html "The dog bit the man")",
     make_report},
    {CommandGroup::kCompute, "fill-mask", "TEXT…", "the most probable words for each [MASK] of a text",
     R"(  bert-infer fill-mask "the [MASK] jumped over the fence"
  bert-infer fill-mask --top-k 3 --format json "a [MASK] and a [MASK]")",
     make_fill_mask},
    {CommandGroup::kCompute, "classify", "TEXT…", "the labels of a text or a pair, with their scores",
     R"(  bert-infer classify --model path/to/a-classifier "A lovely film"
  bert-infer classify --model path/to/a-classifier --input reviews.txt --format jsonl)",
     make_classify},
    {CommandGroup::kCompute, "zero-shot", "TEXT…",
     "your own labels for a text, by a classifier of natural language inference",
     R"(  bert-infer zero-shot --model path/to/an-nli-model --labels "politics, sport, music" "They won the cup."
  bert-infer zero-shot --model path/to/an-nli-model --labels "urgent,billing" --multi-label --input mails.txt)",
     make_zero_shot},
    {CommandGroup::kCompute, "tag", "TEXT…", "names, places and whatever else a token classifier marks",
     R"(  bert-infer tag --model path/to/a-tagger --aggregation simple "Ada Lovelace lived in London")", make_tag},
    {CommandGroup::kCompute, "redact", "TEXT…", "texts without the names that a model or an expression finds",
     R"(  bert-infer redact --model path/to/a-tagger --input mails.txt --output safe.txt
  bert-infer redact --expression 'EMAIL=[\w.+-]+@[\w-]+\.[\w.-]+' --mask '*' "Write to ada@example.org"
  bert-infer redact --model path/to/a-tagger --replace '<{label}:{hash}>' --key-file key --resume --input a.jsonl \
    --jsonl --output b.jsonl)",
     make_redact},
    {CommandGroup::kCompute, "answer", "QUESTION…", "the span of a context that answers a question",
     R"(  bert-infer answer --model path/to/a-reader --context book.txt "Who wrote it?"
  bert-infer answer --model path/to/a-reader --input questions.jsonl --jsonl --format jsonl --no-answer)",
     make_answer},
    {CommandGroup::kRetrieve, "rerank", "QUERY DOCUMENT…", "documents by how well they fit a query, best first",
     R"(  bert-infer rerank --model path/to/a-cross-encoder "how do wings lift?" --input documents.txt
  bert-infer rerank --model path/to/colbertv2.0 "how do wings lift?" --input documents.txt)",
     make_rerank},
    {CommandGroup::kRare, "next-sentence", "TEXT TEXT", "whether the second text goes on from the first",
     R"(  bert-infer next-sentence "She opened the door." "Nobody was there.")",
     [] { return make_task_command("next_sentence"); }},
    {CommandGroup::kRare, "choose", "TEXT CHOICE…", "which of several texts goes on best from the first",
     R"(  bert-infer choose --model path/to/a-chooser "He was thirsty, so" "he drank." "he slept.")", make_choose},
    {CommandGroup::kLearn, "inspect", "",
     "the architecture, the tensors, what the machine offers, what a forward pass costs",
     R"(  bert-infer inspect
  bert-infer inspect --model path/to/bert-base-uncased --format json)",
     make_inspect},
    {CommandGroup::kTrain, "verify", "", "compares a converted model with the golden vectors of the converter",
     R"(  python3 convert_weights.py path/to/bert-base-uncased
  bert-infer verify --model path/to/bert-base-uncased)",
     make_verify},
    {CommandGroup::kTrain, "quantize", "MODEL DIRECTORY", "writes a model with weights of 8 bits, or 16",
     R"(  bert-infer quantize path/to/bert-base-uncased bert-base-uncased-int8
  bert-infer verify --model bert-base-uncased-int8)",
     make_quantize},
    {CommandGroup::kTrain, "pack", "DIRECTORY",
     "adds a file to the model's directory: its weights in the order of this CPU's products, shared by processes",
     R"(  bert-infer pack path/to/bert-base-uncased
  bert-infer serve --model path/to/bert-base-uncased)",
     make_pack},
    {CommandGroup::kTrain, "distill", "MODEL DIRECTORY",
     "writes a static model: the vectors of the model's tokens, without an encoder",
     R"(  bert-infer distill path/to/all-MiniLM-L6-v2 minilm-static
  bert-infer distill --dimensions 128 path/to/all-MiniLM-L6-v2 minilm-static-128)",
     make_distill},
    {CommandGroup::kTrain, "bundle", "MODEL FILE",
     "writes one file that is this program and a model, which it uses without --model",
     R"(  bert-infer bundle path/to/all-MiniLM-L6-v2 minilm
  ./minilm embed "The quick brown fox"
  ./minilm serve)",
     make_bundle},
    {CommandGroup::kTrain, "fit", "[MODEL] DIRECTORY", "a classifier on frozen features: writes the model with it",
     R"(  bert-infer fit path/to/bert-base-uncased a-classifier --input reviews.csv --field review
  bert-infer classify --model a-classifier "A lovely film"
  bert-infer classify --model a-classifier --input test.csv --field review --expect label)",
     make_fit},
    {CommandGroup::kServe, "fetch", "NAME…",
     "models of the Hugging Face hub, into its local cache: --model NAME loads them",
     R"(  bert-infer fetch sentence-transformers/all-MiniLM-L6-v2
  bert-infer embed --model sentence-transformers/all-MiniLM-L6-v2 "The quick brown fox"
  bert-infer fetch --revision v1.0 org/name)",
     make_fetch},
#ifdef BERT_INFER_HAS_SERVER
    {CommandGroup::kServe, "serve", "",
     "models behind HTTP, with the routes of OpenAI, text-embeddings-inference, Cohere, Jina and Ollama",
     R"(  bert-infer serve --model minilm=path/to/all-MiniLM-L6-v2 --listen 127.0.0.1:8080
  curl localhost:8080/v1/embeddings -d '{"model": "minilm", "input": "The quick brown fox"}')",
     make_serve},
#endif
};

}  // namespace

std::span<const CommandEntry> commands() { return kCommands; }

}  // namespace bert::cli
