/**
 * The proxy listener: forwards allowed requests to the origin as streams, and rejects all others.
 */
@NullMarked
package io.penstock.server.proxy;

import org.jspecify.annotations.NullMarked;
