package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;

/** A client that pipelines requests and checks every byte of the responses. */
final class PoolClient implements Callable<Void> {
  static final int PATIENCE_MILLIS = 120_000;

  /**
   * The proxy closes idle connections after a minute, including those of a request that it lost.
   */
  static final long FORGOTTEN_NANOS = 50_000_000_000L;

  private static final int MAX_BATCH = 12;

  private final int port;
  private final PoolTally tally;
  private final SplittableRandom random;
  private final long exchanges;

  PoolClient(int port, PoolTally tally, long seed, long exchanges) {
    this.port = port;
    this.tally = tally;
    this.random = new SplittableRandom(seed);
    this.exchanges = exchanges;
  }

  @Override
  public Void call() throws IOException {
    long left = exchanges;
    while (left > 0 && tally.violations().isEmpty()) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        PoolReader in = new PoolReader(socket.getInputStream());
        boolean open = true;
        while (open && left > 0 && tally.violations().isEmpty()) {
          List<PoolPlan> batch = batch(left);
          left -= batch.size();
          open = exchange(batch, socket, in);
        }
      }
    }
    return null;
  }

  /** Returns requests to send together. One that expects 100 (Continue) is the last. */
  private List<PoolPlan> batch(long left) {
    List<PoolPlan> batch = new ArrayList<>();
    long size = Math.min(left, 1 + random.nextInt(MAX_BATCH));
    while (batch.size() < size) {
      PoolPlan plan = tally.next();
      batch.add(plan);
      if (plan.expects) {
        break;
      }
    }
    return batch;
  }

  /** Returns whether the connection can be reused. */
  private boolean exchange(List<PoolPlan> batch, Socket socket, PoolReader in) {
    int done = 0;
    long sinceNanos = System.nanoTime();
    try {
      StringBuilder requests = new StringBuilder();
      for (PoolPlan plan : batch) {
        requests.append(plan.request()).append(plan.expects ? "" : plan.requestBytes());
      }
      socket.getOutputStream().write(requests.toString().getBytes(ISO_8859_1));
      for (PoolPlan plan : batch) {
        if (plan.clientLeaves) {
          return false;
        }
        boolean keeps = read(plan, socket, in);
        sinceNanos = System.nanoTime();
        done++;
        if (!keeps) {
          return false;
        }
      }
      return true;
    } catch (SocketTimeoutException stuck) {
      tally.violation("nothing came for " + batch.get(done));
      return false;
    } catch (EOFException | SocketException closed) {
      if (System.nanoTime() - sinceNanos > FORGOTTEN_NANOS) {
        tally.violation("no answer, and closed when idle, for " + batch.get(done));
      }
      return false;
    } catch (IOException | RuntimeException unreadable) {
      tally.violation("not HTTP for " + batch.get(done) + ": " + unreadable);
      return false;
    } finally {
      for (int i = done; i < batch.size(); i++) {
        tally.brokeOff();
      }
    }
  }

  private boolean read(PoolPlan plan, Socket socket, PoolReader in) throws IOException {
    boolean continued = !plan.expects;
    while (true) {
      String status = in.line();
      String head = in.head();
      tally.check(plan, status + "\n" + head);
      if (!status.startsWith("HTTP/1.1 1")) {
        return readFinal(plan, status, head, in) && continued;
      }
      if (!status.startsWith("HTTP/1.1 100")) {
        tally.gotInterim();
      } else if (!continued) {
        continued = true;
        socket.getOutputStream().write(plan.requestBytes().getBytes(ISO_8859_1));
      }
    }
  }

  private boolean readFinal(PoolPlan plan, String status, String head, PoolReader in)
      throws IOException {
    boolean own = !PoolReader.header(head, "X-Tag").isEmpty();
    StringBuilder body = new StringBuilder();
    String trailer = "";
    try {
      boolean hasBody = !plan.head && !status.contains(" 204") && !status.contains(" 304");
      if (hasBody && !PoolReader.header(head, "Transfer-Encoding").isEmpty()) {
        trailer = in.readChunks(body);
      } else if (hasBody) {
        in.read(Integer.parseInt(PoolReader.header(head, "Content-Length")), body);
      }
    } finally {
      if (own && !plan.body().startsWith(body.toString())) {
        tally.violation("another body for " + plan + ": " + body);
      }
    }
    tally.check(plan, trailer + body);
    if (own) {
      if (plan.hasBody() && body.length() != plan.body().length()) {
        tally.violation("a body cut short looks whole for " + plan + ": " + body);
      }
      tally.gotWhole();
    } else {
      if (!status.startsWith("HTTP/1.1 50")) {
        tally.violation("neither a response nor an error for " + plan + ": " + status + head);
      }
      tally.gotError();
    }
    return !PoolReader.header(head, "Connection").equalsIgnoreCase("close");
  }
}
