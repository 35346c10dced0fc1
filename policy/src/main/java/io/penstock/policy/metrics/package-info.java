/** Micrometer metrics of rules. Labels are bounded and never contain a key. */
@NullMarked
package io.penstock.policy.metrics;

import org.jspecify.annotations.NullMarked;
