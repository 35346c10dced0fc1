/** The proxy door: what is allowed streams to the origin, what is not never gets there. */
@NullMarked
package io.penstock.server.proxy;

import org.jspecify.annotations.NullMarked;
