package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class UnavailableReasonTest {
  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new UnknownHostException("redis"), UnavailableReason.UNKNOWN_HOST),
        Arguments.of(
            new ConnectException("Connection refused"), UnavailableReason.CONNECTION_REFUSED),
        Arguments.of(new ConnectTimeoutException(), UnavailableReason.CONNECT_TIMEOUT),
        Arguments.of(new NoRouteToHostException(), UnavailableReason.UNREACHABLE),
        Arguments.of(new SSLHandshakeException("untrusted"), UnavailableReason.TLS),
        Arguments.of(new TimeoutException(), UnavailableReason.CONNECT_TIMEOUT),
        Arguments.of(new RedisCommandTimeoutException(), UnavailableReason.TIMEOUT),
        Arguments.of(new IOException("Connection reset by peer"), UnavailableReason.CLOSED),
        Arguments.of(reply("ERR DB index is out of range"), UnavailableReason.OTHER),
        Arguments.of(reply("-BUSYGROUP no"), UnavailableReason.OTHER),
        Arguments.of(new IllegalStateException(), UnavailableReason.OTHER));
  }

  private static RedisCommandExecutionException reply(String message) {
    return new RedisCommandExecutionException(message);
  }

  @ParameterizedTest
  @MethodSource("failures")
  void ofConnect_wrappedFailure_isItsReason(Throwable failure, UnavailableReason reason) {
    Throwable wrapped =
        new RedisConnectionException("Unable to connect", new CompletionException(failure));

    assertThat(UnavailableReason.ofConnect(wrapped, false)).isEqualTo(reason);
  }

  @ParameterizedTest
  @EnumSource(names = {"NOAUTH", "WRONGPASS", "NOPERM", "DENIED", "READONLY", "OOM", "LOADING"})
  void of_errorReply_isItsFirstWord(UnavailableReason reason) {
    assertThat(UnavailableReason.of(reply(reason + " some text"))).isEqualTo(reason);
  }

  @Test
  void of_brokenConnection_isDisconnected() {
    assertThat(UnavailableReason.of(new RedisException("Connection closed")))
        .isEqualTo(UnavailableReason.DISCONNECTED);
    assertThat(UnavailableReason.of(null)).isEqualTo(UnavailableReason.TIMEOUT);
  }

  @Test
  void ofConnect_timeoutWithTls_isAboutTheHandshake() {
    assertThat(UnavailableReason.ofConnect(new TimeoutException(), true))
        .isEqualTo(UnavailableReason.TLS_TIMEOUT);
  }

  @Test
  void outage_errorReply_namesTheCommandButNotTheUser() {
    RedisOutage outage =
        RedisOutage.of(
            UnavailableReason.NOPERM,
            "redis:6379",
            reply("NOPERM User alice has no permissions to run the 'evalsha' command"));

    assertThat(outage)
        .hasToString(
            "Redis at redis:6379 is unavailable (NOPERM: the user lacks a permission: NOPERM User"
                + " has no permissions to run the 'evalsha' command)");
  }

  @Test
  void outage_urlInTheMessage_hidesUserAndPassword() {
    RedisOutage outage =
        RedisOutage.of(
            UnavailableReason.OTHER,
            "",
            new IllegalStateException("cannot use redis://alice:secret@redis:6379/0\nmore"));

    assertThat(outage)
        .hasToString(
            "Redis is unavailable (OTHER: unexpected error: cannot use redis://redis:6379/0)");
  }
}
