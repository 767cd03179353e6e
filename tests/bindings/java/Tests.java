import bertinfer.BertException;
import bertinfer.BertException.Status;
import bertinfer.Cancellation;
import bertinfer.Explanation;
import bertinfer.Index;
import bertinfer.Model;
import bertinfer.Task;
import bertinfer.Tasks;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Tests how the package passes arguments to the library and returns its results. Exits with 1 if a test fails. */
public final class Tests {
  private interface Test {
    void run() throws Exception;
  }

  private static final Model.EmbedOptions PLAIN = Model.EmbedOptions.DEFAULT;
  private static final Map<String, Model> MODELS = new HashMap<>();

  private Tests() {}

  static String setting(String name) {
    return Objects.requireNonNull(System.getenv(name), name + ", which tests/bindings/language.sh sets");
  }

  static List<String> lines(String name) throws Exception {
    return Files.readAllLines(Path.of(setting(name)));
  }

  static String path(String model) {
    return model.isEmpty() ? null : setting("BERT_TEST_MODELS") + "/" + model;
  }

  static Model model(String name) {
    return MODELS.computeIfAbsent(name, given -> Model.load(path(given), Model.LoadOptions.DEFAULT));
  }

  static byte[] bytes(float[] values) {
    ByteBuffer buffer = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (float value : values) buffer.putFloat(value);
    return buffer.array();
  }

