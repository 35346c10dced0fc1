/** Benchmarks over HTTP. They use only the network interface of the server. */
@NullMarked
package io.penstock.bench.http;

import org.jspecify.annotations.NullMarked;
