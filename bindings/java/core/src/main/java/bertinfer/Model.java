package bertinfer;

import static bertinfer.Arena.C;
import static bertinfer.Arena.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.LongToIntFunction;

/**
 * A text encoder. Any number of threads may use one at the same time; close waits for running calls.
 *
 * <pre>{@code
 * try (Model model = Model.builtin()) {
 *   float[] vector = model.embed("A man plays the guitar.");
 * }
 * }</pre>
 */
public final class Model implements AutoCloseable {
  /** The type of the numbers in the linear layers. */
  public enum Precision { STORED, FLOAT32, INT8, BFLOAT16 }

  /** Options for loading a model. With null, its files decide. With 0 threads, it uses all cores that it may use. */
  public record LoadOptions(long threads, Precision precision, String revision, String task, String adapter,
      String encoder, boolean checkTensors, boolean ignoreUnexpected) {
    public static final LoadOptions DEFAULT = new LoadOptions(0, null, null, null, null, null, false, false);

    public LoadOptions withThreads(long threads) {
      return new LoadOptions(threads, precision, revision, task, adapter, encoder, checkTensors, ignoreUnexpected);
    }

    public LoadOptions withPrecision(Precision precision) {
      return new LoadOptions(threads, precision, revision, task, adapter, encoder, checkTensors, ignoreUnexpected);
    }
  }

  /** The way in which token vectors become a text's vector. */
  public enum Pooling { DEFAULT, CLS, MEAN, MAX, POOLER, MEAN_SQRT_LENGTH, WEIGHTED_MEAN, LAST_TOKEN }

  /** Options for computing a text's vector. With null and 0, the model's files decide. A too long text is cut. */
  public record EmbedOptions(Pooling pooling, Boolean normalize, long dimensions, String prompt,
      boolean refuseLongTexts) {
    public static final EmbedOptions DEFAULT = new EmbedOptions(null, null, 0, null, false);

    public EmbedOptions withDimensions(long dimensions) {
      return new EmbedOptions(pooling, normalize, dimensions, prompt, refuseLongTexts);
    }

    public EmbedOptions withPrompt(String prompt) {
      return new EmbedOptions(pooling, normalize, dimensions, prompt, refuseLongTexts);
    }

    /** Makes a bert_embed_options. progress and context: a bert_progress; report: a bert_text_report; 0: none. */
    long given(Arena arena, long progress, long context, long report) {
      int normal = normalize == null ? 0 : normalize ? 1 : 2;
      return arena.options(pooling == null ? 0 : pooling.ordinal(), normal, dimensions, arena.name(prompt), progress,
          context, refuseLongTexts ? 3 : 0, report);
    }
  }

  /** How much of a text was read. */
  public record Report(long tokens, long truncatedTokens, long unknownTokens) {
    private static final int BYTES = 32;

    static Report read(long memory) {
      long[] words = C.longs(memory, BYTES / 8);
      return new Report(words[1], words[2], words[3]);
    }
  }

  /** The vector of a text. */
  public record Vector(float[] data, Report report) {}

  /** The tokens of a text, or of a text and its pair; places are in UTF-16 units, as substring takes them. */
  public record Tokens(int[] ids, int[] typeIds, byte[] specialTokensMask, long[] starts, long[] ends, int[] wordIds,
      int[] sequenceIds, long truncatedTokens, long unknownTokens) {}

  /** Hidden states: [tokens, hidden], and the pooler's output, which may be empty. */
  public record Encoded(int[] ids, float[] lastHiddenState, float[] poolerOutput) {}

  /** Vectors of the parts of a text, [parts, size]; chunks also have their places. */
  public record PartVectors(float[] data, int size, long[] starts, long[] ends, long truncatedTokens) {}

  /** Entries of the vocabulary, in ascending order of ids. */
  public record SparseVector(int[] ids, float[] weights) {}

  private final Handle handle;

  private Model(long pointer) {
    handle = new Handle("bert_model_free", pointer);
  }

  /** Loads the small English model inside the library. */
  public static Model builtin() {
    return load(null, LoadOptions.DEFAULT);
  }

  /** Loads a directory in the Hugging Face layout, or a model by its name in the hub's local cache. */
  public static Model load(String name) {
    return load(name, LoadOptions.DEFAULT);
  }

