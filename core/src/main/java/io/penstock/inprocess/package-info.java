/** The store that keeps its buckets in this process. */
@NullMarked
package io.penstock.inprocess;

import org.jspecify.annotations.NullMarked;
