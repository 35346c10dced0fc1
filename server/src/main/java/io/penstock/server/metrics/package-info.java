/** Figures for Prometheus. Labels are bounded and never hold a key. */
@NullMarked
package io.penstock.server.metrics;

import org.jspecify.annotations.NullMarked;
