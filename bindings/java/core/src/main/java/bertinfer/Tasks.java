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

    /** The labels to choose from, for a model that reads labels (GLiClass). */
    public ClassifyOptions labels(List<String> labels) {
      set("labels", labels);
      return this;
    }

    /** With labels, the name of each label in the results, so that a label can be a description. */
    public ClassifyOptions names(List<String> names) {
      set("names", names);
      return this;
    }

    /** With labels, each label is scored independently, from 0 to 1. */
    public ClassifyOptions multiLabel(Boolean multiLabel) {
      set("multi_label", multiLabel);
      return this;
    }

    /** The largest number of labels for each text. */
    public ClassifyOptions topK(Long topK) {
      set("top_k", topK);
      return this;
    }

    /** How a label's scores in the windows of a long text become one: their mean, or the largest. Default: mean. */
    public ClassifyOptions windowScores(WindowScores windowScores) {
      set("window_scores", windowScores);
      return this;
    }

    /**
     * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
     * all of it in windows, error refuses it. Default: cut.
     */
    public ClassifyOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next window. */
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

    /** The labels to choose from. Required. */
    public ZeroShotOptions labels(List<String> labels) {
      set("labels", labels);
      return this;
    }

    /**
     * The sentence that is tested for each label, with &#123;} in the place of the label. Default: "This example is
     * &#123;}.".
     */
    public ZeroShotOptions hypothesisTemplate(String hypothesisTemplate) {
      set("hypothesis_template", hypothesisTemplate);
      return this;
    }

    /** Each label is scored independently, because several may apply. */
    public ZeroShotOptions multiLabel(Boolean multiLabel) {
      set("multi_label", multiLabel);
      return this;
    }

    /** The largest number of labels for each text. */
    public ZeroShotOptions topK(Long topK) {
      set("top_k", topK);
      return this;
    }

    /** How a label's scores in the windows of a long text become one: their mean, or the largest. Default: mean. */
    public ZeroShotOptions windowScores(WindowScores windowScores) {
      set("window_scores", windowScores);
      return this;
    }

    /**
     * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
     * all of it in windows, error refuses it. Default: cut.
     */
    public ZeroShotOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next window. */
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

    /** The kinds of entities to find, for a model that reads labels (GLiNER). */
    public TagOptions labels(List<String> labels) {
      set("labels", labels);
      return this;
    }

    /** With labels, the name of each label in the results, so that a label can be a description. */
    public TagOptions names(List<String> names) {
      set("names", names);
      return this;
    }

    /** With labels, the score that an entity must exceed. Default: 0.5. */
    public TagOptions threshold(Double threshold) {
      set("threshold", threshold);
      return this;
    }

    /** With labels, an entity may lie inside another one. */
    public TagOptions nested(Boolean nested) {
      set("nested", nested);
      return this;
    }

    /** With labels, an entity may have several labels. */
    public TagOptions multiLabel(Boolean multiLabel) {
      set("multi_label", multiLabel);
      return this;
    }

    /**
     * How tokens become entities: none leaves each token alone, simple joins neighbours of one label; first, average
     * and max give each word one label, by its first token, the mean of its tokens or the token with the highest score;
     * an input of words takes one of these three, by default first. Default: simple. Not beside labels.
     */
    public TagOptions aggregation(Aggregation aggregation) {
      set("aggregation", aggregation);
      return this;
    }

    /**
     * The letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end) and
     * S- (single), bilou L- (last) and U- (unit); auto finds out by the labels. Default: auto. Not beside labels.
     */
    public TagOptions scheme(Scheme scheme) {
      set("scheme", scheme);
      return this;
    }

    /**
     * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
     * all of it in windows, error refuses it. Default: windows.
     */
    public TagOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next window. */
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

    /** The number of words for each mask. Default: 5. */
    public FillMaskOptions topK(Long topK) {
      set("top_k", topK);
      return this;
    }

    /** The words to list, whose scores remain those among all words. */
    public FillMaskOptions targets(List<String> targets) {
      set("targets", targets);
      return this;
    }

    /**
     * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
     * all of it in windows, error refuses it. Default: cut.
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

    /** The number of answers to each question. Default: 1. */
    public AnswerOptions topK(Long topK) {
      set("top_k", topK);
      return this;
    }

    /** The largest number of tokens in an answer. Default: 15. */
    public AnswerOptions maxAnswerTokens(Long maxAnswerTokens) {
      set("max_answer_tokens", maxAnswerTokens);
      return this;
    }

    /** The answer may be "", which says that the context has none. */
    public AnswerOptions noAnswer(Boolean noAnswer) {
      set("no_answer", noAnswer);
      return this;
    }

    /** The number of tokens in a window, at most as many as the model reads. Default: 384. */
    public AnswerOptions windowTokens(Long windowTokens) {
      set("window_tokens", windowTokens);
      return this;
    }

    /** An answer consists of whole words. Default: true. */
    public AnswerOptions alignToWords(Boolean alignToWords) {
      set("align_to_words", alignToWords);
      return this;
    }

    /**
     * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
     * all of it in windows, error refuses it. Default: windows.
     */
    public AnswerOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next window. */
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
     * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
     * all of it in windows, error refuses it. Default: cut.
     */
    public NextSentenceOptions longText(CutOrError longText) {
      set("long_text", longText);
      return this;
    }

    @Override Double output(List<Item> items, String text) {
      return items.isEmpty() ? 0.0 : items.get(0).score();
    }
  }

  /** How well each text continues the given one. */
  public static final class ChooseOptions extends Task<Double> {
    public ChooseOptions() {
      super("choose");
    }

    /** The text that each input may continue. Required. */
    public ChooseOptions text(String text) {
      set("text", text);
      return this;
    }

    /**
     * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
     * all of it in windows, error refuses it. Default: cut.
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

    /** The query that the documents are scored for. Required. */
    public RerankOptions query(String query) {
      set("query", query);
      return this;
    }

    /** The name of the model's prompt that is put before each text. Not beside promptText. */
    public RerankOptions prompt(String prompt) {
      set("prompt", prompt);
      return this;
    }

    /** A prompt of your own that is put before each text. */
    public RerankOptions promptText(String promptText) {
      set("prompt_text", promptText);
      return this;
    }

    /** For a classifier with two labels, the label whose score counts: by default the one called relevant. */
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
     * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
     * all of it in windows, error refuses it. Default: cut.
     */
    public RerankOptions longText(LongText longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next window. */
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

    /** The kinds of entities to find, for a model that reads labels (GLiNER). */
    public RedactOptions labels(List<String> labels) {
      set("labels", labels);
      return this;
    }

    /**
     * LABEL=EXPRESSION: each match of the regular expression (Oniguruma's syntax) is replaced as a part with this
     * label.
     */
    public RedactOptions expressions(List<String> expressions) {
      set("expressions", expressions);
      return this;
    }

    /** The labels of the entities to replace: by default all. */
    public RedactOptions only(List<String> only) {
      set("only", only);
      return this;
    }

    /** The score that an entity must exceed: by default 0.5 for a model that reads labels, 0 for others. */
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
     * The letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end) and
     * S- (single), bilou L- (last) and U- (unit); auto finds out by the labels. Default: auto. Not beside labels.
     */
    public RedactOptions scheme(Scheme scheme) {
      set("scheme", scheme);
      return this;
    }

    /**
     * What replaces a part; &#123;label} is the label of the part, &#123;hash} a digest of its text by the key.
     * Default: "&lt;&#123;label}&gt;".
     */
    public RedactOptions replace(String replace) {
      set("replace", replace);
      return this;
    }

    /** A character that replaces each character of a part. Not beside replace. */
    public RedactOptions mask(String mask) {
      set("mask", mask);
      return this;
    }

    /** The key of &#123;hash}, at least 16 bytes; &#123;hash} is the first 32 digits of HMAC-SHA-256. */
    public RedactOptions key(String key) {
      set("key", key);
      return this;
    }

    /**
     * What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows reads
     * all of it in windows, error refuses it. Default: windows.
     */
    public RedactOptions longText(WindowsOrError longText) {
      set("long_text", longText);
      return this;
    }

    /** The number of tokens that a window of a long text shares with the next window. */
    public RedactOptions stride(Long stride) {
      set("stride", stride);
      return this;
    }

    @Override Task.Redacted output(List<Item> items, String text) {
      return new Redacted(text, list(items, item -> new Part(item.text(), item.start(), item.end())));
    }
  }
}
