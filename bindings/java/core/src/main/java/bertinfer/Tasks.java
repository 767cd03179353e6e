package bertinfer;

import java.util.List;

/**
 * The tasks with their options and results, written by tools/tasks/write_types.py from the library's description. An
 * option that is not set has its default. Places are in UTF-16 units.
 */
public final class Tasks {
  private Tasks() {}

  /** One of mean, largest. */
  public enum WindowScores { MEAN, LARGEST }

  /** One of cut, windows, error. */
  public enum LongText { CUT, WINDOWS, ERROR }

  /** One of none, simple, first, average, max. */
  public enum Aggregation { NONE, SIMPLE, FIRST, AVERAGE, MAX }

  /** One of auto, iob, bioes, bilou. */
  public enum Scheme { AUTO, IOB, BIOES, BILOU }

  /** One of cut, error. */
  public enum CutOrError { CUT, ERROR }

  /** One of windows, error. */
  public enum WindowsOrError { WINDOWS, ERROR }

  /** A label and its score; index is that of the caller's own label. */
  public record Label(String label, double score, int index) {}

  /** An entity at a place in its text; index is that of the caller's own label, or of the given word. */
  public record Entity(String label, double score, int start, int end, int index) {}

  /** A token in the place of a mask. */
  public record Candidate(String token, int id, double score) {}

  /** A part of the context, at its place there. */
  public record Answer(String answer, double score, int start, int end) {}

  /** A part of the text that was replaced, at its place in the given text. */
  public record Part(String label, int start, int end) {}

  /** The labels of a text or a pair, best first: a classifier's own, or those that the caller names. */
  public static final class ClassifyOptions extends Task<List<Label>> {
    public ClassifyOptions() {
      super("classify");
    }

    /** Of a model that reads labels (GLiClass): those that a text may have. */
    public ClassifyOptions labels(List<String> labels) {
      set("labels", labels);
      return this;
    }

    /** With labels: what results have in place of each label, which then may be a description. */
    public ClassifyOptions names(List<String> names) {
      set("names", names);
      return this;
    }

    /** With labels: each score stands alone, from 0 to 1. */
    public ClassifyOptions multiLabel(Boolean multiLabel) {
      set("multi_label", multiLabel);
      return this;
    }

    /** The largest number of labels for each text. */
    public ClassifyOptions topK(Long topK) {
      set("top_k", topK);
      return this;
    }

    /** Of windows: a label's score is the mean of its windows', or the largest. Default: mean. */
    public ClassifyOptions windowScores(WindowScores windowScores) {
      set("window_scores", windowScores);
      return this;
    }

    /**
     * How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
     * windows; or not at all, which is an error. Default: cut.
     */
    public ClassifyOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next one. */
    public ClassifyOptions stride(Long stride) {
      set("stride", stride);
      return this;
    }

    @Override List<Label> output(List<Item> items, String text) {
      return list(items, item -> new Label(item.text(), item.score(), (int) item.index()));
    }
  }

  /** The candidate labels of a text, best first, by a classifier of natural language inference. */
  public static final class ZeroShotOptions extends Task<List<Label>> {
    public ZeroShotOptions() {
      super("zero_shot");
    }

    /** Candidate labels. Required. */
    public ZeroShotOptions labels(List<String> labels) {
      set("labels", labels);
      return this;
    }

    /** The hypothesis for a label, with &#123;} in its place. Default: "This example is &#123;}.". */
    public ZeroShotOptions hypothesisTemplate(String hypothesisTemplate) {
      set("hypothesis_template", hypothesisTemplate);
      return this;
    }

    /** Several labels may apply: each score stands alone. */
    public ZeroShotOptions multiLabel(Boolean multiLabel) {
      set("multi_label", multiLabel);
      return this;
    }

    /** The largest number of labels for each text. */
    public ZeroShotOptions topK(Long topK) {
      set("top_k", topK);
      return this;
    }

    /** Of windows: a label's score is the mean of its windows', or the largest. Default: mean. */
    public ZeroShotOptions windowScores(WindowScores windowScores) {
      set("window_scores", windowScores);
      return this;
    }

    /**
     * How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
     * windows; or not at all, which is an error. Default: cut.
     */
    public ZeroShotOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next one. */
    public ZeroShotOptions stride(Long stride) {
      set("stride", stride);
      return this;
    }

    @Override List<Label> output(List<Item> items, String text) {
      return list(items, item -> new Label(item.text(), item.score(), (int) item.index()));
    }
  }

