package io.penstock.server.envoy;

import java.time.Duration;

/**
 * The settings of the Envoy listener.
 *
 * @param mergesDomains whether several files may configure the same domain
 * @param startsWithoutConfig whether the listener is opened before a configuration has been loaded
 * @param healthNeedsConfig whether the service is unhealthy while no domain is configured
 * @param fixedWindows whether requests are counted in aligned windows instead of token buckets
 * @param overdraft whether the hits of a denied request are charged if there are two or more
 * @param shadow whether no request is denied
 * @param quota whether a request is denied only if it exceeds all of its limits
 * @param dynamicMetadata whether responses contain dynamic metadata
 * @param deadline how long a limit that denies nothing may delay a response
 */
public record EnvoyOptions(
    EnvoySource source,
    boolean mergesDomains,
    boolean startsWithoutConfig,
    boolean healthNeedsConfig,
    boolean fixedWindows,
    boolean overdraft,
    AnswerHeaders headers,
    boolean shadow,
    boolean quota,
    boolean dynamicMetadata,
    Duration deadline) {
  DescriptorLimit.LimitAlgorithm algorithm() {
    return fixedWindows
        ? DescriptorLimit.LimitAlgorithm.FIXED_WINDOW
        : DescriptorLimit.LimitAlgorithm.TOKEN_BUCKET;
  }
}
