package io.penstock.redis;

/**
 * The leases that a node holds, in thousandths of a token.
 *
 * @param leases the number of buckets with leased tokens
 * @param unspent the tokens that the node can still grant from its leases
 * @param outstanding the tokens that count as missing from the buckets because of this node
 * @param underGrant the tokens that count as missing from these buckets because of any node, as of
 *     the last reply of Redis: an upper bound of the tokens that are denied although no bucket is
 *     empty
 */
public record LeaseStats(int leases, long unspent, long outstanding, long underGrant) {
  static final LeaseStats NOTHING = new LeaseStats(0, 0, 0, 0);

  LeaseStats plus(long moreUnspent, long moreOutstanding, long moreUnderGrant) {
    return new LeaseStats(
        leases + 1,
        unspent + moreUnspent,
        outstanding + moreOutstanding,
        underGrant + moreUnderGrant);
  }
}
