/** The decision listener, for programs and proxies that ask whether a request may pass. */
@NullMarked
package io.penstock.server.decision;

import org.jspecify.annotations.NullMarked;