  /** Loads a model. name: null for the built-in model. */
  public static Model load(String name, LoadOptions how) {
    try (Arena arena = new Arena()) {
      long options = arena.options(how.threads, 0, how.ignoreUnexpected ? 1 : 0, how.checkTensors ? 1 : 0, 0,
          arena.name(how.revision), 0L, how.precision == null ? 0 : how.precision.ordinal(), arena.name(how.task), 0,
          0L, arena.name(how.encoder), 0, 0L, 0L, 0, arena.name(how.adapter));
      return new Model(arena.result(model -> C.callInt("bert_model_load", arena.name(name), options, model)));
    }
  }

  @Override public void close() {
    handle.close();
  }

  /** Returns the library's version, such as "0.1.0". */
  public static String version() {
    return C.text(C.callLong("bert_version"));
  }

  public long hiddenSize() {
    return handle.with(model -> C.callLong("bert_model_hidden_size", model));
  }

  /** Returns the default limit of a sequence in tokens. */
  public long maxLength() {
    return handle.with(model -> C.callLong("bert_model_max_length", model));
  }

  /** Returns messages about how the files were read. */
  public List<String> notices() {
    return handle.with(model -> {
      List<String> found = new ArrayList<>();
      for (long i = 0;; ++i) {
        String notice = C.text(C.callLong("bert_model_notice", model, i));
        if (notice == null) return found;
        found.add(notice);
      }
    });
  }

  private static long size(Arena arena, long model, long options) {
    return arena.result(size -> C.callInt("bert_embed_get_size", model, options, size));
  }

  /** Computes the vector of a text. */
  public float[] embed(String text) {
    return embed(text, EmbedOptions.DEFAULT).data();
  }

  public Vector embed(String text, EmbedOptions how) {
    return with((model, arena) -> {
      long report = arena.zeroed(Report.BYTES);
      long options = how.given(arena, 0, 0, report);
      long size = size(arena, model, options);
      long vector = arena.allocate(4 * size);
      Arena.Text given = arena.text(text);
      check(C.callInt("bert_embed_text", model, given.data(), given.bytes(), options, vector, size));
      return new Vector(C.floats(vector, size), Report.read(report));
    });
  }

  /** Computes the vectors of many texts, on all threads. cancellation: null if only an interrupt can end the call. */
  public List<Vector> embed(List<String> texts, EmbedOptions how, Cancellation cancellation) {
    return cancellable(cancellation, (model, arena, number) -> {
      long options = how.given(arena, C.progress(), number, 0);
      long size = size(arena, model, options);
      long count = texts.size();
      long vectors = arena.allocate(4 * size * count);
      long reports = arena.allocate(Report.BYTES * count);
      Texts given = texts(arena, texts);
      check(C.callInt("bert_embed_texts", model, given.starts, given.bytes, count, options, vectors, size * count,
          reports));
      List<Vector> made = new ArrayList<>();
      for (long i = 0; i < count; ++i) {
        made.add(new Vector(C.floats(vectors + 4 * size * i, size), Report.read(reports + Report.BYTES * i)));
      }
      return made;
    });
  }

  public List<Vector> embed(List<String> texts) {
    return embed(texts, EmbedOptions.DEFAULT, null);
  }

  /** Computes vectors in another thread. Cancelling the future ends the computation between two forward passes. */
  public CompletableFuture<List<Vector>> embedAsync(List<String> texts, EmbedOptions how) {
    Cancellation cancellation = new Cancellation();
    CompletableFuture<List<Vector>> future = CompletableFuture.supplyAsync(() -> embed(texts, how, cancellation));
    future.whenComplete((vectors, error) -> {
      if (error instanceof CancellationException) cancellation.cancel();
    });
    return future;
  }

