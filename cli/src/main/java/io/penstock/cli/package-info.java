/** The command line. The entry point is {@link io.penstock.cli.Main}. */
@NullMarked
package io.penstock.cli;

import org.jspecify.annotations.NullMarked;
