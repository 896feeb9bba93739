/** The custom resources in OpenAPI documents, from the current CustomResourceDefinitions. */
import type { DefinitionSummary } from '../../clusters/definition-summary.ts'
import type { Asker } from '../../clusters/policy.ts'
import type { CustomResourceDefinition } from '../../crd/definition.ts'
import type { KindCache } from '../../crd/kind-cache.ts'
import { openApiSchemas } from '../../crd/openapi.ts'
import type { CustomKind, CustomSchemas, CustomVersion } from './custom-resources.ts'

/** Returns the schemas of one version of a definition. They are empty if the definition has been deleted meanwhile. */
function schemasOf(definition: CustomResourceDefinition | undefined, name: string): CustomSchemas {
  const version = definition?.spec.versions.find((each) => each.name === name)
  const { schema, selectableFields = [] } = version ?? {}
  const schemas = openApiSchemas(schema?.openAPIV3Schema, definition?.spec.preserveUnknownFields === true)
  return Object.assign(schemas, { selectableFields: selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, '')) })
}

function kindOf(summary: DefinitionSummary, version: DefinitionSummary['versions'][number], kinds: KindCache): CustomKind {
  const { group, resource, kind, listKind, namespaced } = summary
  return {
    resource,
    kind,
    listKind,
    namespaced,
    subresources: [...(version.hasStatus ? (['status'] as const) : []), ...(version.hasScale ? (['scale'] as const) : [])],
    read: async () => schemasOf(await kinds.definition(`${resource}.${group}`), version.name),
  }
}

/** The served versions of all CustomResourceDefinitions. */
export class CustomVersions {
  readonly #kinds: KindCache
  #made: { readonly summaries: object; readonly versions: readonly CustomVersion[] } | undefined

  constructor(kinds: KindCache) {
    this.#kinds = kinds
  }

  /** Returns the same list as long as no definition has changed. */
  async current(asker?: Asker): Promise<readonly CustomVersion[]> {
    const summaries = await this.#kinds.summaries(asker)
    if (this.#made?.summaries === summaries) return this.#made.versions
    const versions = this.#versionsOf(Object.values(summaries))
    this.#made = { summaries, versions }
    return versions
  }

  #versionsOf(summaries: readonly DefinitionSummary[]): CustomVersion[] {
    const served = summaries
      .filter(({ isEstablished }) => isEstablished)
      .flatMap((summary) => summary.versions.map((version) => ({ summary, version })))
    const grouped = Map.groupBy(served, ({ summary, version }) => `${summary.group}/${version.name}`)
    return [...grouped.values()].flatMap((all) => {
      const [first] = all
      if (first === undefined) return []
      const tags = all.map(({ summary }) => summary.tag)
      const kinds = all.map(({ summary, version }) => kindOf(summary, version, this.#kinds))
      return [{ group: first.summary.group, version: first.version.name, tag: tags.sort().join(' '), kinds }]
    })
  }
}
