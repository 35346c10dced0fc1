/**
 * Tests that run the configurations of {@code docs/recipes} in the real programs. See {@code
 * ProxyContract} first.
 */
@NullMarked
package io.penstock.cli.recipes;

import org.jspecify.annotations.NullMarked;
