/** Figures of Redis for Micrometer, and what is logged about it by SLF4J. */
@NullMarked
package io.penstock.redis.metrics;

import org.jspecify.annotations.NullMarked;
