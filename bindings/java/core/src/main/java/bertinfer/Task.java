package bertinfer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A task with its options. It makes its result from the library's items. All tasks are in {@link Tasks}; {@link
 * Model#runJson} takes a task's name instead.
 */
public abstract class Task<R> {
  final String name;
  private final Map<String, Object> options = new LinkedHashMap<>();

  Task(String name) {
    this.name = name;
  }

  abstract R output(List<Item> items, String text);

  /** Sets an option; null is its default. */
  void set(String option, Object value) {
    options.put(option, value);
  }

  /** Returns the options as JSON. */
  @Override public String toString() {
    return json(options);
  }

  private static String json(Object value) {
    if (value instanceof Map<?, ?> map) {
      List<String> members = new ArrayList<>();
      map.forEach((name, one) -> members.add(json(name) + ":" + json(one)));
      return "{" + String.join(",", members) + "}";
    }
    if (value instanceof List<?> list) return "[" + String.join(",", list.stream().map(Task::json).toList()) + "]";
    if (value instanceof Enum<?> word) return json(word.name().toLowerCase(java.util.Locale.ROOT));
    if (!(value instanceof String text)) return String.valueOf(value);
    StringBuilder quoted = new StringBuilder("\"");
    for (char unit : text.toCharArray()) {
      if (unit < ' ' || unit == '"' || unit == '\\') {
        quoted.append(String.format("\\u%04x", (int) unit));
      } else {
        quoted.append(unit);
      }
    }
    return quoted.append('"').toString();
  }

  static <T> List<T> list(List<Item> items, Function<Item, T> one) {
    return items.stream().map(one).toList();
  }

  static List<List<Tasks.Candidate>> masks(List<Item> items) {
    List<List<Tasks.Candidate>> lists = new ArrayList<>();
    for (Item item : items) {
      while (lists.size() <= item.index()) lists.add(new ArrayList<>());
      lists.get((int) item.index()).add(new Tasks.Candidate(item.text(), item.id(), item.score()));
    }
    return lists;
  }

  /** A part of a result. Each task says which fields it sets. Places are in UTF-16 units. */
  public record Item(String text, double score, long index, int id, int start, int end) {
    private static final int BYTES = 56;

    static List<Item> read(long data, long count) {
      List<Item> items = new ArrayList<>();
      for (long i = 0; i < count; ++i, data += BYTES) {
        long[] words = Arena.C.longs(data, BYTES / 8);
        String text = Arena.string(words[0], words[1]);
        double score = Double.longBitsToDouble(words[2]);
        items.add(new Item(text, score, words[3], (int) words[4], (int) words[5], (int) words[6]));
      }
      return items;
    }
  }

  /** One input: a text, a text and its pair, or the words of a text instead of the text. */
  public record Input(String text, String pair, List<String> words) {
    public static Input of(String text) {
      return new Input(text, null, null);
    }

    public static Input of(String text, String pair) {
      return new Input(text, pair, null);
    }

    public static Input of(List<String> words) {
      return new Input(null, null, words);
    }
  }

  /** The result of an input, or its error. One of value and error is null. */
  public record Result<R>(R value, long truncatedTokens, BertException error) {
    /** Returns the value, or throws the error. */
    public R get() {
      if (error != null) throw error;
      return value;
    }
  }

  /** An input and its place in a ranking. */
  public record Ranked(int index, double score) {}

  /** A text with its names replaced. */
  public record Redacted(String text, List<Tasks.Part> replaced) {}
}
