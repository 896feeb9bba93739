package dev.edgeplane.junit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Options of the cluster of a test. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface ClusterOptions {
  /** With a seed, uids, generated names and resourceVersions are the same in each run; 0 is none. */
  long seed() default 0;

  /** The time at which the cluster begins, such as 2030-01-01T00:00:00Z; the present by default. */
  String now() default "";
}
