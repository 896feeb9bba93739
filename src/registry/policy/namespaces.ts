/** Reads the facts about all namespaces from the control object's store. */
import { type NamespaceFacts, type NamespacePhase, nameLabel } from '../../clusters/namespace-facts.ts'
import type { AdmissionSettings } from '../../config/admission/settings.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Store, Stored, Transaction } from '../../storage/store.ts'

/** The key prefix of namespaces. */
export const namespacePrefix = 'namespaces/'

const pageRows = 1000

/** Parses the phase. The search in the text is only a quick check: it also matches an annotation. */
function phaseOf(value: string): NamespacePhase {
  if (!value.includes('"deletionTimestamp":')) return 'Active'
  const { metadata } = JSON.parse(value) as KubernetesObject
  return metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating'
}

/**
 * Returns the phase of the namespace in which an object is to be stored, by the store of the control object; null if it does not
 * exist. If the plugin NamespaceLifecycle is disabled, objects may be in namespaces that do not exist.
 * @param namespace '' for a cluster-scoped object
 */
export function phaseForCreate(
  store: Pick<Store | Transaction, 'get'>,
  { plugins }: Pick<AdmissionSettings, 'plugins'>,
  namespace: string,
): NamespacePhase | null {
  if (namespace === '' || !plugins.includes('NamespaceLifecycle')) return 'Active'
  const stored = store.get(namespacePrefix + namespace)
  return stored === undefined ? null : phaseOf(stored.value)
}

function factsOf({ value, labels }: Stored): NamespaceFacts {
  const phase = phaseOf(value)
  if (labels === '') return { phase }
  const { [nameLabel]: _name, ...others } = JSON.parse(labels) as Record<string, string>
  return Object.keys(others).length === 0 ? { phase } : { phase, labels: others }
}

/** Returns the facts about all namespaces by name. */
export function readNamespaces(store: Store): Readonly<Record<string, NamespaceFacts>> {
  const found: [string, NamespaceFacts][] = []
  for (let after = ''; ; ) {
    const page = store.list({ prefix: namespacePrefix, after, limit: pageRows, resourceVersion: store.resourceVersion })
    for (const stored of page.items) found.push([stored.key.slice(namespacePrefix.length), factsOf(stored)])
    if (!page.more) return Object.fromEntries(found)
    after = page.items.at(-1)?.key ?? after
  }
}
