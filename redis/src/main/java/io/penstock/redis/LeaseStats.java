package io.penstock.redis;

/**
 * The leases that a node holds.
 *
 * @param leases the number of buckets with leased tokens
 * @param unspentThousandths what the node can still grant from its leases
 * @param outstandingThousandths what counts as missing from the buckets because of this node
 * @param underGrantThousandths what counts as missing from these buckets because of any node, as of
 *     the last reply of Redis: an upper bound of the tokens that are denied although no bucket is
 *     empty
 */
public record LeaseStats(
    int leases, long unspentThousandths, long outstandingThousandths, long underGrantThousandths) {
  static final LeaseStats NOTHING = new LeaseStats(0, 0, 0, 0);

  LeaseStats plus(long unspent, long outstanding, long underGrant) {
    return new LeaseStats(
        leases + 1,
        unspentThousandths + unspent,
        outstandingThousandths + outstanding,
        underGrantThousandths + underGrant);
  }
}