  /** Computes sparse vectors. maxActive: the largest number of weights of a text; 0: the model's files decide. */
  public List<SparseVector> embedSparse(List<String> texts, long maxActive, Cancellation cancellation) {
    return cancellable(cancellation, (model, arena, number) -> {
      int count = texts.size();
      long options = arena.options(Arena.checkSize("maxActive", maxActive), C.progress(), number, 0);
      long starts = arena.allocate(8L * (count + 1));
      Texts given = texts(arena, texts);
      for (long capacity = count * (maxActive == 0 ? 1024 : Math.min(maxActive, 1024));;) {
        long ids = arena.allocate(4 * capacity), weights = arena.allocate(4 * capacity);
        int status = C.callInt("bert_embed_sparse_texts", model, given.starts, given.bytes, (long) count, options,
            starts, ids, weights, capacity, 0L);
        long[] rows = status == Arena.OK || status == Arena.TOO_SMALL ? C.longs(starts, count + 1) : null;
        if (status != Arena.TOO_SMALL) {
          check(status);
          List<SparseVector> made = new ArrayList<>();
          for (int i = 0; i < count; ++i) {
            long size = rows[i + 1] - rows[i];
            made.add(new SparseVector(C.ints(ids + 4 * rows[i], size), C.floats(weights + 4 * rows[i], size)));
          }
          return made;
        }
        capacity = rows[count];
      }
    });
  }

  /** Computes a vector for each token of a text, with a late-interaction model. */
  public PartVectors embedTokens(String text, boolean isQuery) {
    return with((model, arena) -> {
      Arena.Text given = arena.text(text);
      return parts(arena, made -> C.callInt("bert_embed_tokens", model, given.data(), given.bytes(), isQuery ? 1 : 0, made));
    });
  }

  /** Reads the whole text in one pass and computes a vector for each of its chunks. A chunk has at most this many
   * tokens (0: no limit) and ends at the end of a word or of a sentence. */
  public PartVectors embedChunks(String text, long tokens, boolean sentences, EmbedOptions how) {
    return with((model, arena) -> {
      Arena.Text given = arena.text(text);
      long options = arena.options(Arena.checkSize("tokens", tokens), sentences ? 1 : 0, 2, how.given(arena, 0, 0, 0));
      return parts(arena, made -> C.callInt("bert_embed_chunks", model, given.data(), given.bytes(), options, made));
    });
  }

  private static PartVectors parts(Arena arena, LongToIntFunction call) {
    long vectors = arena.result(call);
    try {
      long count = C.callLong("bert_vectors_count", vectors), size = C.callLong("bert_vectors_size", vectors);
      return new PartVectors(C.floats(C.callLong("bert_vectors_data", vectors), count * size), (int) size,
          C.longs(C.callLong("bert_vectors_starts", vectors), count),
          C.longs(C.callLong("bert_vectors_ends", vectors), count),
          C.callLong("bert_vectors_truncated_tokens", vectors));
    } finally {
      C.callInt("bert_vectors_free", vectors);
    }
  }

