package bertinfer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Ends a call over many texts from another thread, between two forward passes. The call throws a BertException with
 * status CANCELLED. Interrupting the thread that made the call does the same.
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

  /** Returns a number for a call; the library asks by this number whether the call goes on. */
  static long begin(Cancellation given) {
    long number = LAST.incrementAndGet();
    if (given != null) RUNNING.put(number, given);
    return number;
  }

  static void end(long number) {
    RUNNING.remove(number);
  }
}
