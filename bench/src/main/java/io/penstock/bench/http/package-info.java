/** The decision service beside servers that decide nothing, seen over the wire only. */
@NullMarked
package io.penstock.bench.http;

import org.jspecify.annotations.NullMarked;
