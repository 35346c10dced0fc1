package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.google.protobuf.ByteString;
import io.netty.handler.codec.http2.Http2Headers;
import io.penstock.server.proxy.Http2Frames.Frame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * An HTTP/2 origin that follows the plan of each request. It mixes the frames of concurrent
 * responses, and checks that every stream is exactly one request.
 */
final class PoolHttp2Origin implements AutoCloseable {
  private static final int BACKLOG = 200;
  private static final int END_HEADERS = 4;

  private final ServerSocket server =
      new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  private final PoolTally tally;
  private final long seed;

  /** A request, and the frames of its response that have not been sent. */
  private static final class PoolStream {
    final int id;
    final PoolPlan plan;
    final StringBuilder body = new StringBuilder();
    Deque<PoolFrame> response = new ArrayDeque<>();

    PoolStream(int id, PoolPlan plan) {
      this.id = id;
      this.plan = plan;
    }
  }

  /** A frame to send. */
  private record PoolFrame(int type, boolean ends, ByteString payload) {
    static PoolFrame head(boolean ends, String... fields) {
      return new PoolFrame(
          Http2Frames.HEADERS, ends, ByteString.copyFrom(Http2Frames.block(fields)));
    }

    static PoolFrame data(boolean ends, String text) {
      return new PoolFrame(Http2Frames.DATA, ends, ByteString.copyFrom(text, ISO_8859_1));
    }
  }

