/** Measures several contenders in turns, each in forked JVMs. */
@NullMarked
package io.penstock.bench.contest;

import org.jspecify.annotations.NullMarked;
