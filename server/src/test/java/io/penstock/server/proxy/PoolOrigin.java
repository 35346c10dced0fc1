package io.penstock.server.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * An origin that follows the plan of each request, and checks that it receives exactly one request.
 */
final class PoolOrigin implements AutoCloseable {
  private static final int BACKLOG = 200;
  private static final int PATIENCE_MILLIS = 120_000;

  private final ServerSocket server =
      new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  private final PoolTally tally;

  PoolOrigin(PoolTally tally) throws IOException {
    this.tally = tally;
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
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(PATIENCE_MILLIS);
        start(() -> serve(socket));
      }
    } catch (IOException closed) {
      // The test is over.
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      PoolReader in = new PoolReader(socket.getInputStream());
      while (in.hasMore() && answer(in, socket)) {
        // One request after the other.
      }
    } catch (IOException closed) {
      // The proxy may close the connection at any time.
    }
  }

  /** Returns whether the connection is kept. */
  private boolean answer(PoolReader in, Socket socket) throws IOException {
    String line = in.line();
    String head = in.head();
    String tag = PoolReader.header(head, "X-Tag");
    if (!line.matches("(GET|HEAD|POST) /\\d+ HTTP/1\\.1") || !tag.matches("t\\d+;")) {
      tally.violation("the origin got no request: " + line + "\n" + head);
      return false;
    }
    PoolPlan plan = tally.plan(Long.parseLong(tag.substring(1, tag.length() - 1)));
    if (!plan.request().startsWith(line)) {
      tally.violation("the origin got parts of two requests: " + line + " with " + tag);
    }
    OutputStream out = socket.getOutputStream();
    if (plan.fault == PoolPlan.Fault.CLOSE_BEFORE) {
      return false;
    }
    if (!plan.answersEarly) {
      if (plan.expects) {
        out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(ISO_8859_1));
      }
      readBody(in, head, plan);
    }
    boolean keeps = respond(plan, socket, out);
    // A client that expects 100 (Continue) and gets a final response never sends its body, so it
    // would wait for a response that only closing ends.
    if (plan.answersEarly && (keeps || !plan.expects)) {
      readBody(in, head, plan);
    }
    if (plan.forbidsReuse()) {
      if (in.hasMore()) {
        tally.violation("the origin got a request behind " + plan + ": " + in.line());
      }
      return false;
    }
    return keeps;
  }

  private void readBody(PoolReader in, String head, PoolPlan plan) throws IOException {
    StringBuilder body = new StringBuilder();
    try {
      if (!PoolReader.header(head, "Transfer-Encoding").isEmpty()) {
        in.readChunks(body);
      } else if (!PoolReader.header(head, "Content-Length").isEmpty()) {
        in.read(Integer.parseInt(PoolReader.header(head, "Content-Length")), body);
      }
    } finally {
      if (!(plan.posts ? plan.requestBody() : "").startsWith(body.toString())) {
        tally.violation("the origin got another body with " + plan + ": " + body);
      }
    }
  }

  private boolean respond(PoolPlan plan, Socket socket, OutputStream out) throws IOException {
    byte[] bytes = plan.response().getBytes(ISO_8859_1);
    if (plan.fault == PoolPlan.Fault.CLOSE_WITHIN) {
      out.write(bytes, 0, bytes.length / 2);
      return false;
    }
    // Surplus bytes are sent together with the end of the response.
    int split = plan.splits ? bytes.length / 4 : 0;
    out.write(bytes, 0, split);
    out.write(bytes, split, bytes.length - split);
    if (plan.fault.isSurplus()) {
      tally.sentSurplus();
    }
    if (plan.fault == PoolPlan.Fault.HALF_CLOSE_AFTER) {
      socket.shutdownOutput();
    }
    return plan.fault != PoolPlan.Fault.CLOSE_AFTER && plan.framing != PoolPlan.Framing.UNTIL_CLOSE;
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
