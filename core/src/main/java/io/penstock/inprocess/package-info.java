/** The in-process store. */
@NullMarked
package io.penstock.inprocess;

import org.jspecify.annotations.NullMarked;
