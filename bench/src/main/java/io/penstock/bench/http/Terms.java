package io.penstock.bench.http;

/** The policy of a server. */
enum Terms {
  /** Whatever is asked is allowed. */
  GENEROUS("1000000/s", 1_000_000_000),

  /** All but the first are denied. */
  USED_UP("1/d", 1);

  final String policy;

  Terms(String rate, long burst) {
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
