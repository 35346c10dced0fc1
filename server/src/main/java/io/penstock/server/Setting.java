package io.penstock.server;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The settings of the process, each of which can be set by flag, by variable or in a file. */
public enum Setting {
  POLICY("FILE", null, "The policy: a file, or a folder of files. The default is a sample policy."),
  HOST("ADDRESS", "0.0.0.0", "The address that the decision listener binds to."),
  PORT("N", "8080", "The port of the decision listener; 0 selects a free port."),
  ADMIN_HOST("ADDRESS", "127.0.0.1", "The address that the admin listener binds to."),
  ADMIN_PORT("N", "9090", "The port of the admin listener; 0 selects a free port."),
  ADMIN_HOSTS(
      "LIST",
      null,
      "Additional host names, separated by commas, that requests without a token may use for the"
          + " admin listener, besides loopback names and its own address."),
  ENVOY(
      "FILE",
      null,
      "The configuration of Envoy's rate limit service (envoyproxy/ratelimit): a file, a folder of"
          + " files, or the xDS server that sends it, such as grpcs://envoy-gateway:18001 (grpc://"
          + " without TLS). It opens the listener for Envoy."),
  ENVOY_VARIABLES(
      "BOOL",
      "false",
      "Whether the environment variables of envoyproxy/ratelimit are read as settings, such as"
          + " RUNTIME_ROOT and REDIS_URL. Flags and variables of Penstock override them."),
  ENVOY_HOST("ADDRESS", "0.0.0.0", "The address that the listener for Envoy binds to."),
  ENVOY_PORT("N", "8081", "The port of the listener for Envoy; 0 selects a free port."),
  ENVOY_TLS_CERT(
      "FILES",
      null,
      "The certificate chain of the listener for Envoy, in PEM format; no TLS without it. The TLS"
          + " versions and cipher suites are those of proxy_tls_protocols and proxy_tls_ciphers."),
  ENVOY_TLS_KEY("FILES", null, "The private key of this certificate, in PEM format."),
  ENVOY_TLS_CLIENT_CA(
      "FILE",
      null,
      "The CAs that may sign the client certificates that the listener for Envoy then requires, in"
          + " PEM format."),
  ENVOY_XDS_NODE("TEXT", "default", "The node ID that is sent to the xDS server."),
  ENVOY_XDS_METADATA(
      "LIST", null, "Metadata of the node for the xDS server: name=value, separated by commas."),
  ENVOY_XDS_HEADERS(
      "LIST", null, "Headers of the call to the xDS server: name=value, separated by commas."),
  ENVOY_XDS_CA(
      "FILE",
      null,
      "The CAs that may sign the certificate of the xDS server, in PEM format; the default is the"
          + " JVM's trust store."),
  ENVOY_XDS_CERT("FILE", null, "The client certificate for the xDS server, in PEM format."),
  ENVOY_XDS_KEY("FILE", null, "The private key of this certificate, in PEM format."),
  ENVOY_XDS_SERVER_NAME(
      "TEXT", null, "The name in the certificate of the xDS server; the default is its host."),
  ENVOY_XDS_BACKOFF_MS(
      "N",
      "1000",
      "How long to wait before connecting to the xDS server again; twice as long after each failure,"
          + " with jitter."),
  ENVOY_XDS_MAX_BACKOFF_MS("N", "30000", "The max time of this wait."),
  ENVOY_XDS_MAX_MESSAGE("BYTES", "4194304", "The max size of a configuration from the xDS server."),
  ENVOY_START_WITHOUT_CONFIG(
      "BOOL",
      "false",
      "Whether the process starts before a valid configuration for Envoy has been loaded. Until"
          + " then, requests of Envoy are answered with UNAVAILABLE."),
  ENVOY_HEALTH_NEEDS_CONFIG(
      "BOOL",
      "false",
      "Whether health checks of the listener for Envoy fail while no domain is configured."),
  ENVOY_MERGE_DOMAINS("BOOL", "false", "Whether several files may configure the same domain."),
  ENVOY_ALGORITHM(
      "FORM",
      "token_bucket",
      "How the limits of this configuration count: token_bucket, with the requests of the unit as"
          + " burst, or fixed_window."),
  ENVOY_OVERDRAFT(
      "BOOL",
      "false",
      "Whether a denied request with hits_addend above 1 is charged all the same, as a debt of at"
          + " most one burst, because it is the cost of a request that has been served."),
  ENVOY_HEADERS(
      "BOOL", "false", "Whether Envoy is asked to add RateLimit headers to its responses."),
  ENVOY_HEADER_NAMES(
      "LIST",
      "RateLimit-Limit,RateLimit-Remaining,RateLimit-Reset",
      "The names of these headers, in this order, separated by commas."),
  ENVOY_DYNAMIC_METADATA(
      "BOOL",
      "false",
      "Whether responses to Envoy contain the request, and the metadata of the limits that allowed"
          + " it, as dynamic metadata."),
  ENVOY_SHADOW("BOOL", "false", "Whether requests of Envoy are counted, but never denied."),
  ENVOY_DEBUG_HOST("ADDRESS", "0.0.0.0", "The address that the debug listener for Envoy binds to."),
  ENVOY_DEBUG_PORT(
      "N",
      null,
      "The port of a listener with the limits (/rlconfig) and statistics (/stats) of the"
          + " configuration for Envoy as text; 0 selects a free port. Not opened by default."),
  ENVOY_METRICS_HOST(
      "ADDRESS", "0.0.0.0", "The address that the metrics listener for Envoy binds to."),
  ENVOY_METRICS_PORT(
      "N",
      null,
      "The port of a listener with the metrics of the admin listener and nothing else; 0 selects a"
          + " free port. Not opened by default."),
  ENVOY_METRICS_PATH("PATH", "/metrics", "The path of the metrics on envoy_metrics_port."),
  ENVOY_QUOTA(
      "BOOL",
      "false",
      "Whether all limits have quota_mode: a request of Envoy is denied only if it exceeds all of its"
          + " limits."),
  UPSTREAM(
      "URL",
      null,
      "The origin that the proxy forwards requests to, such as http://localhost:3000."),
  PROXY_HOST("ADDRESS", "0.0.0.0", "The address that the proxy listener binds to."),
  PROXY_PORT(
      "N", "8000", "The port of the proxy listener, with an upstream; 0 selects a free port."),
  PROXY_TLS_CERT(
      "FILES",
      null,
      "The certificate chain of the proxy listener, in PEM format; no TLS without it. Of several"
          + " files, separated by commas, the server name (SNI) selects one; the first is the"
          + " fallback."),
  PROXY_TLS_KEY(
      "FILES",
      null,
      "The private key of the certificate, in PEM format; one file for each certificate."),
  PROXY_TLS_CLIENT_CA(
      "FILE",
      null,
      "The CAs that may sign client certificates, in PEM format; without it, clients need no"
          + " certificate."),
  PROXY_TLS_CLIENT_AUTH(
      "FORM",
      "required",
      "With proxy_tls_client_ca, whether a client certificate is required or optional."),
  PROXY_TLS_PROTOCOLS("LIST", "TLSv1.2,TLSv1.3", "The TLS versions that the proxy accepts."),
  PROXY_TLS_CIPHERS(
      "LIST",
      "TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256,TLS_CHACHA20_POLY1305_SHA256,"
          + "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,"
          + "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,"
          + "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,"
          + "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
      "The cipher suites that the proxy accepts, in order of preference."),
  UPSTREAM_HTTP2("BOOL", "false", "Whether the proxy uses HTTP/2 to the origin."),
  UPSTREAM_CA(
      "FILE",
      null,
      "The CAs that may sign the origin's certificate, in PEM format; the default is the JVM's"
          + " trust store."),
  UPSTREAM_HOST(
      "FORM",
      "keep",
      "The Host header that the origin receives: keep (the client's) or own (the origin's)."),
  UPSTREAM_FORWARDED(
      "BOOL", "false", "Whether the proxy sends a Forwarded header in addition to X-Forwarded-*."),
  UNDERSCORE_HEADERS(
      "FORM",
      "drop",
      "How to handle request headers whose names contain underscores, or anything but letters,"
          + " digits and hyphens: drop or pass."),
  UPSTREAM_CONNECTIONS("N", "256", "The max number of connections to the origin."),
  UPSTREAM_QUEUE(
      "N", "1024", "The max number of requests that wait for a connection to the origin."),
  UPSTREAM_QUEUE_MS(
      "N",
      "5000",
      "The max time that a request waits for a connection to the origin; then it gets 503, or 504 if"
          + " the origin establishes no connections."),
  UPSTREAM_CONNECTIONS_PER_CLIENT(
      "N",
      "0",
      "The max number of concurrent exchanges with the origin for one client address; 0 means half"
          + " of what the connections allow."),
  CLIENT_STALL_MS(
      "N",
      "20000",
      "How long a client that does not read its response, or send its request, may block the"
          + " origin; then it is reset."),
  CLIENT_MIN_RATE(
      "N",
      "4096",
      "The min average rate in bytes per second at which a client must read or send while it blocks"
          + " the origin."),
  UPSTREAM_CONNECT_MS(
      "N",
      "2000",
      "The timeout for connecting to the origin, and again for its TLS handshake and its HTTP/2"
          + " SETTINGS."),
  UPSTREAM_FIRST_BYTE_MS(
      "N",
      "30000",
      "The timeout for the first byte of the origin's response, after the last part of the request"
          + " was sent."),
  UPSTREAM_IDLE_MS(
      "N",
      "60000",
      "The idle timeout of connections to the origin, and of each exchange after its response has"
          + " started."),
  UPSTREAM_TOTAL_MS(
      "N", "0", "The timeout for a whole exchange with the origin; 0 means no timeout."),
  MAX_DELAYED(
      "N",
      "1000",
      "The max number of requests that rules with on_limit: delay hold back, for each listener."),
  TOKEN(
      "SECRET",
      null,
      "The bearer token that the decision listener requires; without it, none is required."),
  ADMIN_TOKEN(
      "SECRET",
      null,
      "The bearer token that the admin listener requires; may be omitted on loopback."),
  ADMIN_TOKENS(
      "LIST",
      null,
      "Additional tokens of the admin listener as role:name:hash, separated by commas; the role is"
          + " read or write. Use penstock token to create one."),
  HEADERS(
      "FORM", "all", "The form of the RateLimit headers: all, draft, legacy, x-ratelimit or none."),
  RETRY_JITTER_PERCENT(
      "N",
      "50",
      "The max jitter added to Retry-After, in percent, derived from a hash of the key."),
  RETRY_JITTER_SECONDS("N", "30", "The max jitter added to Retry-After, in seconds."),
  REDIS(
      "URL",
      null,
      "The Redis server that nodes share limits through: redis://, redis-sentinel:// or"
          + " redis-cluster://, with rediss for TLS. Without it, limits are kept in process."),
  REDIS_TLS_CA(
      "FILE",
      null,
      "With rediss, the CAs that may sign the certificate of Redis, in PEM format; the default is the"
          + " JVM's trust store."),
  REDIS_TLS_CERT("FILE", null, "With rediss, the client certificate, in PEM format."),
  REDIS_TLS_KEY("FILE", null, "The private key of this certificate, in PEM format."),
  REDIS_TLS_VERIFY_HOST(
      "BOOL", "true", "Whether the name in the certificate of Redis has to be that of its host."),
  REDIS_DEADLINE_MS(
      "N",
      "25",
      "The deadline of a decision by Redis; after it, the rule's failure policy decides. With envoy,"
          + " the default is 10, because Envoy waits for 20 ms."),
  REDIS_START_TIMEOUT_MS(
      "N",
      "10000",
      "The max time to wait for Redis at startup. A refused connection, a wrong password and other"
          + " definite failures end the wait; each rule's failure policy then decides until Redis is"
          + " available."),
  REDIS_FAIL_FAST(
      "BOOL",
      "false",
      "Whether the process exits with status 1 if Redis is unavailable at startup."),
  REDIS_PREFIX("TEXT", "penstock:", "The prefix of all keys in Redis."),
  POSTGRES(
      "URL",
      null,
      "The PostgreSQL database for rules and violations: postgres://user@host/database."),
  POSTGRES_SNAPSHOT(
      "FILE",
      "penstock-rules.json",
      "The file with the last valid rules of the database, for starting without it."),
  POSTGRES_MIGRATE("BOOL", "true", "Whether to create and migrate the tables at startup."),
  VIOLATIONS(
      "BOOL",
      "true",
      "Whether to record denied requests (violations): in the database, or the last 10,000 in"
          + " memory if there is none."),
  VIOLATIONS_QUEUE(
      "N",
      "10000",
      "The max number of queued violation rows; further rows are dropped and counted."),
  VIOLATIONS_USER(
      "KEY",
      "user_id|jwt:sub",
      "The attribute or claim that identifies the user in violations; of alternatives, the first"
          + " that is present."),
  VIOLATIONS_DAYS("N", "30", "How many days violations are kept; 0 means forever."),
  VIOLATIONS_ROWS("N", "10000000", "The max number of violation rows that are kept; 0 means all."),
  NODES(
      "N",
      null,
      "The number of nodes, for rules with share: true. By default, nodes count each other."),
  MAX_KEYS("N", "1000000", "The max number of buckets in the in-process store."),
  MAX_CONNECTIONS(
      "N",
      "10000",
      "The max number of client connections, separately for the decision and the proxy listener."),
  MAX_CONNECTIONS_PER_ADDRESS(
      "N",
      "0",
      "The max number of these connections from one client address, or from a /64 for IPv6; 0 means"
          + " a quarter of max_connections. Loopback and the policy's trusted_proxies are exempt."),
  REQUEST_TIMEOUT_MS(
      "N", "10000", "The timeout for receiving the headers of a request, and then for its body."),
  WORKERS("N", "0", "The number of threads that serve requests; 0 means one for each core."),
  SHUTDOWN_MS("N", "5000", "How long requests in flight may take to finish during shutdown."),
  LOG_FORMAT("FORM", "text", "The format of the log: text or json."),
  LOG_LEVEL("LEVEL", "info", "The log level: error, warn, info or debug."),
  LOG_DECISIONS("BOOL", "false", "Whether to log each decision, for debugging."),
  ACCESS_LOG("FORM", "off", "The format of the proxy's access log: off, common, combined or json."),
  ACCESS_LOG_FILE(
      "FILE", null, "The file that the access log is appended to; the default is standard output.");

