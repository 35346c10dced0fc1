package io.penstock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A network that a test can break: forwards bytes between clients and a server, or drops or delays
 * them. Connections that lost bytes stay out of sync, as real ones would; {@link #reset} closes
 * them.
 */
final class FlakyProxy implements AutoCloseable {
  private final ServerSocket server;
  private final int target;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicLong accepted = new AtomicLong();
  private volatile boolean refusing;
  private volatile boolean losingRequests;
  private volatile boolean losingReplies;
  private volatile boolean keepingReplies;
  private volatile long delayNanos;
  private volatile String cutOff = "";

  FlakyProxy(int target) {
    this.target = target;
    try {
      this.server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  String url() {
    return "redis://127.0.0.1:" + server.getLocalPort();
  }

  int port() {
    return server.getLocalPort();
  }

  /** The number of connections that were opened so far. */
  long accepted() {
    return accepted.get();
  }

  /** The number of open connections. */
  long open() {
    return sockets.stream().filter(socket -> !socket.isClosed()).count() / 2;
  }

  /** Closes new connections immediately. */
  void refuse(boolean on) {
    refusing = on;
  }

  /** Drops all bytes in both directions without an error. */
  void lose(boolean on) {
    losingRequests = on;
    losingReplies = on;
  }

  void loseReplies(boolean on) {
    losingReplies = on;
  }

  /** Drops all bytes of connections from an address; none if it is empty. */
  void cutOff(String address) {
    cutOff = address;
  }

  /** Holds replies back until they are released. */
  void keepReplies(boolean on) {
    keepingReplies = on;
  }

  /** Delays every reply. */
  void delay(long millis) {
    delayNanos = millis * 1_000_000;
  }

  /** Resets all connections. */
  void reset() {
    for (Socket socket : sockets) {
      try {
        socket.setSoLinger(true, 0);
        socket.close();
      } catch (IOException alreadyClosed) {
        Thread.onSpinWait();
      }
    }
    sockets.removeIf(Socket::isClosed);
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        accepted.incrementAndGet();
        if (refusing) {
          client.close();
          continue;
        }
        Socket redis = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        redis.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(redis);
        daemon(() -> pass(client, redis, false));
        daemon(() -> pass(redis, client, true));
      } catch (IOException closedOrTargetAway) {
        Thread.onSpinWait();
      }
    }
  }

  private void pass(Socket from, Socket to, boolean replies) {
    byte[] bytes = new byte[1 << 16];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int size;
      while ((size = in.read(bytes)) >= 0) {
        if (replies) {
          hold();
        }
        Socket client = replies ? to : from;
        boolean cut = client.getInetAddress().getHostAddress().equals(cutOff);
        if (!cut && !(replies ? losingReplies : losingRequests)) {
          out.write(bytes, 0, size);
        }
      }
      to.close();
    } catch (IOException broken) {
      Thread.onSpinWait();
    } finally {
      try {
        from.close();
        if (!losingReplies) {
          to.close();
        }
      } catch (IOException alreadyClosed) {
        Thread.onSpinWait();
      }
    }
  }

  private void hold() {
    if (delayNanos > 0) {
      LockSupport.parkNanos(delayNanos);
    }
    while (keepingReplies && !server.isClosed()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "flaky-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    reset();
  }
}