  /** Tokenizes a text. pair: may be null. maxLength: the limit of tokens, including special tokens; 0: no limit. */
  public Tokens tokenize(String text, String pair, long maxLength) {
    return with((model, arena) -> {
      Arena.Text first = arena.text(text), second = arena.textOrNone(pair);
      long tokenizer = C.callLong("bert_model_tokenizer", model);
      long options = arena.options(Arena.checkSize("maxLength", maxLength), 0, 0, 0, 2);
      long found = arena.options(0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
      Object[] given = {tokenizer, first.data(), first.bytes(), second.data(), second.bytes(), options, found};
      int status = C.callInt("bert_tokenize", given);
      if (status != Arena.TOO_SMALL) check(status);
      long size = C.longs(found, 14)[9];
      long ids = arena.allocate(4 * size), types = arena.allocate(4 * size), special = arena.allocate(size);
      long starts = arena.allocate(8 * size), ends = arena.allocate(8 * size);
      long words = arena.allocate(4 * size), sequences = arena.allocate(4 * size);
      given[6] = found =
          arena.options(size, ids, types, special, starts, ends, words, sequences, 0L, 0L, 0L, 0L, 0L);
      check(C.callInt("bert_tokenize", given));
      long[] counts = C.longs(found, 14);
      return new Tokens(C.ints(ids, size), C.ints(types, size), C.bytes(special, size), C.longs(starts, size),
          C.longs(ends, size), C.ints(words, size), C.ints(sequences, size), counts[10], counts[11]);
    });
  }

  /** Returns the token of an id, as in the vocabulary. */
  public String token(int id) {
    return written((tokenizer, arena, memory, capacity, bytes) ->
        C.callInt("bert_token_text", tokenizer, id, memory, capacity, bytes));
  }

  /** Returns the text of ids; skips ids without a token. */
  public String decode(int[] ids, boolean skipSpecialTokens) {
    return written((tokenizer, arena, memory, capacity, bytes) -> {
      int skip = skipSpecialTokens ? 1 : 0;
      return C.callInt("bert_decode", tokenizer, arena.ints(ids), (long) ids.length, skip, memory, capacity, bytes);
    });
  }

  private interface Writer {
    int write(long tokenizer, Arena arena, long memory, long capacity, long bytes);
  }

  private String written(Writer writer) {
    return with((model, arena) -> {
      long tokenizer = C.callLong("bert_model_tokenizer", model), bytes = arena.zeroed(8);
      int status = writer.write(tokenizer, arena, 0, 0, bytes);
      if (status != Arena.TOO_SMALL) check(status);
      long size = Arena.readLong(bytes), memory = arena.allocate(size + 1);
      check(writer.write(tokenizer, arena, memory, size + 1, bytes));
      return Arena.string(memory, size);
    });
  }

  /** Computes the hidden states of a text's tokens. */
  public Encoded encode(String text) {
    Tokens tokens = tokenize(text, null, maxLength());
    return with((model, arena) -> {
      long sequence = arena.fields(arena.ints(tokens.ids), arena.ints(tokens.typeIds), 0L, (long) tokens.ids.length);
      long sizes = arena.options(0L, 0L, 0L, 0L, 0L);
      check(C.callInt("bert_encode_get_sizes", model, sequence, sizes));
      long[] numbers = C.longs(sizes, 4);
      long states = arena.allocate(4 * numbers[2]), pooled = arena.allocate(4 * numbers[3]);
      long buffers = arena.fields(states, numbers[2], pooled, numbers[3], 0L, 0L, 0L, 0L);
      check(C.callInt("bert_encode", model, sequence, 1L, buffers));
      return new Encoded(tokens.ids, C.floats(states, numbers[2]), C.floats(pooled, numbers[3]));
    });
  }

  /** Returns the results of a task, in the order of its inputs; a failed input has its error. */
  public <R> List<Task.Result<R>> run(Task<R> task, List<Task.Input> inputs, Cancellation cancellation) {
    return run(task.name, task.toString(), inputs, cancellation, false, results -> each(results, input -> {
      long bytes = 0, text = C.callLong("bert_results_text", results, input, 0L);
      return task.output(items(results, input), C.text(text));
    }));
  }

  /** Returns the result of a task for one text. */
  public <R> R run(Task<R> task, String text) {
    return run(task, List.of(Task.Input.of(text)), null).get(0).get();
  }

  /** Returns the texts, best first, for a task that orders them: {@link Tasks.RerankOptions}, {@link
   * Tasks.ChooseOptions}. */
  public List<Task.Ranked> rank(Task<Double> task, List<String> texts) {
    List<Task.Input> inputs = texts.stream().map(Task.Input::of).toList();
    return run(task.name, task.toString(), inputs, null, false, results -> {
      each(results, input -> null).forEach(Task.Result::get);
      try (Arena arena = new Arena()) {
        long count = arena.zeroed(8), order = C.callLong("bert_results_ranking", results, count);
        return Arrays.stream(C.longs(order, Arena.readLong(count)))
            .mapToObj(index -> new Task.Ranked((int) index, items(results, index).get(0).score())).toList();
      }
    });
  }

  /** Runs any task by its name with options as JSON. Returns results as the program prints them. */
  public List<Task.Result<String>> runJson(String name, String options, List<Task.Input> inputs,
      Cancellation cancellation) {
    return run(name, options, inputs, cancellation, true,
        results -> each(results, input -> C.text(C.callLong("bert_results_json", results, input))));
  }

  private static List<Task.Item> items(long results, long input) {
    try (Arena arena = new Arena()) {
      long count = arena.zeroed(8), items = C.callLong("bert_results_items", results, input, count);
      return Task.Item.read(items, Arena.readLong(count));
    }
  }

  private static <R> List<Task.Result<R>> each(long results, LongFunction<R> value) {
    List<Task.Result<R>> made = new ArrayList<>();
    for (long i = 0; i < C.callLong("bert_results_count", results); ++i) {
      long truncated = C.callLong("bert_results_truncated_tokens", results, i);
      int status = C.callInt("bert_results_status", results, i);
      made.add(status == Arena.OK ? new Task.Result<>(value.apply(i), truncated, null)
          : new Task.Result<>(null, truncated,
              new BertException(status, C.text(C.callLong("bert_results_message", results, i)))));
    }
    return made;
  }

  private <R> R run(String name, String options, List<Task.Input> inputs, Cancellation cancellation, boolean json,
      LongFunction<R> read) {
    return cancellable(cancellation, (model, arena, number) -> {
      long found = arena.zeroed(8);
      long task = arena.result(memory -> C.callInt("bert_task_new", model, arena.name(name), memory));
      try {
        Arena.Text given = arena.text(options);
        check(C.callInt("bert_task_set_json", task, given.data(), given.bytes()));
        long how = arena.options(2, json ? 1 : 0, C.progress(), number);
        long data = inputs(arena, inputs);
        int status = C.callInt("bert_task_run", task, data, (long) inputs.size(), how, found);
        if (Arena.readLong(found) == 0) check(status);
        return read.apply(Arena.readLong(found));
      } finally {
        C.callInt("bert_results_free", Arena.readLong(found));
        C.callInt("bert_task_free", task);
      }
    });
  }

  private static long inputs(Arena arena, List<Task.Input> inputs) {
    List<Object> fields = new ArrayList<>();
    for (Task.Input input : inputs) {
      for (String text : new String[] {input.text(), input.pair()}) {
        Arena.Text given = arena.textOrNone(text);
        fields.addAll(List.of(given.data(), given.bytes()));
      }
      List<Object> words = new ArrayList<>();
      for (String word : input.words() == null ? List.<String>of() : input.words()) {
        Arena.Text given = arena.text(word);
        words.addAll(List.of(given.data(), given.bytes()));
      }
      fields.add(input.words() == null ? 0L : arena.fields(words.toArray()));
      fields.add(words.size() / 2L);
    }
    return arena.fields(fields.toArray());
  }

  /** Explains the similarity of two texts. */
  public Explanation explainSimilarity(String a, String b, Explanation.Vectors vectors, Pooling pooling) {
    return explain("bert_explain_similarity", a, b, vectors.ordinal(), pooling == null ? 0 : pooling.ordinal());
  }

  /** Explains a classifier's scores for a text, or for a text and its pair. */
  public Explanation explainLabels(String text, String pair) {
    return explain("bert_explain_labels", text, pair, 0, 0);
  }

  /** Explains how well a document fits a query. */
  public Explanation explainRelevance(String query, String document) {
    return explain("bert_explain_relevance", query, document, 0, 0);
  }

  private Explanation explain(String function, String a, String b, int vectors, int pooling) {
    return with((model, arena) -> {
      Arena.Text first = arena.text(a), second = arena.textOrNone(b);
      long options = arena.options(vectors, pooling, 0L, 2);
      return Explanation.read(arena.result(made ->
          C.callInt(function, model, first.data(), first.bytes(), second.data(), second.bytes(), options, made)));
    });
  }

  private record Texts(long starts, long bytes) {}

  private static Texts texts(Arena arena, List<String> texts) {
    Object[] starts = new Object[texts.size()], bytes = new Object[texts.size()];
    for (int i = 0; i < starts.length; ++i) {
      Arena.Text text = arena.text(texts.get(i));
      starts[i] = text.data();
      bytes[i] = text.bytes();
    }
    return new Texts(arena.fields(starts), arena.fields(bytes));
  }

  private interface Call<R> {
    R apply(long model, Arena arena);
  }

  private interface CancellableCall<R> {
    R apply(long model, Arena arena, long number);
  }

  private <R> R with(Call<R> call) {
    return handle.with(model -> {
      try (Arena arena = new Arena()) {
        return call.apply(model, arena);
      }
    });
  }

  private <R> R cancellable(Cancellation cancellation, CancellableCall<R> call) {
    long number = Cancellation.begin(cancellation);
    try {
      return with((model, arena) -> call.apply(model, arena, number));
    } finally {
      Cancellation.end(number);
    }
  }
}
