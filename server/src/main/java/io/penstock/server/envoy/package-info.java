/**
 * The Envoy listener: Envoy's rate limit service, with the configuration of envoyproxy/ratelimit.
 */
@NullMarked
package io.penstock.server.envoy;

import org.jspecify.annotations.NullMarked;
