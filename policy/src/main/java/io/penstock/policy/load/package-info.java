/** Loads, checks and watches policies in files. */
@NullMarked
package io.penstock.policy.load;

import org.jspecify.annotations.NullMarked;
