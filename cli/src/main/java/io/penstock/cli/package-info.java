/** The command line. Start at {@link io.penstock.cli.Main}. */
@NullMarked
package io.penstock.cli;

import org.jspecify.annotations.NullMarked;
