/** The files of {@code deploy/}, compared with what they deploy. */
@NullMarked
package io.penstock.cli.deploy;

import org.jspecify.annotations.NullMarked;
