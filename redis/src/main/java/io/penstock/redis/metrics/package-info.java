/** Metrics of the store in Redis for Micrometer, and its log messages for SLF4J. */
@NullMarked
package io.penstock.redis.metrics;

import org.jspecify.annotations.NullMarked;
