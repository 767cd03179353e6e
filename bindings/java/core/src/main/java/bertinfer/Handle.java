package bertinfer;

import java.lang.ref.Cleaner;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongFunction;

/** An object of the library. A call holds the lock, so that close waits for it. The garbage collector closes too. */
final class Handle implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();

  private static final class State implements Runnable {
    private final String free;
    private long pointer;

    State(String free, long pointer) {
      this.free = free;
      this.pointer = pointer;
    }

    @Override public void run() {
      if (pointer != 0) Arena.C.callInt(free, pointer);
      pointer = 0;
    }
  }

  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final State state;
  private final Cleaner.Cleanable cleanable;

  Handle(String free, long pointer) {
    state = new State(free, pointer);
    cleanable = CLEANER.register(this, state);
  }

  <R> R with(LongFunction<R> call) {
    lock.readLock().lock();
    try {
      if (state.pointer == 0) throw new IllegalStateException("closed");
      return call.apply(state.pointer);
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override public void close() {
    lock.writeLock().lock();
    try {
      cleanable.clean();
    } finally {
      lock.writeLock().unlock();
    }
  }
}