  static String digest(float[] values) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(values)));
    } catch (java.security.NoSuchAlgorithmException error) {
      throw new AssertionError(error);
    }
  }

  static void same(Object found, Object expected) {
    if (!Objects.equals(found, expected)) throw new AssertionError(found + ", expected " + expected);
  }

  static BertException fails(Status expected, Test call) throws Exception {
    try {
      call.run();
    } catch (BertException error) {
      if (error.status() == expected && !error.getMessage().isEmpty()) return error;
      throw new AssertionError(error.status() + ", expected " + expected, error);
    }
    throw new AssertionError("no error, expected " + expected);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> object(Object json) {
    return (Map<String, Object>) json;
  }

  static void cases() throws Exception {
    List<String> cases = lines("BERT_TEST_CASES");
    same(cases.size() > 110, true);
    for (String line : cases) {
      Map<String, Object> one = object(Json.read(line));
      Model model = model((String) one.get("model"));
      try {
        if (one.get("error") != null) {
          Map<String, Object> error = object(one.get("error"));
          Status status = Status.valueOf(((String) error.get("code")).substring(5));
          String message = fails(status, () -> Cases.result(model, one)).getMessage();
          if (!message.contains((String) error.get("message"))) throw new AssertionError(message);
        } else {
          same(Cases.asJson(Cases.result(model, one)), Cases.expected(one.get("result")));
        }
      } catch (RuntimeException | AssertionError failed) {
        throw new AssertionError(line, failed);
      }
    }
  }

  static void hasTheProgramsBits() throws Exception {
    List<String> texts = lines("BERT_TEST_TEXTS");
    Model model = model("");
    byte[] file = Files.readAllBytes(Path.of(setting("BERT_TEST_VECTORS")));
    int size = (int) model.hiddenSize() * 4, begin = file.length - size * texts.size();
    List<Model.Vector> vectors = model.embed(texts);
    for (int i = 0; i < texts.size(); ++i, begin += size) {
      same(Arrays.equals(bytes(vectors.get(i).data()), Arrays.copyOfRange(file, begin, begin + size)), true);
      same(Arrays.equals(model.embed(texts.get(i)), vectors.get(i).data()), true);
    }
  }

  static void refusesWrongInput() throws Exception {
    Model model = model("embedder");
    List<String> wrong = lines("BERT_TEST_WRONG");
    same(wrong.size() > 200, true);
    for (String line : wrong) {
      String options = line.substring(line.indexOf("\"options\": ") + 11, line.length() - 1);
      String task = (String) object(Json.read(line)).get("task");
      fails(Status.INVALID_ARGUMENT, () -> model.runJson(task, options, List.of(Task.Input.of("a")), null));
    }
    Model.LoadOptions plain = Model.LoadOptions.DEFAULT;
    fails(Status.NOT_FOUND, () -> Model.load("/no/such/model"));
    fails(Status.INVALID_ARGUMENT, () -> Model.load("a\0b"));
    fails(Status.INVALID_ARGUMENT, () -> Model.load(null, plain.withThreads(1025)));
    fails(Status.INVALID_ARGUMENT, () -> Model.load(null, plain.withThreads(-1)));
    String longText = "the fox ".repeat(99), half = "\ud83c fox";
    Model.EmbedOptions strict = new Model.EmbedOptions(null, null, 0, null, true);
    for (long dimensions : new long[] {-1, 100_000}) {
      fails(Status.INVALID_ARGUMENT, () -> model.embed("a", PLAIN.withDimensions(dimensions)));
    }
    fails(Status.NOT_FOUND, () -> model.embed("a", PLAIN.withPrompt("xyzzy")));
    fails(Status.INVALID_ARGUMENT, () -> model.embed("a", PLAIN.withPrompt("a\0")));
    fails(Status.INVALID_TEXT, () -> model.embed(longText, strict));
    fails(Status.INVALID_TEXT, () -> model.embed(List.of("a", longText), strict, null));
    fails(Status.INVALID_TEXT, () -> model.embed(half));
    fails(Status.INVALID_TEXT, () -> model.tokenize(half, null, 0));
    fails(Status.INVALID_ARGUMENT, () -> model.rank(new Tasks.RerankOptions(), List.of("a")));
    fails(Status.INVALID_ARGUMENT, () -> model.run(new Tasks.AnswerOptions(), "a"));
    fails(Status.NOT_FOUND, () -> model.token(-7));
    fails(Status.NOT_FOUND, () -> model.embedTokens("a", true));
    fails(Status.INVALID_ARGUMENT, () -> model.embedChunks("a", 0, false, PLAIN));
    fails(Status.INVALID_ARGUMENT, () -> model.embedChunks("a", -1, false, PLAIN));
    fails(Status.INVALID_ARGUMENT, () -> model.embedSparse(List.of("a"), -1, null));
    fails(Status.INVALID_ARGUMENT, () -> model.tokenize("a", null, -1));
    fails(Status.INVALID_ARGUMENT, () -> Index.cosine(new float[1], new float[2]));
    fails(Status.INVALID_ARGUMENT, () -> Index.of(List.of(new float[1], new float[2]), Index.Scan.FLOAT32));
    try (Index index = Index.of(List.of(new float[] {1, 0}, new float[] {0, 1}), Index.Scan.FLOAT32)) {
      fails(Status.INVALID_ARGUMENT, () -> index.search(new float[3], 1));
      fails(Status.INVALID_ARGUMENT, () -> index.search(new float[2], -1));
    }
  }

  static void tellsWhatItRead() {
    Model model = model("embedder");
    same(model.embed("the fox ".repeat(99), PLAIN).report().truncatedTokens() > 0, true);
    Model.Tokens tokens = model.tokenize("the 🎻 fox", null, 0);
    same(Arrays.toString(tokens.starts()) + Arrays.toString(tokens.ends()), "[0, 0, 4, 7, 0][0, 3, 6, 10, 0]");
    same(tokens.unknownTokens(), 1L);
    same(model.token(tokens.ids()[1]) + model.decode(tokens.ids(), true), "thethe fox");
    Model.Encoded encoded = model.encode("the fox");
    same((long) encoded.lastHiddenState().length, encoded.ids().length * model.hiddenSize());
    same(model.embed(List.of()), List.of());
    for (String text : List.of("", "a\0b")) {
      same(Arrays.equals(model.embed(text), model.embed(List.of(text, text)).get(1).data()), true);
    }
    same(model("sparse").embedSparse(List.of("the fox", "a"), 1L << 60, null).size(), 2);
    same(Model.version(), "0.1.0");
  }

  static void runsTasks() throws Exception {
    Model tagger = model("firing-tagger"), classes = model("classes");
    List<Task.Input> inputs = List.of(Task.Input.of(List.of("the", "brown", "fox")), Task.Input.of("the brown fox"));
    var found = tagger.run(new Tasks.TagOptions().aggregation(Tasks.Aggregation.FIRST), inputs, null);
    same(found.get(0).get().size() + found.get(1).get().get(0).label(), "3ANIMAL");
    Task.Redacted redacted = tagger.run(new Tasks.RedactOptions(), "the brown fox");
    same(redacted.text() + redacted.replaced().get(0).start(), "the <ANIMAL>4");
    same(tagger.run(new Tasks.RedactOptions().replace("\"\u0001é\\"), "the brown fox").text(), "the \"\u0001é\\");
    String json = tagger.runJson("redact", "{\"mask\": \"*\"}", inputs.subList(1, 2), null).get(0).get();
    same(json.contains("\"the *********\""), true);
    Tasks.ClassifyOptions strict = new Tasks.ClassifyOptions().longText(Tasks.LongText.ERROR);
    var each = classes.run(strict, List.of(Task.Input.of("a"), Task.Input.of("the fox ".repeat(99))), null);
    same(each.get(0).get().size(), 3);
    fails(Status.INVALID_TEXT, () -> each.get(1).get());
  }

  static void searches() throws Exception {
    List<float[]> vectors = model("").embed(lines("BERT_TEST_TEXTS")).stream().map(Model.Vector::data).toList();
    float[] query = model("").embed("music");
    Path file = Files.createTempDirectory("bert-infer").resolve("index");
    Index.write(file.toString(), vectors, Index.Scan.INT8, "these");
    try (Index index = Index.of(vectors, Index.Scan.FLOAT32); Index opened = Index.open(file.toString())) {
      List<Index.Hit> hits = index.search(query, 3);
      same(hits.stream().map(Index.Hit::row).toList(), List.of(2L, 19L, 15L));
      same(opened.search(query, 3), hits);
      same(opened.label(), "these");
    }
    Files.delete(file);
    Files.delete(file.getParent());
  }

  static void endsWhereItIsTold() throws Exception {
    Model model = model("");
    List<String> many = new ArrayList<>();
    while (many.size() < 20_000) many.addAll(lines("BERT_TEST_TEXTS"));
    Cancellation cancellation = new Cancellation();
    cancellation.cancel();
    fails(Status.CANCELLED, () -> model.embed(many, PLAIN, cancellation));
    CompletableFuture<List<Model.Vector>> future = model.embedAsync(many, PLAIN);
    Thread.sleep(30);
    long begin = System.nanoTime();
    future.cancel(true);
    try {
      future.get(5, TimeUnit.SECONDS);
      throw new AssertionError("not cancelled");
    } catch (CancellationException expected) {
      same(System.nanoTime() - begin < 5_000_000_000L, true);
    }
    Thread.currentThread().interrupt();
    fails(Status.CANCELLED, () -> model.embed(many, PLAIN, null));
    same(Thread.interrupted(), true);
    same(model.embedAsync(List.of("a"), PLAIN).get().size(), 1);
  }

  static void servesManyThreads() throws Exception {
    Model model = model(""), closing = Model.builtin();
    float[] expected = model.embed("a fox");
    List<Thread> threads = new ArrayList<>();
    List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger done = new AtomicInteger();
    for (int i = 0; i < 8; ++i) {
      int thread = i;
      threads.add(new Thread(() -> {
        try {
          for (int j = 0; j < 25; ++j) {
            same(Arrays.equals(model.embed("a fox"), expected), true);
            String name = "/no/such/" + thread + "-" + j + "-";
            same(fails(Status.NOT_FOUND, () -> Model.load(name)).getMessage().contains(name), true);
            if (done.incrementAndGet() == 100) closing.close();
            try {
              closing.embed("a fox");
            } catch (IllegalStateException closed) {
              same(done.get() >= 100, true);
            }
          }
        } catch (Throwable failure) {
          failures.add(failure);
        }
      }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) thread.join();
    same(failures, List.of());
    closing.close();
  }

  private static long resident() throws Exception {
    for (int i = 0; i < 3; ++i) {
      System.gc();
      Thread.sleep(10);
    }
    return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
  }

  private static void expectFlat(String name, String variable, int count, Test call) throws Exception {
    int calls = System.getenv(variable) == null ? count : Integer.parseInt(System.getenv(variable));
    for (int i = 0; i < calls / 10 + 100; ++i) call.run();
    long before = resident();
    for (int i = 0; i < calls; ++i) call.run();
    long grown = resident() - before;
    System.out.println(name + ": " + calls + " calls, " + grown / 1024 + " KiB more");
    same(grown < 24 << 20, true);
  }

  static void memoryIsFlat() throws Exception {
    Model model = model("embedder"), tagger = model("firing-tagger");
    Map<String, Test> kinds = Map.of(
        "embed", () -> model.embed("the fox"),
        "many", () -> model.embed(List.of("the fox", "a dog")),
        "tokenize", () -> model.tokenize("the fox", "a dog", 0),
        "encode", () -> model.encode("the fox"),
        "chunks", () -> model.embedChunks("the fox jumps", 2, false, PLAIN),
        "explain", () -> model.explainSimilarity("a", "b", Explanation.Vectors.DENSE, null),
        "tag", () -> tagger.run(new Tasks.TagOptions(), "the brown fox"),
        "an error", () -> fails(Status.NOT_FOUND, () -> model.run(new Tasks.TagOptions(), "a")),
        "index", () -> Index.of(List.of(new float[8]), Index.Scan.FLOAT32).close());
    for (var kind : kinds.entrySet()) {
      expectFlat(kind.getKey(), "BERT_MEMORY_CALLS", 1000, kind.getValue());
    }
    for (String name : new String[] {null, path("embedder")}) {
      expectFlat("load", "BERT_MEMORY_LOADS", 30, () -> {
        try (Model loaded = Model.load(name, Model.LoadOptions.DEFAULT)) {
          loaded.embed("a fox");
        }
      });
    }
  }

  /** Prints the microseconds of a call, for the documentation. It is run by "Tests time MODEL". */
  private static void time(String name) {
    Model model = Model.load(name, Model.LoadOptions.DEFAULT.withThreads(1));
    for (int round = 0; round < 6; ++round) {
      long begin = System.nanoTime();
      int calls = 20_000;
      for (int i = 0; i < calls; ++i) model.embed("the quick brown fox jumps over");
      System.out.printf("%.2f us%n", (System.nanoTime() - begin) / 1e3 / calls);
    }
  }

  public static void main(String[] given) throws Exception {
    if (given.length == 2) {
      time(given[1]);
      return;
    }
    Map<String, Test> tests = Map.of("cases", Tests::cases, "program's bits", Tests::hasTheProgramsBits,
        "wrong input", Tests::refusesWrongInput, "what was read", Tests::tellsWhatItRead, "tasks", Tests::runsTasks,
        "search", Tests::searches, "ends", Tests::endsWhereItIsTold, "threads", Tests::servesManyThreads,
        "memory", Tests::memoryIsFlat);
    int failed = 0;
    for (var test : tests.entrySet()) {
      try {
        test.getValue().run();
        System.out.println(test.getKey() + ": passed");
      } catch (Exception | AssertionError error) {
        ++failed;
        System.out.println(test.getKey() + ": FAILED");
        error.printStackTrace(System.out);
      }
    }
    System.exit(failed == 0 ? 0 : 1);
  }
}
