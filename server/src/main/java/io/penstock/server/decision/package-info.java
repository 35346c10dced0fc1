/** The decision door: programs and proxies ask whether a request may pass. */
@NullMarked
package io.penstock.server.decision;

import org.jspecify.annotations.NullMarked;
