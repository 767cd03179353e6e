package bertinfer;

import static bertinfer.Arena.C;
import static bertinfer.Arena.check;

import java.util.List;
import java.util.ArrayList;
import java.util.function.LongFunction;

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
      return made(arena, index -> C.callInt("bert_index_create", rows, options, index));
    }
  }

  /** Maps a file that {@link #write} or the program's search --index wrote. */
  public static Index open(String file) {
    try (Arena arena = new Arena()) {
      return made(arena, index -> C.callInt("bert_index_open", arena.name(file), 0L, index));
    }
  }

  public static void write(String file, List<float[]> vectors, Scan scan, String label) {
    try (Arena arena = new Arena()) {
      long options = arena.options(scan.ordinal(), 0L, arena.name(label));
      check(C.callInt("bert_index_write", arena.name(file), rows(arena, vectors), options));
    }
  }

  private static Index made(Arena arena, LongFunction<Integer> call) {
    long index = arena.zeroed(8);
    check(call.apply(index));
    return new Index(Arena.readLong(index));
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
        long most = Math.max(0, Math.min(top, C.callLong("bert_index_rows", index)));
        long given = arena.allocate(4L * query.length), hits = arena.allocate(16 * most), found = arena.zeroed(8);
        C.write(given, query);
        check(C.callInt("bert_index_search", index, given, most, hits, found));
        List<Hit> made = new ArrayList<>();
        for (long i = 0; i < Arena.readLong(found); ++i) {
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
      long first = arena.allocate(4L * a.length), second = arena.allocate(4L * b.length), cosine = arena.zeroed(8);
      C.write(first, a);
      C.write(second, b);
      check(C.callInt("bert_cosine_similarity", first, second, (long) a.length, cosine));
      return C.doubles(cosine, 1)[0];
    }
  }

  /** Returns the sum, over the query's vectors, of the largest dot product of each with a vector of the document. */
  public static double maxSim(Model.PartVectors query, Model.PartVectors document) {
    try (Arena arena = new Arena()) {
      Native.Rows[] rows = new Native.Rows[2];
      for (int i = 0; i < 2; ++i) {
        Model.PartVectors one = i == 0 ? query : document;
        long data = arena.allocate(4L * one.data().length);
        C.write(data, one.data());
        rows[i] = new Native.Rows(data, one.data().length / Math.max(1, one.size()), one.size());
      }
      long score = arena.zeroed(8);
      check(C.callInt("bert_max_sim", rows[0], rows[1], score));
      return C.doubles(score, 1)[0];
    }
  }
}
