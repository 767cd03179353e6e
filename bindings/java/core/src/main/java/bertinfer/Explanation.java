package bertinfer;

import static bertinfer.Arena.C;

import java.util.ArrayList;
import java.util.List;

/**
 * Explains scores: each is the sum of its terms and a remainder. The shape of terms is [first, second] for token pairs
 * and matches, [entries] for entries, and [first and then second, scores] for words left out. The parts are tokens,
 * words, or entries of the vocabulary; an entry's score is its weight in the text.
 */
public record Explanation(Kind kind, String function, List<Score> scores, List<Task.Item> first,
    List<Task.Item> second, double[] terms) {
  /** The kind of the terms. */
  public enum Kind { TOKEN_PAIRS, ENTRIES, MATCHES, WORDS_LEFT_OUT }

  /** The kind of vectors that a similarity compares. */
  public enum Vectors { DENSE, SPARSE, TOKENS }

  /** label: a classifier's label; "" for a similarity. */
  public record Score(String label, double score, double remainder) {}

  private static List<Task.Item> parts(long why, int which) {
    return Task.Item.read(C.callLong("bert_explanation_parts", why, which),
        C.callLong("bert_explanation_part_count", why, which));
  }

  static Explanation read(long why) {
    try {
      Kind kind = Kind.values()[C.callInt("bert_explanation_kind_of", why)];
      List<Task.Item> first = parts(why, 0), second = parts(why, 1);
      long outputs = C.callLong("bert_explanation_output_count", why);
      double[] remainders = C.doubles(C.callLong("bert_explanation_remainders", why), outputs);
      List<Score> scores = new ArrayList<>();
      for (Task.Item item : Task.Item.read(C.callLong("bert_explanation_outputs", why), outputs)) {
        scores.add(new Score(item.text(), item.score(), remainders[scores.size()]));
      }
      long terms = switch (kind) {
        case ENTRIES -> first.size();
        case WORDS_LEFT_OUT -> (first.size() + second.size()) * outputs;
        default -> (long) first.size() * second.size();
      };
      return new Explanation(kind, C.text(C.callLong("bert_explanation_function", why)), scores, first, second,
          C.doubles(C.callLong("bert_explanation_terms", why), terms));
    } finally {
      C.callInt("bert_explanation_free", why);
    }
  }
}
