package bertinfer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ends a call over many texts from another thread, between two forward passes: the call throws a BertException with
 * status CANCELLED. An interrupt of the thread that made the call does the same.
 */
public final class Cancellation {
  private static final Map<Long, Cancellation> RUNNING = new ConcurrentHashMap<>();
  private static final AtomicLong LAST = new AtomicLong();

  private volatile boolean isCancelled;

  public void cancel() {
    isCancelled = true;
  }

  public boolean isCancelled() {
    return isCancelled;
  }

  static boolean goesOn(long number) {
    Cancellation one = RUNNING.get(number);
    return !(Thread.currentThread().isInterrupted() || one != null && one.isCancelled);
  }

  /** The number of a call, by which the library asks. */
  static long begin(Cancellation given) {
    long number = LAST.incrementAndGet();
    if (given != null) RUNNING.put(number, given);
    return number;
  }

  static void end(long number) {
    RUNNING.remove(number);
  }
}
