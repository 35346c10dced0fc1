/** Figures in memory for operators: the keys denied most, and decisions over time. */
@NullMarked
package io.penstock.server.figures;

import org.jspecify.annotations.NullMarked;
