package bertinfer;

/**
 * Calls of the C library and memory of C. Arguments are Long (a pointer or a size_t), Integer, or Rows. JNA is behind
 * it; the Foreign Function API can be.
 */
interface Native {
  /** A bert_vector_rows, which is given by value. */
  record Rows(long data, long count, long size) {}

  /** Of a function that returns an int or nothing. */
  int callInt(String function, Object... arguments);

  /** Of a function that returns a pointer or a size_t. */
  long callLong(String function, Object... arguments);

  /** A bert_progress, which asks the cancellation whose number is the context. */
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

  /** A text that ends with a zero byte; null for a null pointer. */
  String text(long memory);
}
