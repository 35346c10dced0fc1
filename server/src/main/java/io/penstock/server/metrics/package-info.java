/** Metrics for Prometheus. Labels are bounded and never contain a key. */
@NullMarked
package io.penstock.server.metrics;

import org.jspecify.annotations.NullMarked;
