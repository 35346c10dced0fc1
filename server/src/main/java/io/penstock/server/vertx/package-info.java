/** The only package that uses internal classes of Vert.x, which any new version may change. */
@NullMarked
package io.penstock.server.vertx;

import org.jspecify.annotations.NullMarked;
