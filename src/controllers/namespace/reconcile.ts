/** What is to be done about a namespace that is being deleted. Pure: the wiring does it. */
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
 * @param content objects that are left in it; undefined where nobody has looked yet
 */
export function reconcile(namespace: KubernetesObject, content: number | undefined): Step {
  if (namespace.metadata.deletionTimestamp === undefined) return { do: 'nothing' }
  const finalizers = specFinalizers(namespace)
  if (!finalizers.includes(contentFinalizer)) return { do: 'nothing' }
  if (content === undefined || content > 0) return { do: 'delete content' }
  return { do: 'finish', remaining: finalizers.filter((name) => name !== contentFinalizer) }
}

/** How long to wait before looking again at a namespace whose content holds out, in milliseconds. */
export function retryDelay(attempt: number): number {
  return Math.min(1000 * 2 ** Math.min(attempt, 6), 30_000)
}
