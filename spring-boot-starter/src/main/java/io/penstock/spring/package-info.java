/** Spring Boot integration: properties, auto-configuration, and filters for MVC and WebFlux. */
@NullMarked
package io.penstock.spring;

import org.jspecify.annotations.NullMarked;
