/** The parts that all web frameworks share. */
@NullMarked
package io.penstock.web;

import org.jspecify.annotations.NullMarked;
