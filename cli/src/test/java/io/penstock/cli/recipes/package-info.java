/**
 * The pages of {@code docs/recipes}, run as they stand there against the real programs. Start at
 * {@code ProxyContract}.
 */
@NullMarked
package io.penstock.cli.recipes;

import org.jspecify.annotations.NullMarked;
