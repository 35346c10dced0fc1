package io.penstock.bench.http;

/** The policies of the servers. */
enum HttpPolicy {
  /** All requests are allowed. */
  GENEROUS("1000000/s", 1_000_000_000),

  /** All requests except the first are denied. */
  USED_UP("1/d", 1);

  final String policy;

  HttpPolicy(String rate, long burst) {
    this.policy =
        """
        rules:
          - name: address
            limit_keys: ["ip:address"]
            rate: %s
            burst: %d
        """
            .formatted(rate, burst);
  }
}
