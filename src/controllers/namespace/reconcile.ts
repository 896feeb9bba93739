/** What is to be done about a namespace that is being deleted. Pure: the wiring does it. */
import { maximumAge } from '../../clusters/policy.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { contentFinalizer, specFinalizers } from '../../registry/strategies/core/namespace.ts'

/** The next step for one namespace. */
export type Step =
  | { readonly do: 'nothing' }
  | { readonly do: 'delete content' }
  /** Content is gone: the finalizer that stands for it goes, and with the last one the namespace. */
  | { readonly do: 'finish'; readonly remaining: readonly string[] }

/**
 * @param namespace as it is stored
 * @param content whether its content is gone
 */
export function reconcile(namespace: KubernetesObject, content: 'gone' | 'left' | 'not looked at'): Step {
  if (namespace.metadata.deletionTimestamp === undefined) return { do: 'nothing' }
  const finalizers = specFinalizers(namespace)
  if (!finalizers.includes(contentFinalizer)) return { do: 'nothing' }
  if (content !== 'gone') return { do: 'delete content' }
  return { do: 'finish', remaining: finalizers.filter((name) => name !== contentFinalizer) }
}

/**
 * When a look at the content may be the last, in milliseconds: until then a Worker may still let objects in, and objects that
 * it has let in may be on their way. Upstream waits for 5 seconds.
 * @param deletionTimestamp of the namespace: its second may have just begun
 */
export function settledAt(deletionTimestamp: string): number {
  return Date.parse(deletionTimestamp) + 1000 + 2 * maximumAge
}

/** How long to wait before looking again at a namespace whose content holds out, in milliseconds. */
export function retryDelay(attempt: number): number {
  return Math.min(1000 * 2 ** Math.min(attempt, 6), 30_000)
}
