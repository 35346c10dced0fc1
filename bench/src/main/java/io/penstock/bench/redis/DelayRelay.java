package io.penstock.bench.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A network with a round trip time: relays connections from a port of the loopback interface to a
 * server on another, and holds the bytes for half the round trip time in each direction.
 * Thread-safe.
 */
final class DelayRelay implements AutoCloseable {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final Path CURRENT_THREAD = Path.of("/proc/thread-self");
  private static final String TIMER_SLACK_NANOS = "1000";

  private final InetSocketAddress server;
  private final ServerSocketChannel listener;
  private final List<SocketChannel> channels = new CopyOnWriteArrayList<>();
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private volatile long holdNanos;

  DelayRelay(int serverPort) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    this.server = new InetSocketAddress(loopback, serverPort);
    this.listener = ServerSocketChannel.open().bind(new InetSocketAddress(loopback, 0));
    Thread acceptor = new Thread(this::acceptAll, "relay-acceptor");
    acceptor.setDaemon(true);
    acceptor.start();
  }

  int port() {
    return listener.socket().getLocalPort();
  }

  String url() {
    return "redis://127.0.0.1:" + port();
  }

  /** Sets the round trip time of bytes that arrive from now on. */
  void roundTrip(Duration time) {
    holdNanos = time.toNanos() / 2;
  }

  /** Returns the CPU time that the open connections have used. */
  double cpuMicros() {
    threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
    return threads.stream()
            .mapToLong(thread -> Math.max(0, THREADS.getThreadCpuTime(thread.getId())))
            .sum()
        / 1e3;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (SocketChannel channel : channels) {
      channel.close();
    }
  }

  private void acceptAll() {
    reduceTimerSlack();
    try {
      while (true) {
        relay(listener.accept());
      }
    } catch (IOException failed) {
      if (listener.isOpen()) {
        throw new UncheckedIOException("the relay cannot accept connections", failed);
      }
    }
  }

  private void relay(SocketChannel client) throws IOException {
    channels.removeIf(channel -> !channel.isOpen());
    SocketChannel upstream = SocketChannel.open(server);
    for (SocketChannel channel : List.of(client, upstream)) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channels.add(channel);
    }
    DelayLine requests = new DelayLine("requests", client, upstream, () -> holdNanos);
    DelayLine responses = new DelayLine("responses", upstream, client, () -> holdNanos);
    for (DelayLine line : List.of(requests, responses)) {
      threads.addAll(line.threads());
      line.start();
    }
  }

  /**
   * Makes timed waits precise, for this thread and the threads that it starts. By default, Linux
   * ends them up to 50 µs late.
   */
  private static void reduceTimerSlack() {
    if (!Files.exists(CURRENT_THREAD)) {
      return;
    }
    try {
      // The file exists for every thread, but only in a folder of /proc that is not listed.
      Path tid = Files.readSymbolicLink(CURRENT_THREAD).getFileName();
      Path slack = Path.of("/proc").resolve(tid).resolve("timerslack_ns");
      Files.writeString(slack, TIMER_SLACK_NANOS, StandardOpenOption.WRITE);
    } catch (IOException failed) {
      System.err.println("the relay holds bytes up to 50 µs too long: " + failed);
    }
  }
}