  /** The entities of a text, or a label for each of its words. */
  public static final class TagOptions extends Task<List<Entity>> {
    public TagOptions() {
      super("tag");
    }

    /** Of a model that reads labels (GLiNER): what is looked for. */
    public TagOptions labels(List<String> labels) {
      set("labels", labels);
      return this;
    }

    /** With labels: what results have in place of each label, which then may be a description. */
    public TagOptions names(List<String> names) {
      set("names", names);
      return this;
    }

    /** With labels: entities have scores above it. Default: 0.5. */
    public TagOptions threshold(Double threshold) {
      set("threshold", threshold);
      return this;
    }

    /** With labels: an entity may lie in another one. */
    public TagOptions nested(Boolean nested) {
      set("nested", nested);
      return this;
    }

    /** With labels: an entity may have several of them. */
    public TagOptions multiLabel(Boolean multiLabel) {
      set("multi_label", multiLabel);
      return this;
    }

    /**
     * How tokens become entities: each alone, neighbours of one kind together, or by words, with the label of the first
     * token, of the mean or of the highest-scoring token; of words the last three, by default first. Default: simple.
     * Not beside labels.
     */
    public TagOptions aggregation(Aggregation aggregation) {
      set("aggregation", aggregation);
      return this;
    }

    /**
     * What the letter before a label means where labels become entities: auto is the scheme of the model's labels; B-
     * and I- alone; also E- (end) and S- (single); or L- (last) and U- (unit). Default: auto. Not beside labels.
     */
    public TagOptions scheme(Scheme scheme) {
      set("scheme", scheme);
      return this;
    }

    /**
     * How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
     * windows; or not at all, which is an error. Default: windows.
     */
    public TagOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next one. */
    public TagOptions stride(Long stride) {
      set("stride", stride);
      return this;
    }

    @Override List<Entity> output(List<Item> items, String text) {
      return list(items, item -> new Entity(item.text(), item.score(), item.start(), item.end(), (int) item.index()));
    }
  }

  /** For each mask of a text the words that fit best. */
  public static final class FillMaskOptions extends Task<List<List<Candidate>>> {
    public FillMaskOptions() {
      super("fill_mask");
    }

    /** Words for each mask. Default: 5. */
    public FillMaskOptions topK(Long topK) {
      set("top_k", topK);
      return this;
    }

    /** Only these words are listed; scores stay those among all words. */
    public FillMaskOptions targets(List<String> targets) {
      set("targets", targets);
      return this;
    }

    /**
     * How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
     * windows; or not at all, which is an error. Default: cut.
     */
    public FillMaskOptions longText(CutOrError longText) {
      set("long_text", longText);
      return this;
    }

    @Override List<List<Candidate>> output(List<Item> items, String text) {
      return masks(items);
    }
  }

  /** The parts of a context that answer a question, best first: a pair of both. */
  public static final class AnswerOptions extends Task<List<Answer>> {
    public AnswerOptions() {
      super("answer");
    }

    /** Answers of each question. Default: 1. */
    public AnswerOptions topK(Long topK) {
      set("top_k", topK);
      return this;
    }

    /** The longest answer. Default: 15. */
    public AnswerOptions maxAnswerTokens(Long maxAnswerTokens) {
      set("max_answer_tokens", maxAnswerTokens);
      return this;
    }

    /** "" may be the best answer. */
    public AnswerOptions noAnswer(Boolean noAnswer) {
      set("no_answer", noAnswer);
      return this;
    }

    /** Tokens of a window, or as many as the model has. Default: 384. */
    public AnswerOptions windowTokens(Long windowTokens) {
      set("window_tokens", windowTokens);
      return this;
    }

    /** An answer has whole words. Default: true. */
    public AnswerOptions alignToWords(Boolean alignToWords) {
      set("align_to_words", alignToWords);
      return this;
    }

    /**
     * How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
     * windows; or not at all, which is an error. Default: windows.
     */
    public AnswerOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next one. */
    public AnswerOptions stride(Long stride) {
      set("stride", stride);
      return this;
    }

    @Override List<Answer> output(List<Item> items, String text) {
      return list(items, item -> new Answer(item.text(), item.score(), item.start(), item.end()));
    }
  }

  /** Whether the second of two texts follows the first. */
  public static final class NextSentenceOptions extends Task<Double> {
    public NextSentenceOptions() {
      super("next_sentence");
    }

