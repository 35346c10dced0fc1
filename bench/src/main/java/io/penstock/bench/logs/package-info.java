/** Measures the commands that read access logs. */
@NullMarked
package io.penstock.bench.logs;

import org.jspecify.annotations.NullMarked;
