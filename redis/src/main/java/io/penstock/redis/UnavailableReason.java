package io.penstock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.RedisProtocolException;
import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Why Redis is unavailable. Further reasons may be added. */
public enum UnavailableReason {
  /** No program accepts connections at the address. */
  CONNECTION_REFUSED(
      "nothing accepts connections there; check the port, and that Redis is running"),
  /** The host name can't be resolved. */
  UNKNOWN_HOST("the host name can't be resolved"),
  /** There is no route to the host. */
  UNREACHABLE("no route to the host"),
  /** The server didn't accept a connection in time. */
  CONNECT_TIMEOUT("no response to a connection attempt; check the address and firewalls"),
  /** The TLS handshake failed, for example because of an untrusted certificate. */
  TLS("the TLS handshake failed"),
  /** The server didn't respond to the TLS handshake in time. */
  TLS_TIMEOUT("no response to the TLS handshake; if the server doesn't use TLS, use redis://"),
  /** The server closed a new connection. */
  CLOSED("the server closed the connection; if it requires TLS, use rediss://"),
  /** An established connection was closed. */
  DISCONNECTED("the connection was closed"),
  /** The server doesn't use the Redis protocol. */
  PROTOCOL("the response is not in the Redis protocol; check the port"),
  /** The server requires a password. */
  NOAUTH("the server requires a password, and none is configured"),
  /** The server rejects the user name or the password. */
  WRONGPASS("the user name or the password is wrong, or the user is disabled"),
  /** The user may not run a command, or not use a key. */
  NOPERM("the user lacks a permission"),
  /** The server is in protected mode. */
  DENIED("the server is in protected mode and accepts only local connections"),
  /** The server is a replica and rejects writes. */
  READONLY("the server is a read-only replica"),
  /** The server is out of memory. */
  OOM("the server has reached maxmemory and rejects writes"),
  /** The server is starting. */
  LOADING("the server is loading its data"),
  /** The server is running a long script. */
  BUSY("the server is busy with a long-running script"),
  /** The server can't save its data, and rejects writes. */
  MISCONF("the server can't persist its data and rejects writes"),
  /** The server has too few replicas, and rejects writes. */
  NOREPLICAS("the server has too few connected replicas and rejects writes"),
  /** The cluster rejects requests. */
  CLUSTERDOWN("the cluster is down"),
  /** A replica has no connection to its primary. */
  MASTERDOWN("the server is a replica without a connection to its primary"),
  /** Some slots of the cluster have no server. */
  UNSERVED_SLOTS("some slots of the cluster have no server"),
  /** The server didn't respond in time. */
  TIMEOUT("no response in time"),
  /**
   * No response was processed in time, and this process lacked CPU time or was paused meanwhile.
   * The server may be healthy.
   */
  CPU_STARVED(
      "no response was processed in time, because this process lacked CPU time or was paused; the"
          + " server may be healthy"),
  /** Anything else. */
  OTHER("unexpected error");

  /** Reasons that end by themselves, or that a JVM or a server may cause while it starts. */
  private static final Set<UnavailableReason> TEMPORARY =
      Set.of(
          CONNECT_TIMEOUT,
          TLS_TIMEOUT,
          TIMEOUT,
          CPU_STARVED,
          LOADING,
          BUSY,
          CLUSTERDOWN,
          MASTERDOWN,
          UNSERVED_SLOTS);

  private static final Set<UnavailableReason> CONNECTING =
      Set.of(
          CONNECTION_REFUSED,
          UNKNOWN_HOST,
          UNREACHABLE,
          CONNECT_TIMEOUT,
          TLS,
          TLS_TIMEOUT,
          CLOSED,
          PROTOCOL,
          NOAUTH,
          WRONGPASS,
          DENIED);

  /** The reasons that a server gives as the first word of an error reply. */
  private static final Map<String, UnavailableReason> REPLIES =
      Stream.of(
              NOAUTH,
              WRONGPASS,
              NOPERM,
              DENIED,
              READONLY,
              OOM,
              LOADING,
              BUSY,
              MISCONF,
              NOREPLICAS,
              CLUSTERDOWN,
              MASTERDOWN)
          .collect(Collectors.toMap(UnavailableReason::name, Function.identity()));

  private final String description;

  UnavailableReason(String description) {
    this.description = description;
  }

  /** Returns a short description for logs, such as "the server is loading its data". */
  public String description() {
    return description;
  }

  /** Returns the value of the metric label, such as {@code unknown_host}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns whether Redis may become available soon without any change of the configuration. */
  public boolean isTemporary() {
    return TEMPORARY.contains(this);
  }

  /** Returns whether there is no connection that could be used. */
  boolean preventsConnection() {
    return CONNECTING.contains(this);
  }

  /** Returns whether the failure adds something to the description. */
  boolean needsDetail() {
    return this == TLS || this == CLOSED || this == NOPERM || this == OTHER;
  }

  /** Returns the reason for a failed call; {@code failure} is null after a timeout. */
  static UnavailableReason of(@Nullable Throwable failure) {
    Throwable root = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      UnavailableReason known = known(cause);
      if (known != null) {
        return known;
      }
      root = cause;
    }
    if (root == null) {
      return TIMEOUT;
    }
    boolean rejected = root instanceof RedisCommandExecutionException;
    return !rejected && (root instanceof IOException || root instanceof RedisException)
        ? DISCONNECTED
        : OTHER;
  }

  /**
   * Returns the reason for a failed connection attempt.
   *
   * @param tls whether the connection uses TLS
   */
  static UnavailableReason ofConnect(Throwable failure, boolean tls) {
    UnavailableReason reason = of(failure);
    if (reason == TIMEOUT && tls) {
      return TLS_TIMEOUT;
    } else if (reason == TIMEOUT) {
      // Lettuce throws this when the server accepted the connection and then didn't respond.
      return FailureCauses.contains(failure, RedisCommandTimeoutException.class)
          ? TIMEOUT
          : CONNECT_TIMEOUT;
    }
    boolean attempted = !(failure instanceof ServerConnection.NotSent);
    return reason == DISCONNECTED && attempted ? CLOSED : reason;
  }

  private static @Nullable UnavailableReason known(Throwable cause) {
    if (cause instanceof RedisCommandExecutionException) {
      return REPLIES.get(String.valueOf(cause.getMessage()).split(" ", 2)[0]);
    } else if (cause instanceof UnknownHostException) {
      return UNKNOWN_HOST;
    } else if (cause instanceof NoRouteToHostException) {
      return UNREACHABLE;
    } else if (cause instanceof ConnectTimeoutException) {
      return CONNECT_TIMEOUT;
    } else if (cause instanceof ConnectException) {
      return CONNECTION_REFUSED;
    } else if (cause instanceof SSLException) {
      return TLS;
    } else if (cause instanceof RedisProtocolException) {
      return PROTOCOL;
    } else if (cause instanceof TimeoutException || cause instanceof RedisCommandTimeoutException) {
      return TIMEOUT;
    }
    return null;
  }
}