    /**
     * How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
     * windows; or not at all, which is an error. Default: cut.
     */
    public NextSentenceOptions longText(CutOrError longText) {
      set("long_text", longText);
      return this;
    }

    @Override Double output(List<Item> items, String text) {
      return items.isEmpty() ? 0.0 : items.get(0).score();
    }
  }

  /** How well each text goes on after the first. */
  public static final class ChooseOptions extends Task<Double> {
    public ChooseOptions() {
      super("choose");
    }

    /** What each input goes on with. Required. */
    public ChooseOptions text(String text) {
      set("text", text);
      return this;
    }

    /**
     * How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
     * windows; or not at all, which is an error. Default: cut.
     */
    public ChooseOptions longText(CutOrError longText) {
      set("long_text", longText);
      return this;
    }

    @Override Double output(List<Item> items, String text) {
      return items.isEmpty() ? 0.0 : items.get(0).score();
    }
  }

  /** How well each text fits a query. */
  public static final class RerankOptions extends Task<Double> {
    public RerankOptions() {
      super("rerank");
    }

    /** What the documents are scored for. Required. */
    public RerankOptions query(String query) {
      set("query", query);
      return this;
    }

    /** The name of one of the model's prompts, which goes before a text. Not beside promptText. */
    public RerankOptions prompt(String prompt) {
      set("prompt", prompt);
      return this;
    }

    /** A prompt of your own in its place. */
    public RerankOptions promptText(String promptText) {
      set("prompt_text", promptText);
      return this;
    }

    /** Of a classifier of two labels, the one that is the score: by default the one called relevant. */
    public RerankOptions relevantLabel(String relevantLabel) {
      set("relevant_label", relevantLabel);
      return this;
    }

    /** The largest number of results. */
    public RerankOptions topK(Long topK) {
      set("top_k", topK);
      return this;
    }

    /**
     * How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
     * windows; or not at all, which is an error. Default: cut.
     */
    public RerankOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next one. */
    public RerankOptions stride(Long stride) {
      set("stride", stride);
      return this;
    }

    @Override Double output(List<Item> items, String text) {
      return items.isEmpty() ? 0.0 : items.get(0).score();
    }
  }

  /** A text without the names in it. */
  public static final class RedactOptions extends Task<Task.Redacted> {
    public RedactOptions() {
      super("redact");
    }

    /** Of a model that reads labels (GLiNER): what is looked for. */
    public RedactOptions labels(List<String> labels) {
      set("labels", labels);
      return this;
    }

    /** LABEL=EXPRESSION: matches of a regular expression in Oniguruma's syntax are parts with this label. */
    public RedactOptions expressions(List<String> expressions) {
      set("expressions", expressions);
      return this;
    }

    /** Of a model's entities only those with these labels. */
    public RedactOptions only(List<String> only) {
      set("only", only);
      return this;
    }

    /** Entities have scores above it: by default 0.5 of a model that reads labels, 0 of others. */
    public RedactOptions threshold(Double threshold) {
      set("threshold", threshold);
      return this;
    }

    /** How tokens become entities, as in tag. Default: first. Not beside labels. */
    public RedactOptions aggregation(Aggregation aggregation) {
      set("aggregation", aggregation);
      return this;
    }

    /**
     * What the letter before a label means where labels become entities: auto is the scheme of the model's labels; B-
     * and I- alone; also E- (end) and S- (single); or L- (last) and U- (unit). Default: auto. Not beside labels.
     */
    public RedactOptions scheme(Scheme scheme) {
      set("scheme", scheme);
      return this;
    }

    /**
     * What takes the place of a part; &#123;label} is its label, &#123;hash} a digest of it by the key. Default:
     * "&lt;&#123;label}&gt;".
     */
    public RedactOptions replace(String replace) {
      set("replace", replace);
      return this;
    }

    /** Instead this character for each character of a part. Not beside replace. */
    public RedactOptions mask(String mask) {
      set("mask", mask);
      return this;
    }

    /** The key of &#123;hash}, the first 32 digits of HMAC-SHA-256: at least 16 bytes. */
    public RedactOptions key(String key) {
      set("key", key);
      return this;
    }

    /**
     * How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
     * windows; or not at all, which is an error. Default: windows.
     */
    public RedactOptions longText(WindowsOrError longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next one. */
    public RedactOptions stride(Long stride) {
      set("stride", stride);
      return this;
    }

    @Override Task.Redacted output(List<Item> items, String text) {
      return new Redacted(text, list(items, item -> new Part(item.text(), item.start(), item.end())));
    }
  }
}
