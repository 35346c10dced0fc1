package io.penstock.redis;

/**
 * What a node holds of buckets in Redis, in thousandths of a token.
 *
 * @param leases how many buckets it holds tokens of
 * @param unspent what it could still grant by itself
 * @param out what counts as missing from the buckets because of this node
 * @param underGrant what counts as missing from these buckets because of any node, as Redis said
 *     last: no more than that can be denied although no bucket was empty
 */
public record LeaseStats(int leases, long unspent, long out, long underGrant) {
  static final LeaseStats NOTHING = new LeaseStats(0, 0, 0, 0);

  LeaseStats plus(long moreUnspent, long moreOut, long moreUnderGrant) {
    return new LeaseStats(
        leases + 1, unspent + moreUnspent, out + moreOut, underGrant + moreUnderGrant);
  }
}
