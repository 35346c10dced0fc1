/** For tests of code that uses limiters: a clock moved by hand, and limiters with one answer. */
@NullMarked
package io.penstock.testing;

import org.jspecify.annotations.NullMarked;
