package bertinfer;

/**
 * Calls functions of the C library and accesses memory of C. Arguments are Long (a pointer or a size_t), Integer, or
 * Rows. It is implemented with JNA; the Foreign Function API could replace it.
 */
interface Native {
  /** A bert_vector_rows, which is passed by value. */
  record Rows(long data, long count, long size) {}

  /** Calls a function that returns an int or nothing. */
  int callInt(String function, Object... arguments);

  /** Calls a function that returns a pointer or a size_t. */
  long callLong(String function, Object... arguments);

  /** Returns a bert_progress that asks the cancellation whose number is the context. */
  long progress();

  long allocate(long bytes);

  void free(long memory);

  void write(long memory, byte[] bytes);

  byte[] bytes(long memory, long count);

  float[] floats(long memory, long count);

  double[] doubles(long memory, long count);

  int[] ints(long memory, long count);

  long[] longs(long memory, long count);

  void write(long memory, float[] values);

  void write(long memory, int[] values);

  /** Returns a text that ends with a zero byte; null for a null pointer. */
  String text(long memory);
}
