package io.penstock.policy.jwt;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Fetches a key set over HTTP. Doesn't follow redirects. */
final class HttpFetch implements KeyFetch {
  private static final int OK = 200;

  private final HttpClient client;
  private final HttpRequest request;
  private final Duration timeout;

  HttpFetch(URI url, Duration timeout) {
    this.client = HttpClient.newBuilder().connectTimeout(timeout).build();
    this.request =
        HttpRequest.newBuilder(url)
            .timeout(timeout)
            .header("Accept", "application/jwk-set+json, application/json")
            .build();
    this.timeout = timeout;
  }

  @Override
  public KeySet fetch() throws IOException {
    CompletableFuture<HttpResponse<byte[]>> exchange =
        client.sendAsync(request, head -> new CappedBody(MAX_BYTES));
    try {
      // The request timeout covers only the headers; the body may still arrive slowly.
      HttpResponse<byte[]> response = exchange.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (response.statusCode() != OK) {
        throw new KeyFetchException(
            KeyFailure.STATUS, "the response has status " + response.statusCode(), null);
      }
      return KeySet.parse(new String(response.body(), StandardCharsets.UTF_8));
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      boolean late = cause instanceof HttpTimeoutException;
      throw new KeyFetchException(
          late ? KeyFailure.TIMEOUT : KeyFailure.CONNECTION, "no response: " + reason(cause), e);
    } catch (TimeoutException e) {
      throw new KeyFetchException(KeyFailure.TIMEOUT, "no response within " + timeout, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("closed");
    } finally {
      exchange.cancel(true);
    }
  }

  /** The JDK gives no message for a refused connection. */
  private static String reason(Throwable cause) {
    String name = cause.getClass().getSimpleName();
    return cause.getMessage() == null ? name : name + ": " + cause.getMessage();
  }
}
