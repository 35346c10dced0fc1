/** The console: the pages that the admin listener serves to browsers. */
@NullMarked
package io.penstock.server.console;

import org.jspecify.annotations.NullMarked;
