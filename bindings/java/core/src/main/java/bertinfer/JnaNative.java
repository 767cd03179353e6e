package bertinfer;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Function;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Calls the library by JNA. */
final class JnaNative implements Native {
  /** A bert_vector_rows. */
  @Structure.FieldOrder({"data", "count", "size"})
  public static final class RowsValue extends Structure implements Structure.ByValue {
    public Pointer data;
    public long count;
    public long size;
  }

  private interface Progress extends Callback {
    int call(long number, long texts, long tokens);
  }

  private static final Progress PROGRESS = (number, texts, tokens) -> Cancellation.goesOn(number) ? 1 : 0;

  private final NativeLibrary library;
  private final Map<String, Function> functions = new ConcurrentHashMap<>();
  private final long progress = Pointer.nativeValue(CallbackReference.getFunctionPointer(PROGRESS));

  JnaNative(String path) {
    library = NativeLibrary.getInstance(path);
  }

  private Function function(String name) {
    Function known = functions.get(name);
    return known != null ? known : functions.computeIfAbsent(name, library::getFunction);
  }

  private static Object[] given(Object[] arguments) {
    for (int i = 0; i < arguments.length; ++i) {
      if (arguments[i] instanceof Rows rows) {
        RowsValue value = new RowsValue();
        value.data = new Pointer(rows.data());
        value.count = rows.count();
        value.size = rows.size();
        arguments[i] = value;
      }
    }
    return arguments;
  }

  @Override public int callInt(String name, Object... arguments) {
    return function(name).invokeInt(given(arguments));
  }

  @Override public long callLong(String name, Object... arguments) {
    return function(name).invokeLong(given(arguments));
  }

  @Override public long progress() {
    return progress;
  }

  @Override public long allocate(long bytes) {
    long memory = com.sun.jna.Native.malloc(Math.max(bytes, 1));
    if (memory == 0) throw new OutOfMemoryError(bytes + " bytes of C's memory");
    return memory;
  }

  @Override public void free(long memory) {
    com.sun.jna.Native.free(memory);
  }

  @Override public void write(long memory, byte[] bytes) {
    new Pointer(memory).write(0, bytes, 0, bytes.length);
  }

  @Override public void write(long memory, float[] values) {
    new Pointer(memory).write(0, values, 0, values.length);
  }

  @Override public void write(long memory, int[] values) {
    new Pointer(memory).write(0, values, 0, values.length);
  }

  @Override public byte[] bytes(long memory, long count) {
    return memory == 0 ? new byte[0] : new Pointer(memory).getByteArray(0, Math.toIntExact(count));
  }

  @Override public float[] floats(long memory, long count) {
    return memory == 0 ? new float[0] : new Pointer(memory).getFloatArray(0, Math.toIntExact(count));
  }

  @Override public double[] doubles(long memory, long count) {
    return memory == 0 ? new double[0] : new Pointer(memory).getDoubleArray(0, Math.toIntExact(count));
  }

  @Override public int[] ints(long memory, long count) {
    return memory == 0 ? new int[0] : new Pointer(memory).getIntArray(0, Math.toIntExact(count));
  }

  @Override public long[] longs(long memory, long count) {
    return memory == 0 ? new long[0] : new Pointer(memory).getLongArray(0, Math.toIntExact(count));
  }

  @Override public String text(long memory) {
    return memory == 0 ? null : new Pointer(memory).getString(0, "UTF-8");
  }
}