  private final String placeholder;
  private final @Nullable String defaultValue;
  private final String help;

  Setting(String placeholder, @Nullable String defaultValue, String help) {
    this.placeholder = placeholder;
    this.defaultValue = defaultValue;
    this.help = help;
  }

  /** Returns the name in a settings file, such as {@code admin_port}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the flag, such as {@code --admin-port}. */
  public String flag() {
    return "--" + key().replace('_', '-');
  }

  /** Returns the environment variable, such as {@code PENSTOCK_ADMIN_PORT}. */
  public String variable() {
    return "PENSTOCK_" + name();
  }

  /** Returns the placeholder for the value in help texts. */
  public String placeholder() {
    return placeholder;
  }

  /** Returns the default value; null if there is none. */
  public @Nullable String otherwise() {
    return defaultValue;
  }

  public String help() {
    return help;
  }

  /**
   * Returns the setting that this one depends on: without it, or if it is off, this one has no
   * effect. Null if there is none.
   */
  public @Nullable Setting needs() {
    return switch (this) {
      case PROXY_HOST,
          PROXY_PORT,
          PROXY_TLS_CERT,
          PROXY_TLS_KEY,
          UPSTREAM_HTTP2,
          UPSTREAM_CA,
          UPSTREAM_HOST,
          UPSTREAM_FORWARDED,
          UNDERSCORE_HEADERS,
          UPSTREAM_CONNECTIONS,
          UPSTREAM_QUEUE,
          UPSTREAM_QUEUE_MS,
          UPSTREAM_CONNECTIONS_PER_CLIENT,
          CLIENT_STALL_MS,
          CLIENT_MIN_RATE,
          UPSTREAM_CONNECT_MS,
          UPSTREAM_FIRST_BYTE_MS,
          UPSTREAM_IDLE_MS,
          UPSTREAM_TOTAL_MS,
          ACCESS_LOG ->
          UPSTREAM;
      case ENVOY_HOST,
          ENVOY_PORT,
          ENVOY_TLS_CERT,
          ENVOY_TLS_KEY,
          ENVOY_XDS_NODE,
          ENVOY_XDS_METADATA,
          ENVOY_XDS_HEADERS,
          ENVOY_XDS_CA,
          ENVOY_XDS_CERT,
          ENVOY_XDS_KEY,
          ENVOY_XDS_SERVER_NAME,
          ENVOY_XDS_BACKOFF_MS,
          ENVOY_XDS_MAX_BACKOFF_MS,
          ENVOY_XDS_MAX_MESSAGE,
          ENVOY_START_WITHOUT_CONFIG,
          ENVOY_HEALTH_NEEDS_CONFIG,
          ENVOY_MERGE_DOMAINS,
          ENVOY_ALGORITHM,
          ENVOY_OVERDRAFT,
          ENVOY_HEADERS,
          ENVOY_SHADOW,
          ENVOY_QUOTA,
          ENVOY_DYNAMIC_METADATA,
          ENVOY_DEBUG_PORT,
          ENVOY_METRICS_PORT ->
          ENVOY;
      case ENVOY_DEBUG_HOST -> ENVOY_DEBUG_PORT;
      case ENVOY_METRICS_HOST, ENVOY_METRICS_PATH -> ENVOY_METRICS_PORT;
      case ENVOY_TLS_CLIENT_CA -> ENVOY_TLS_CERT;
      case ENVOY_HEADER_NAMES -> ENVOY_HEADERS;
      case PROXY_TLS_CLIENT_CA, PROXY_TLS_PROTOCOLS, PROXY_TLS_CIPHERS -> PROXY_TLS_CERT;
      case PROXY_TLS_CLIENT_AUTH -> PROXY_TLS_CLIENT_CA;
      case ACCESS_LOG_FILE -> ACCESS_LOG;
      case REDIS_TLS_CA, REDIS_TLS_CERT, REDIS_TLS_KEY, REDIS_TLS_VERIFY_HOST -> REDIS;
      case REDIS_DEADLINE_MS, REDIS_START_TIMEOUT_MS, REDIS_FAIL_FAST, REDIS_PREFIX, NODES -> REDIS;
      case POSTGRES_SNAPSHOT,
          POSTGRES_MIGRATE,
          VIOLATIONS_QUEUE,
          VIOLATIONS_DAYS,
          VIOLATIONS_ROWS ->
          POSTGRES;
      case VIOLATIONS_USER -> VIOLATIONS;
      default -> null;
    };
  }

  /** Returns whether a connection is less protected than intended if the setting has no effect. */
  boolean isProtective() {
    return name().startsWith("PROXY_TLS_")
        || name().startsWith("ENVOY_TLS_")
        || this == UPSTREAM_CA;
  }

  /** Returns whether the value must not be printed. */
  public boolean isSecret() {
    return this == TOKEN || this == ADMIN_TOKEN || this == ENVOY_XDS_HEADERS;
  }
}
