/** The log of the process and the access log. */
@NullMarked
package io.penstock.server.log;

import org.jspecify.annotations.NullMarked;
