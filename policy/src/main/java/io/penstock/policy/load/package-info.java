/** Policies from files: reading, checking, watching. */
@NullMarked
package io.penstock.policy.load;

import org.jspecify.annotations.NullMarked;
