package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;

/** A client that sends concurrent requests over HTTP/2 and checks every byte of the responses. */
final class PoolHttp2Client implements Callable<Void> {
  private static final int MAX_BATCH = 12;

  private final int port;
  private final PoolTally tally;
  private final SplittableRandom random;
  private long left;

  /** A request and what has been received for it. */
  private static final class PoolStream {
    final PoolPlan plan;
    final StringBuilder body = new StringBuilder();
    String status = "";
    boolean own;
    boolean continued;

    PoolStream(PoolPlan plan) {
      this.plan = plan;
      this.continued = !plan.expects;
    }
  }

  PoolHttp2Client(int port, PoolTally tally, long seed, long exchanges) {
    this.port = port;
    this.tally = tally;
    this.random = new SplittableRandom(seed);
    this.left = exchanges;
  }

  @Override
  public Void call() throws IOException {
    while (left > 0 && tally.violations().isEmpty()) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.setSoTimeout(PoolClient.PATIENCE_MILLIS);
        new PoolConnection(new Http2Frames(socket)).use();
      } catch (SocketException closed) {
        // The next connection continues.
      }
    }
    return null;
  }

  /** One connection. */
  private final class PoolConnection {
    private final Http2Frames frames;
    private final PoolHttp2Peer peer;
    private final Map<Integer, PoolStream> open = new HashMap<>();
    private int nextStream = 1;
    private long sinceNanos;

    PoolConnection(Http2Frames frames) {
      this.frames = frames;
      this.peer = new PoolHttp2Peer(frames);
    }

    void use() throws IOException {
      try {
        boolean usable = true;
        while (usable && left > 0 && tally.violations().isEmpty()) {
          send();
          usable = receive();
        }
      } catch (SocketTimeoutException stuck) {
        tally.violation("nothing came for " + plans());
      } finally {
        open.values().forEach(stream -> tally.brokeOff());
      }
    }

    private List<PoolPlan> plans() {
      List<PoolPlan> plans = new ArrayList<>();
      open.values().forEach(stream -> plans.add(stream.plan));
      return plans;
    }

    private void send() throws IOException {
      sinceNanos = System.nanoTime();
      long size = Math.min(left, 1 + random.nextInt(MAX_BATCH));
      List<Integer> leaving = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        PoolPlan plan = tally.next();
        left--;
        int stream = nextStream;
        nextStream += 2;
        open.put(stream, new PoolStream(plan));
        frames.head(stream, !plan.posts, plan.fields());
        if (plan.posts && !plan.expects) {
          sendBody(stream, plan);
        }
        if (plan.clientLeaves) {
          leaving.add(stream);
        }
      }
      for (int stream : leaving) {
        frames.reset(stream);
        open.remove(stream);
        tally.brokeOff();
      }
    }

    private void sendBody(int stream, PoolPlan plan) throws IOException {
      peer.data(stream, true, plan.requestBody().getBytes(ISO_8859_1));
    }

    /** Receives the responses to all open streams; returns whether the connection is usable. */
    private boolean receive() throws IOException {
      boolean goingAway = false;
      while (!open.isEmpty()) {
        Frame frame = peer.next();
        if (frame == null) {
          if (System.nanoTime() - sinceNanos > PoolClient.FORGOTTEN_NANOS) {
            tally.violation("no answer, and closed when idle, for " + plans());
          }
          return false;
        }
        sinceNanos = System.nanoTime();
        goingAway |= frame.type() == Http2Frames.GO_AWAY;
        accept(frame);
      }
      return !goingAway;
    }

    private void accept(Frame frame) throws IOException {
      Http2Headers fields = frame.type() == Http2Frames.HEADERS ? peer.fields(frame) : null;
      PoolStream stream = open.get(frame.stream());
      if (stream == null) {
        // Of a stream that this client has reset.
        return;
      }
      if (frame.type() == Http2Frames.RESET) {
        open.remove(frame.stream());
        tally.brokeOff();
        return;
      }
      if (fields != null) {
        accept(fields, frame.stream(), stream);
      } else {
        stream.body.append(ISO_8859_1.decode(frame.payload()));
        if (stream.own && !stream.plan.body().startsWith(stream.body.toString())) {
          tally.violation("another body for " + stream.plan + ": " + stream.body);
        }
      }
      if (PoolHttp2Peer.ends(frame)) {
        open.remove(frame.stream());
        end(stream);
      }
    }

    private void accept(Http2Headers fields, int id, PoolStream stream) throws IOException {
      StringBuilder text = new StringBuilder();
      fields.forEach(field -> text.append(field).append('\n'));
      tally.check(stream.plan, text.toString());
      String status = fields.status() == null ? "" : fields.status().toString();
      if (status.startsWith("1")) {
        tally.gotInterim();
        if (status.equals("100") && !stream.continued) {
          stream.continued = true;
          sendBody(id, stream.plan);
        }
      } else if (!status.isEmpty()) {
        stream.status = status;
        stream.own = fields.contains("x-tag");
        if (!stream.continued) {
          // The body is not expected any more.
          stream.continued = true;
          peer.data(id, true, new byte[0]);
        }
      }
    }

    private void end(PoolStream stream) {
      PoolPlan plan = stream.plan;
      tally.check(plan, stream.body.toString());
      if (stream.own) {
        if (plan.hasBody() && stream.body.length() != plan.body().length()) {
          tally.violation("a body cut short looks whole for " + plan + ": " + stream.body);
        }
        tally.gotWhole();
      } else {
        if (!stream.status.startsWith("50")) {
          tally.violation("neither a response nor an error for " + plan + ": " + stream.status);
        }
        tally.gotError();
      }
    }
  }
}
