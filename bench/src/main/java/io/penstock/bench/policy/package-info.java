/** Benchmarks of policy evaluation. */
@NullMarked
package io.penstock.bench.policy;

import org.jspecify.annotations.NullMarked;
