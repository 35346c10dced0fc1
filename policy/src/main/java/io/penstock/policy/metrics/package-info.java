/** Figures of rules for Micrometer. Labels are bounded and never hold a key. */
@NullMarked
package io.penstock.policy.metrics;

import org.jspecify.annotations.NullMarked;
