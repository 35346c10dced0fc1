/** How many servers a load takes, from what was measured. */
@NullMarked
package io.penstock.bench.capacity;

import org.jspecify.annotations.NullMarked;
