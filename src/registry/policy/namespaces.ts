/** Reads the facts about all namespaces from the control object's store. */
import { type NamespaceFacts, type NamespacePhase, nameLabel } from '../../clusters/namespace-facts.ts'
import type { KubernetesObject } from '../../meta/object-meta.ts'
import type { Store, Stored } from '../../storage/store.ts'

/** The key prefix of namespaces. */
export const namespacePrefix = 'namespaces/'

const pageRows = 1000

/** Parses the phase. The search in the text is only a quick check: it also matches an annotation. */
function phaseOf(value: string): NamespacePhase {
  if (!value.includes('"deletionTimestamp":')) return 'Active'
  const { metadata } = JSON.parse(value) as KubernetesObject
  return metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating'
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
