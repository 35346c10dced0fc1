package io.penstock.server.envoy;

import java.nio.file.Path;

/**
 * The settings of the Envoy listener.
 *
 * @param config a file or a folder
 * @param mergesDomains whether several files may configure the same domain
 * @param fixedWindows whether requests are counted in aligned windows instead of token buckets
 * @param overdraft whether the hits of a denied request are charged if there are two or more
 * @param headers whether responses contain RateLimit headers
 * @param shadow whether no request is denied
 * @param dynamicMetadata whether responses contain dynamic metadata
 */
public record EnvoyOptions(
    Path config,
    boolean mergesDomains,
    boolean fixedWindows,
    boolean overdraft,
    boolean headers,
    boolean shadow,
    boolean dynamicMetadata) {
  DescriptorLimit.LimitAlgorithm algorithm() {
    return fixedWindows
        ? DescriptorLimit.LimitAlgorithm.FIXED_WINDOW
        : DescriptorLimit.LimitAlgorithm.TOKEN_BUCKET;
  }
}
