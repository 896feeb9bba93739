/** Decides the next step for a namespace that is being deleted. Pure: the wiring executes it. */
import type { KubernetesObject } from '../../meta/object-meta.ts'
import { contentFinalizer, specFinalizers } from '../../registry/strategies/core/namespace.ts'

export type Step =
  | { readonly do: 'nothing' }
  | { readonly do: 'delete content' }
  /** The content is gone: the `kubernetes` finalizer is removed, and with the last finalizer the namespace itself. */
  | { readonly do: 'finish'; readonly remaining: readonly string[] }

/**
 * Decides the next step for one namespace.
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

/** Returns the pause in milliseconds before the next attempt for a namespace whose content remains. */
export function retryDelay(attempt: number): number {
  return Math.min(1000 * 2 ** Math.min(attempt, 6), 30_000)
}
