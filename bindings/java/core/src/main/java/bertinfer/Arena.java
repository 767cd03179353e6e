package bertinfer;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.LongToIntFunction;

/** Memory of C for the duration of one call. */
final class Arena implements AutoCloseable {
  static final Native C = NativeLibraries.LIBRARY;
  static final int OK = 0;
  static final int TOO_SMALL = BertException.Status.BUFFER_TOO_SMALL.ordinal();

  private final List<Long> blocks = new ArrayList<>();

  static void check(int status) {
    if (status != OK) throw new BertException(status, C.text(C.callLong("bert_error_message")));
  }

  long allocate(long bytes) {
    long block = C.allocate(bytes);
    blocks.add(block);
    return block;
  }

  long zeroed(int bytes) {
    return bytes(new byte[bytes]);
  }

  long bytes(byte[] values) {
    long block = allocate(values.length);
    C.write(block, values);
    return block;
  }

  long floats(float[] values) {
    long block = allocate(4L * values.length);
    C.write(block, values);
    return block;
  }

  long ints(int[] values) {
    long block = allocate(4L * values.length);
    C.write(block, values);
    return block;
  }

  /** Returns the pointer or the number that a call writes to the address that it is given. */
  long result(LongToIntFunction call) {
    long memory = zeroed(8);
    check(call.applyAsInt(memory));
    return readLong(memory);
  }

  /** Writes values in C's layout: an Integer in 4 bytes, a Long in 8. */
  static byte[] laidOut(Object... values) {
    ByteBuffer buffer = ByteBuffer.allocate(8 * values.length).order(ByteOrder.nativeOrder());
    for (Object value : values) {
      if (value instanceof Integer number) {
        buffer.putInt(number);
      } else {
        buffer.position((buffer.position() + 7) / 8 * 8).putLong((Long) value);
      }
    }
    return Arrays.copyOf(buffer.array(), (buffer.position() + 7) / 8 * 8);
  }

  long fields(Object... values) {
    return bytes(laidOut(values));
  }

  /** Makes a structure that begins with struct_bytes. A later version of the library takes the missing fields as 0. */
  long options(Object... values) {
    Object[] all = new Object[values.length + 1];
    all[0] = 0L;
    System.arraycopy(values, 0, all, 1, values.length);
    byte[] bytes = laidOut(all);
    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putLong(0, bytes.length);
    return bytes(bytes);
  }

  /** A UTF-8 text in C's memory. */
  record Text(long data, long bytes) {}

  /** Returns the number, which the library takes as one without a sign. */
  static long checkSize(String name, long value) {
    if (value >= 0) return value;
    throw new BertException(BertException.Status.INVALID_ARGUMENT, name + ": found " + value + ", expected at least 0");
  }

  Text text(String text) {
    byte[] bytes = utf8(text);
    return new Text(bytes(bytes), bytes.length);
  }

  Text textOrNone(String text) {
    return text == null ? new Text(0, 0) : text(text);
  }

  /** Returns the address of a text that ends with a zero byte; 0 for null. */
  long name(String text) {
    if (text == null) return 0;
    if (text.indexOf('\0') >= 0) {
      throw new BertException(BertException.Status.INVALID_ARGUMENT, "a text has a zero byte, expected none");
    }
    return bytes(utf8(text + '\0'));
  }

  static byte[] utf8(String text) {
    Objects.requireNonNull(text, "a text is null, expected a String");
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException error) {
      throw new BertException(BertException.Status.INVALID_TEXT, "a text has half of a surrogate pair");
    }
  }

  static String string(long data, long bytes) {
    return new String(C.bytes(data, bytes), StandardCharsets.UTF_8);
  }

  static long readLong(long memory) {
    return C.longs(memory, 1)[0];
  }

  @Override public void close() {
    blocks.forEach(C::free);
  }
}
