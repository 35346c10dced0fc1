/** A filter for servlet applications, with or without Spring. */
@NullMarked
package io.penstock.servlet;

import org.jspecify.annotations.NullMarked;
