package io.penstock.policy.advice;

import io.penstock.policy.Attribute;
import io.penstock.policy.KeyPart;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What limits are suggested for. Immutable, except for the folding.
 *
 * @param keys what identifies a caller
 * @param per the attributes whose values get limits of their own; empty for one limit
 * @param sparePercent the share of keys that the balanced suggestion never denies
 * @param maxGroups how many groups are reported, those with the most requests
 */
public record AdviceOptions(
    List<KeyPart> keys,
    List<Attribute> per,
    double sparePercent,
    int maxGroups,
    PathFolding folding) {
  public AdviceOptions {
    keys = List.copyOf(keys);
    per = List.copyOf(per);
    if (!(sparePercent > 0 && sparePercent <= 100)) {
      throw new IllegalArgumentException("spare must be above 0 and at most 100: " + sparePercent);
    }
    if (maxGroups < 1) {
      throw new IllegalArgumentException("top must be positive: " + maxGroups);
    }
  }

  /**
   * Returns the share of keys that the tight suggestion never denies. It may deny ten times as many
   * as the balanced one, but at most half of all keys or as many as that one.
   */
  double tightPercent() {
    return Math.max(Math.min(50, sparePercent), 100 - 10 * (100 - sparePercent));
  }

  /** Returns whether requests that lack a part of their key share a bucket. */
  boolean sharesMissingKeys() {
    return keys.stream().anyMatch(KeyPart::isOmittable);
  }

  /** Returns the attributes that have to be read from the log. */
  public Set<Attribute> attributes() {
    Set<Attribute> all = new LinkedHashSet<>(per);
    keys.forEach(part -> all.addAll(part.alternatives()));
    return all;
  }
}
