/** What the doors inside an application share, whatever its framework. */
@NullMarked
package io.penstock.web;

import org.jspecify.annotations.NullMarked;
