package io.penstock.server.hostile;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import io.penstock.server.Setting;
import io.penstock.server.hostile.FuzzClient.Outcome;
import io.penstock.server.hostile.Listeners.Listener;
import io.penstock.server.hostile.RawRequests.CorpusRequest;
import io.penstock.server.log.ConnectionFailures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Sends the corpus of hostile requests to every listener, followed by mutations of it: raw bytes,
 * HTTP/2 frames and JSON. Each request that a listener can read completely gets a response, each
 * other one a response or an orderly close, none fails, and no stack trace is logged. {@code
 * -Dpenstock.fuzz.seconds=600 -Dpenstock.fuzz.seed=7} runs ten minutes of mutations.
 */
@Tag("full")
class ListenerFuzzIT {
  private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(ListenerFuzzIT.class);
  private static final int SECONDS = Integer.getInteger("penstock.fuzz.seconds", 4);
  private static final long SEED = Long.getLong("penstock.fuzz.seed", 1);
  private static final int CLIENTS = 12;
  private static final int MAX_REPORTED = 20;

  @TempDir private Path folder;
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

  /** The outcomes of the requests to a listener. */
  private static final class Tally {
    final Map<Outcome, LongAdder> counts = new EnumMap<>(Outcome.class);

    Tally() {
      for (Outcome outcome : Outcome.values()) {
        counts.put(outcome, new LongAdder());
      }
    }

    long requests() {
      return counts.values().stream().mapToLong(LongAdder::sum).sum();
    }
  }

  @Test
  void requests_ofAnyKind_areAnsweredOrClosed() throws Exception {
    StackTraces traces = StackTraces.collect();
    Map<Listener, Tally> tallies = new EnumMap<>(Listener.class);
    try (Listeners listeners = new Listeners(folder, Map.of(Setting.REQUEST_TIMEOUT_MS, "1000"))) {
      ExecutorService clients = Executors.newFixedThreadPool(CLIENTS * Listener.values().length);
      List<Future<?>> running = new ArrayList<>();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
      for (Listener listener : Listener.values()) {
        Tally tally = new Tally();
        tallies.put(listener, tally);
        for (int i = 0; i < CLIENTS; i++) {
          Random random = new Random(SEED * 1_000 + running.size());
          int client = i;
          running.add(
              clients.submit(
                  () -> {
                    run(new FuzzRun(listeners, listener, random, client, end), tally);
                    return null;
                  }));
        }
      }
      for (Future<?> run : running) {
        run.get();
      }
      clients.shutdown();
      for (Listener listener : Listener.values()) {
        assertThat(listeners.failed(listener)).as("failures at %s", listener).isZero();
        assertThat(new FuzzClient(listeners, listener, new Random(SEED)).sendComplete(good()))
            .as("%s still answers", listener)
            .isEqualTo(Outcome.ANSWERED);
      }
    } finally {
      traces.stop();
      tallies.forEach(ListenerFuzzIT::print);
      wrong.forEach(LOG::warn);
    }
    assertThat(wrong).isEmpty();
    assertThat(traces.seen).isEmpty();
  }

  private static byte[] good() {
    return RawRequests.corpus().get(0).bytes();
  }

  /** The requests that one client sends. */
  private record FuzzRun(
      Listeners listeners, Listener listener, Random random, int client, long endNanos) {}

  private void run(FuzzRun run, Tally tally) throws IOException {
    List<CorpusRequest> corpus = RawRequests.corpus();
    FuzzClient client = new FuzzClient(run.listeners, run.listener, run.random);
    for (int i = run.client; i < corpus.size(); i += CLIENTS) {
      CorpusRequest request = corpus.get(i);
      if (request.needsResponse(run.listener)) {
        answered(tally, client.sendComplete(request.bytes()), run, request.bytes());
      } else {
        orderly(tally, client.send(request.bytes()), run, request.bytes());
      }
    }
    while (System.nanoTime() - run.endNanos < 0) {
      int kind = run.random.nextInt(3);
      if (run.listener == Listener.ENVOY && run.random.nextInt(3) == 0) {
        answered(tally, client.sendCall(), run, "a gRPC call".getBytes(US_ASCII));
      } else if (kind == 0) {
        orderly(tally, client.sendFrames(), run, new byte[0]);
      } else if (kind == 1 && run.listener != Listener.PROXY) {
        byte[] request = JsonRequests.next(run.listener, run.random);
        answered(tally, client.sendComplete(request), run, request);
      } else {
        byte[] request = RawRequests.mutated(corpus, run.random);
        orderly(tally, client.send(request), run, request);
      }
    }
  }

  private void answered(Tally tally, Outcome outcome, FuzzRun run, byte[] request) {
    note(tally, outcome, outcome == Outcome.ANSWERED, run, request);
  }

  private void orderly(Tally tally, Outcome outcome, FuzzRun run, byte[] request) {
    note(tally, outcome, outcome.isOrderly(), run, request);
  }

  private void note(Tally tally, Outcome outcome, boolean good, FuzzRun run, byte[] request) {
    tally.counts.get(outcome).increment();
    if (!good && wrong.size() < MAX_REPORTED) {
      wrong.add(run.listener + " " + outcome + ": " + FuzzClient.shown(request));
    }
  }

  private static void print(Listener listener, Tally tally) {
    LOG.info(
        "fuzz of {}, seed {}, {} s: {} requests, {}",
        listener,
        SEED,
        SECONDS,
        tally.requests(),
        tally.counts);
  }

  /**
   * Collects everything above debug that is logged with a stack trace, by libraries as well, except
   * for errors of single connections that clients cause.
   */
  private static final class StackTraces extends AppenderBase<ILoggingEvent> {
    final Queue<String> seen = new ConcurrentLinkedQueue<>();

    static StackTraces collect() {
      StackTraces traces = new StackTraces();
      Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
      traces.setContext(root.getLoggerContext());
      traces.start();
      root.addAppender(traces);
      return traces;
    }

    @Override
    protected void append(ILoggingEvent event) {
      boolean counts = event.getLevel().isGreaterOrEqual(Level.INFO);
      if (counts
          && event.getThrowableProxy() instanceof ThrowableProxy proxy
          && !ConnectionFailures.isCausedByPeer(proxy.getThrowable())
          && seen.size() < MAX_REPORTED) {
        seen.add(
            event.getLoggerName()
                + ": "
                + event.getFormattedMessage()
                + " "
                + event.getThrowableProxy().getClassName()
                + " "
                + java.util.Arrays.stream(
                        event.getThrowableProxy().getStackTraceElementProxyArray())
                    .limit(6)
                    .map(Object::toString)
                    .toList());
      }
    }
  }
}
