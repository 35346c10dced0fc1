package io.penstock.server;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What the process can be told, by flag, by variable or in a file. */
public enum Setting {
  POLICY("FILE", null, "The policy: a file, or a folder of files. A sample policy without it."),
  HOST("ADDRESS", "0.0.0.0", "The address that the decision door listens on."),
  PORT("N", "8080", "The port of the decision door; 0 takes a free one."),
  ADMIN_HOST("ADDRESS", "127.0.0.1", "The address that the admin door listens on."),
  ADMIN_PORT("N", "9090", "The port of the admin door; 0 takes a free one."),
  ADMIN_HOSTS(
      "LIST",
      null,
      "More host names that requests without a token may use for the admin listener, besides"
          + " loopback names and its own address, separated by commas."),
  UPSTREAM("URL", null, "The origin to stand in front of, such as http://localhost:3000."),
  PROXY_HOST("ADDRESS", "0.0.0.0", "The address that the proxy door listens on."),
  PROXY_PORT("N", "8000", "The port of the proxy door, with an upstream; 0 takes a free one."),
  PROXY_TLS_CERT(
      "FILES",
      null,
      "The certificate chain of the proxy listener, in PEM; plain without it. Several, separated by"
          + " commas, are chosen by the host that a client names (SNI), else the first."),
  PROXY_TLS_KEY("FILES", null, "The private key to that, in PEM; one for each certificate."),
  PROXY_TLS_CLIENT_CA(
      "FILE", null, "Who may sign certificates of clients, in PEM; clients need none without it."),
  PROXY_TLS_CLIENT_AUTH(
      "FORM",
      "required",
      "With proxy_tls_client_ca, whether a client's certificate is required or optional."),
  PROXY_TLS_PROTOCOLS("LIST", "TLSv1.2,TLSv1.3", "The versions of TLS that the proxy speaks."),
  PROXY_TLS_CIPHERS(
      "LIST",
      "TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256,TLS_CHACHA20_POLY1305_SHA256,"
          + "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,"
          + "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,"
          + "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,"
          + "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
      "The cipher suites that the proxy accepts, the preferred first."),
  UPSTREAM_HTTP2("BOOL", "false", "Whether the origin is spoken to by HTTP/2."),
  UPSTREAM_CA(
      "FILE", null, "Whose certificates the origin may have, in PEM; the JVM's without it."),
  UPSTREAM_HOST("FORM", "keep", "The host that the origin is told: keep (the client's) or own."),
  UPSTREAM_FORWARDED(
      "BOOL", "false", "Whether the origin is sent a Forwarded header beside X-Forwarded-*."),
  UNDERSCORE_HEADERS(
      "FORM",
      "drop",
      "Request headers whose names have underscores, or anything but letters, digits and hyphens:"
          + " drop or pass."),
  UPSTREAM_CONNECTIONS("N", "256", "The most connections to the origin."),
  UPSTREAM_QUEUE("N", "1024", "The most requests that wait for one of them."),
  UPSTREAM_QUEUE_MS(
      "N", "5000", "How long a request may wait for a connection to the origin; then it gets 503."),
  UPSTREAM_CONNECTIONS_PER_CLIENT(
      "N",
      "0",
      "The max exchanges with the origin that one client address has at a time; 0 for half of what"
          + " the connections allow."),
  CLIENT_STALL_MS(
      "N",
      "20000",
      "How long a client that does not read its response may hold up the origin; then it is"
          + " reset."),
  CLIENT_MIN_RATE(
      "N",
      "4096",
      "How many bytes a second a client must read on average while it holds up the origin."),
  UPSTREAM_CONNECT_MS("N", "2000", "How long a connection to the origin may take."),
  UPSTREAM_FIRST_BYTE_MS("N", "30000", "How long the origin may take to begin its answer."),
  UPSTREAM_IDLE_MS("N", "60000", "How long nothing may move between the origin and us."),
  UPSTREAM_TOTAL_MS("N", "0", "How long an exchange may take in all; 0 for as long as it likes."),
  MAX_DELAYED(
      "N", "1000", "The most requests that rules with on_limit: delay hold back, at each door."),
  TOKEN("SECRET", null, "The bearer token that the decision door asks for; none without it."),
  ADMIN_TOKEN(
      "SECRET", null, "The bearer token that the admin door asks for, needed unless on loopback."),
  ADMIN_TOKENS(
      "LIST",
      null,
      "More tokens of the admin door, as role:name:hash with role read or write, separated by"
          + " commas; penstock token makes one."),
  HEADERS("FORM", "all", "The RateLimit headers: all, draft, legacy, x-ratelimit or none."),
  RETRY_JITTER_PERCENT(
      "N", "50", "How much is added to Retry-After at most, in percent, by a hash of the key."),
  RETRY_JITTER_SECONDS("N", "30", "How much is added to Retry-After at most, in seconds."),
  REDIS(
      "URL",
      null,
      "The Redis to share limits through: redis://, redis-sentinel:// or redis-cluster://, with"
          + " rediss for TLS. In process without it."),
  REDIS_DEADLINE_MS("N", "25", "How long Redis may take before a rule's failure policy decides."),
  REDIS_PREFIX("TEXT", "penstock:", "What all keys in Redis begin with."),
  POSTGRES(
      "URL",
      null,
      "The PostgreSQL that rules are from and denials go to: postgres://user@host/database."),
  POSTGRES_SNAPSHOT(
      "FILE",
      "penstock-rules.json",
      "Where the last good rules of the database are kept, for a start without it."),
  POSTGRES_MIGRATE("BOOL", "true", "Whether the tables are made, and brought up to date."),
  VIOLATIONS("BOOL", "true", "Whether denied requests are noted in the database."),
  VIOLATIONS_QUEUE("N", "10000", "The most rows of them that wait; more are dropped and counted."),
  VIOLATIONS_USER(
      "KEY",
      "user_id|jwt:sub",
      "Who has sent a request: attributes or claims, the first there is."),
  VIOLATIONS_DAYS("N", "30", "How many days they are kept; 0 for ever."),
  VIOLATIONS_ROWS("N", "10000000", "How many rows of them are kept; 0 for all."),
  NODES("N", null, "How many nodes there are, for rules with on_store_failure: local."),
  MAX_KEYS("N", "1000000", "The most buckets to keep in process."),
  MAX_CONNECTIONS(
      "N",
      "10000",
      "The max connections of clients at a time, for each of the decision and the proxy listener."),
  MAX_CONNECTIONS_PER_ADDRESS(
      "N",
      "0",
      "Of these, the max from one client address, of IPv6 from a /64; 0 is a quarter of"
          + " max_connections. Loopback and the policy's trusted_proxies are exempt."),
  REQUEST_TIMEOUT_MS(
      "N", "10000", "How long the headers of a request may take to arrive, and then its body."),
  WORKERS("N", "0", "How many threads serve requests; 0 is one for each processor."),
  SHUTDOWN_MS("N", "5000", "How long requests under way are waited for at the end."),
  LOG_FORMAT("FORM", "text", "The log: text or json."),
  LOG_LEVEL("LEVEL", "info", "What is logged: error, warn, info or debug."),
  LOG_DECISIONS("BOOL", "false", "Whether each decision is logged, for debugging."),
  ACCESS_LOG("FORM", "off", "The access log of the proxy door: off, common, combined or json."),
  ACCESS_LOG_FILE(
      "FILE", null, "The file that the access log is added to; standard output without it.");

  private final String placeholder;
  private final @Nullable String otherwise;
  private final String help;

  Setting(String placeholder, @Nullable String otherwise, String help) {
    this.placeholder = placeholder;
    this.otherwise = otherwise;
    this.help = help;
  }

  /** The name in a file, such as {@code admin_port}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The flag, such as {@code --admin-port}. */
  public String flag() {
    return "--" + key().replace('_', '-');
  }

  /** The variable, such as {@code PENSTOCK_ADMIN_PORT}. */
  public String variable() {
    return "PENSTOCK_" + name();
  }

  /** What stands for the value in help. */
  public String placeholder() {
    return placeholder;
  }

  /** What it is unless set; null if nothing. */
  public @Nullable String otherwise() {
    return otherwise;
  }

  public String help() {
    return help;
  }

  /** Whether its value must not be shown. */
  public boolean isSecret() {
    return this == TOKEN || this == ADMIN_TOKEN;
  }
}
