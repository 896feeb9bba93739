/** Discovery of all served versions, including those of custom resources. */

import type { DefinitionSummaries, DefinitionSummary } from '../../clusters/definition-summary.ts'
import type { Asker } from '../../clusters/policy.ts'
import type { PolicySnapshot } from '../../clusters/policy-snapshot.ts'
import type { SubresourceTable } from '../../schema/tables.ts'
import { Discovery } from './discovery.ts'
import { withRemote } from './remote.ts'
import type { ServedResource, ServedVersion } from './served-version.ts'

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
/** The remaining verbs while the CustomResourceDefinition is being deleted. */
const lastVerbs = ['delete', 'deletecollection', 'get', 'list', 'watch']
const subresourceVerbs = ['get', 'patch', 'update']

function resourceOf(summary: DefinitionSummary, version: DefinitionSummary['versions'][number]): ServedResource {
  const status: SubresourceTable = { name: 'status', kind: { kind: summary.kind }, verbs: subresourceVerbs }
  const scale: SubresourceTable = {
    name: 'scale',
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    verbs: subresourceVerbs,
  }
  return {
    resource: summary.resource,
    singular: summary.singular,
    kind: summary.kind,
    namespaced: summary.namespaced,
    verbs: summary.isTerminating ? lastVerbs : verbs,
    shortNames: summary.shortNames,
    categories: summary.categories,
    subresources: [...(version.hasStatus ? [status] : []), ...(version.hasScale ? [scale] : [])],
    storageVersion: summary.storageVersion,
  }
}

/** Returns the versions that established CustomResourceDefinitions serve, without the group versions that are built in. */
export function customVersions(summaries: DefinitionSummaries, builtIn: readonly ServedVersion[]): ServedVersion[] {
  const found = new Map<string, { group: string; version: string; resources: ServedResource[] }>()
  const taken = new Set(builtIn.map(({ group, version }) => `${group}/${version}`))
  for (const summary of Object.values(summaries)) {
    if (!summary.isEstablished) continue
    for (const version of summary.versions) {
      const key = `${summary.group}/${version.name}`
      if (taken.has(key)) continue
      const served = found.get(key) ?? { group: summary.group, version: version.name, resources: [] }
      served.resources.push(resourceOf(summary, version))
      found.set(key, served)
    }
  }
  return [...found.values()].map((served) => ({ ...served, custom: true }))
}

/** The parts of the policy snapshot that discovery shows. */
export type DiscoveredParts = Pick<PolicySnapshot, 'definitions' | 'apiServices' | 'cluster'>

/**
 * The current discovery. Its documents are made again after CustomResourceDefinitions, APIServices or the emulated release have
 * changed.
 */
export class CurrentDiscovery {
  readonly #builtIn: (parts: DiscoveredParts) => readonly ServedVersion[]
  readonly #parts: (asker: Asker) => Promise<DiscoveredParts>
  #made:
    | { readonly parts: DiscoveredParts; readonly builtIn: readonly ServedVersion[]; readonly discovery: Discovery }
    | undefined

  /**
   * @param builtIn returns the built-in versions: the same list as long as they have not changed
   * @param parts returns the current snapshot, with the same values as long as they have not changed
   */
  constructor(builtIn: (parts: DiscoveredParts) => readonly ServedVersion[], parts: (asker: Asker) => Promise<DiscoveredParts>) {
    this.#builtIn = builtIn
    this.#parts = parts
  }

  async current(asker: Asker): Promise<Discovery> {
    const parts = await this.#parts(asker)
    const { definitions, apiServices } = parts
    const builtIn = this.#builtIn(parts)
    const made = this.#made
    const isSame = made?.parts.definitions === definitions && made.parts.apiServices === apiServices
    if (isSame && made.builtIn === builtIn) return made.discovery
    const own = [...builtIn, ...customVersions(definitions, builtIn)]
    const discovery = new Discovery(withRemote(own, apiServices))
    this.#made = { parts, builtIn, discovery }
    return discovery
  }
}