  PoolHttp2Origin(PoolTally tally, long seed) throws IOException {
    this.tally = tally;
    this.seed = seed;
    start(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort();
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "pool-origin");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        socket.setSoTimeout(PoolClient.PATIENCE_MILLIS);
        start(() -> serve(socket));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      new PoolConnection(Http2Frames.server(socket)).serve();
    } catch (IOException closed) {
      // The proxy may close the connection at any time.
    }
  }

  /** One connection. */
  private final class PoolConnection {
    private final Http2Frames frames;
    private final PoolHttp2Peer peer;
    private final SplittableRandom random = new SplittableRandom(seed);
    private final Map<Integer, PoolStream> open = new HashMap<>();
    private final List<PoolStream> responding = new ArrayList<>();
    private boolean closes;

    PoolConnection(Http2Frames frames) {
      this.frames = frames;
      this.peer = new PoolHttp2Peer(frames);
    }

    void serve() throws IOException {
      while (!closes) {
        PoolStream next =
            responding.isEmpty() ? null : responding.get(random.nextInt(responding.size()));
        boolean reads =
            next == null
                || frames.socket().getInputStream().available() > 0
                || next.response.element().payload.size() > peer.window();
        if (!reads) {
          respond(next);
          continue;
        }
        // Waiting for a frame of a stream here would delay the responses that can be sent: the
        // proxy
        // may have nothing more to send until it has them.
        Frame frame = peer.any();
        if (frame == null || frame.type() == Http2Frames.GO_AWAY) {
          return;
        }
        if (PoolHttp2Peer.concernsStreams(frame)) {
          receive(frame);
        }
      }
    }

    private void receive(Frame frame) throws IOException {
      Http2Headers fields = frame.type() == Http2Frames.HEADERS ? peer.fields(frame) : null;
      PoolStream stream = open.get(frame.stream());
      if (frame.type() == Http2Frames.RESET) {
        open.remove(frame.stream());
        responding.remove(stream);
        return;
      }
      if (fields != null) {
        stream = begin(frame.stream(), fields);
      } else if (stream != null) {
        stream.body.append(ISO_8859_1.decode(frame.payload()));
      }
      if (stream == null) {
        return;
      }
      boolean ends = PoolHttp2Peer.ends(frame);
      String body = stream.plan.posts ? stream.plan.requestBody() : "";
      if (!(ends ? body.contentEquals(stream.body) : body.startsWith(stream.body.toString()))) {
        tally.violation("the origin got another body with " + stream.plan + ": " + stream.body);
      }
      if (ends ? !stream.plan.answersEarly : fields != null && stream.plan.answersEarly) {
        stream.response.addAll(response(stream.plan));
        responding.add(stream);
      } else if (ends && stream.response.isEmpty() && fields != null) {
        // An early response to a request without a body.
        stream.response.addAll(response(stream.plan));
        responding.add(stream);
      } else if (fields != null && stream.plan.expects) {
        frames.head(stream.id, false, ":status", "100");
      }
    }

    private PoolStream begin(int id, Http2Headers fields) {
      String tag = String.valueOf(fields.get("x-tag"));
      if (open.containsKey(id) || !tag.matches("t\\d+;")) {
        tally.violation("the origin got no request on stream " + id + ": " + fields);
        closes = true;
        return null;
      }
      PoolPlan plan = tally.plan(Long.parseLong(tag.substring(1, tag.length() - 1)));
      if (!String.valueOf(fields.path()).equals("/" + plan.exchange)) {
        tally.violation("the origin got parts of two requests: " + fields);
      }
      PoolStream stream = new PoolStream(id, plan);
      open.put(id, stream);
      return stream;
    }

    private void respond(PoolStream stream) throws IOException {
      PoolFrame frame = stream.response.remove();
      byte[] payload = frame.payload.toByteArray();
      if (frame.type == Http2Frames.DATA) {
        peer.data(stream.id, frame.ends, payload);
      } else if (frame.type == Http2Frames.HEADERS) {
        frames.write(
            frame.type,
            END_HEADERS | (frame.ends ? Http2Frames.END_STREAM : 0),
            stream.id,
            payload);
      } else {
        frames.write(frame.type, 0, stream.id, payload);
      }
      if (stream.response.isEmpty()) {
        responding.remove(stream);
        closes |= stream.plan.fault == PoolPlan.Fault.GARBAGE;
      }
    }
  }

  /** Returns the frames of a response. */
  private List<PoolFrame> response(PoolPlan plan) {
    List<PoolFrame> frames = new ArrayList<>();
    for (int status : plan.interim) {
      frames.add(PoolFrame.head(false, ":status", Integer.toString(status), "x-tag", plan.tag));
    }
    switch (plan.fault) {
      case CLOSE_BEFORE -> frames.add(reset());
      case BAD_STATUS -> frames.add(PoolFrame.head(true, ":status", "99999", "x-tag", plan.tag));
      case UNASKED_SWITCH -> frames.add(PoolFrame.head(true, ":status", "101", "x-tag", plan.tag));
      case LENGTH_AND_CHUNKS -> {
        int more = plan.body().length() + 1;
        frames.add(PoolFrame.head(false, ok(plan, "content-length", Integer.toString(more))));
        frames.add(PoolFrame.data(true, plan.body()));
      }
      case CLOSE_WITHIN, BAD_CHUNK -> {
        frames.add(PoolFrame.head(false, ok(plan)));
        frames.add(PoolFrame.data(false, plan.body().substring(0, plan.body().length() / 2)));
        frames.add(reset());
      }
      default -> frames.addAll(whole(plan));
    }
    switch (plan.fault) {
      case SURPLUS_TEXT, SURPLUS_LINE -> frames.add(PoolFrame.data(false, "evil" + plan.tag));
      case SURPLUS_RESPONSE, SURPLUS_PART_OF_A_HEAD ->
          frames.add(PoolFrame.head(true, ok(plan, "x-evil", plan.tag)));
      case SURPLUS_INTERIM ->
          frames.add(PoolFrame.head(false, ":status", "102", "x-evil", plan.tag));
      default -> {
        // Nothing follows.
      }
    }
    if (plan.fault.isSurplus()) {
      tally.sentSurplus();
    }
    return frames;
  }

  private static PoolFrame reset() {
    return new PoolFrame(Http2Frames.RESET, false, ByteString.copyFrom(new byte[] {0, 0, 0, 2}));
  }

  private static String[] ok(PoolPlan plan, String... more) {
    List<String> fields = new ArrayList<>(List.of(":status", "200", "x-tag", plan.tag));
    fields.addAll(List.of(more));
    return fields.toArray(String[]::new);
  }

  private static List<PoolFrame> whole(PoolPlan plan) {
    if (!plan.hasBody()) {
      String status =
          plan.framing == PoolPlan.Framing.NO_CONTENT
              ? "204"
              : plan.framing == PoolPlan.Framing.NOT_MODIFIED ? "304" : "200";
      return List.of(PoolFrame.head(true, ":status", status, "x-tag", plan.tag));
    }
    List<PoolFrame> frames = new ArrayList<>();
    boolean trailer = plan.framing == PoolPlan.Framing.CHUNKED_WITH_TRAILER;
    frames.add(
        PoolFrame.head(
            false,
            plan.framing == PoolPlan.Framing.LENGTH
                ? ok(plan, "content-length", Integer.toString(plan.body().length()))
                : ok(plan)));
    int half = plan.splits ? plan.body().length() / 2 : 0;
    frames.add(PoolFrame.data(false, plan.body().substring(0, half)));
    frames.add(PoolFrame.data(!trailer, plan.body().substring(half)));
    if (trailer) {
      frames.add(PoolFrame.head(true, "x-trailer", plan.tag));
    }
    return frames;
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
