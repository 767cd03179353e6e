package bertinfer;

import static bertinfer.Arena.C;
import static bertinfer.Arena.check;

import java.util.List;
import java.util.ArrayList;

/** Exact search among vectors of length 1. Any number of threads may search at the same time. */
public final class Index implements AutoCloseable {
  /** The form of the rows that a search reads. */
  public enum Scan { FLOAT32, INT8, BINARY }

  /** A row and its dot product with the query. */
  public record Hit(long row, double score) {}

  private final Handle handle;

  private Index(long pointer) {
    handle = new Handle("bert_index_free", pointer);
  }

  /** Makes an index from a copy of the vectors. */
  public static Index of(List<float[]> vectors, Scan scan) {
    try (Arena arena = new Arena()) {
      Native.Rows rows = rows(arena, vectors);
      long options = arena.options(scan.ordinal(), 0L, 0L);
      return new Index(arena.result(index -> C.callInt("bert_index_create", rows, options, index)));
    }
  }

  /** Maps a file that {@link #write} or the program's search --index wrote. */
  public static Index open(String file) {
    try (Arena arena = new Arena()) {
      return new Index(arena.result(index -> C.callInt("bert_index_open", arena.name(file), 0L, index)));
    }
  }

  public static void write(String file, List<float[]> vectors, Scan scan, String label) {
    try (Arena arena = new Arena()) {
      long options = arena.options(scan.ordinal(), 0L, arena.name(label));
      check(C.callInt("bert_index_write", arena.name(file), rows(arena, vectors), options));
    }
  }

  private static Native.Rows rows(Arena arena, List<float[]> vectors) {
    int size = vectors.isEmpty() ? 0 : vectors.get(0).length;
    long data = arena.allocate(4L * size * vectors.size());
    long next = data;
    for (float[] vector : vectors) {
      sameSize(vector, size);
      C.write(next, vector);
      next += 4L * size;
    }
    return new Native.Rows(data, vectors.size(), size);
  }

  private static Native.Rows rows(Arena arena, Model.PartVectors vectors) {
    int size = vectors.size();
    return new Native.Rows(arena.floats(vectors.data()), vectors.data().length / Math.max(1, size), size);
  }

  private static void sameSize(float[] vector, long size) {
    if (vector.length == size) return;
    throw new BertException(BertException.Status.INVALID_ARGUMENT,
        "a vector of " + vector.length + " numbers, expected " + size);
  }

  public String label() {
    return handle.with(index -> C.text(C.callLong("bert_index_label", index)));
  }

  /** Returns the best rows for a query, at most top, best first. */
  public List<Hit> search(float[] query, long top) {
    return handle.with(index -> {
      try (Arena arena = new Arena()) {
        sameSize(query, C.callLong("bert_index_size", index));
        long most = Math.min(Arena.checkSize("top", top), C.callLong("bert_index_rows", index));
        long given = arena.floats(query), hits = arena.allocate(16 * most);
        long count = arena.result(found -> C.callInt("bert_index_search", index, given, most, hits, found));
        List<Hit> made = new ArrayList<>();
        for (long i = 0; i < count; ++i) {
          made.add(new Hit(Arena.readLong(hits + 16 * i), C.doubles(hits + 16 * i + 8, 1)[0]));
        }
        return made;
      }
    });
  }

  @Override public void close() {
    handle.close();
  }

  /** Returns the cosine of two vectors, summed in float64. */
  public static double cosine(float[] a, float[] b) {
    sameSize(b, a.length);
    try (Arena arena = new Arena()) {
      long first = arena.floats(a), second = arena.floats(b), size = a.length;
      return Double.longBitsToDouble(
          arena.result(cosine -> C.callInt("bert_cosine_similarity", first, second, size, cosine)));
    }
  }

  /** Returns the sum, over the query's vectors, of the largest dot product of each with a vector of the document. */
  public static double maxSim(Model.PartVectors query, Model.PartVectors document) {
    try (Arena arena = new Arena()) {
      Native.Rows first = rows(arena, query), second = rows(arena, document);
      return Double.longBitsToDouble(arena.result(score -> C.callInt("bert_max_sim", first, second, score)));
    }
  }
}
