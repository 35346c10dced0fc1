/** Tests that compare the files of {@code deploy/} with the project. */
@NullMarked
package io.penstock.cli.deploy;

import org.jspecify.annotations.NullMarked;
