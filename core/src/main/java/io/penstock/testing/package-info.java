/** Test support for code that uses limiters: a manual clock, and limiters with fixed results. */
@NullMarked
package io.penstock.testing;

import org.jspecify.annotations.NullMarked;
