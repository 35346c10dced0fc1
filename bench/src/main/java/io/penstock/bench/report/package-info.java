/** Tables, charts, and the page of results. */
@NullMarked
package io.penstock.bench.report;

import org.jspecify.annotations.NullMarked;
