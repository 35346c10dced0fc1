/** The log of the process. */
@NullMarked
package io.penstock.server.log;

import org.jspecify.annotations.NullMarked;
