/** Forks of several contenders by turns, and what they measured. */
@NullMarked
package io.penstock.bench.contest;

import org.jspecify.annotations.NullMarked;
