/** The inside of Durable Objects, for tests of behaviour that no request shows. */
import type { Kernel } from '../../src/controllers/kernel.ts'

/** Returns the kernel of an instance, as `runInDurableObject` gives it. */
export const kernelOf = (instance: unknown): Kernel =>
  (instance as { readonly opened: { readonly object: { readonly kernel: Kernel } } }).opened.object.kernel
