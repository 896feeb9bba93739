/** The custom resources that OpenAPI tells of, as their definitions are now. */
import type { CustomKinds } from '../../crd/custom-kinds.ts'
import type { CustomResourceDefinition, DefinitionVersion } from '../../crd/definition.ts'
import { openApiSchemas } from '../../crd/openapi.ts'
import type { CustomKind, CustomVersion } from './custom-resources.ts'

function kindOf({ spec, status }: CustomResourceDefinition, version: DefinitionVersion): CustomKind {
  const names = status?.acceptedNames ?? spec.names
  const { subresources, selectableFields = [], schema } = version
  return {
    resource: names.plural,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: spec.scope === 'Namespaced',
    subresources: [
      ...(subresources?.status === undefined ? [] : (['status'] as const)),
      ...(subresources?.scale === undefined ? [] : (['scale'] as const)),
    ],
    schemas: openApiSchemas(schema?.openAPIV3Schema, spec.preserveUnknownFields === true),
    selectableFields: selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, '')),
  }
}

/** The versions of all definitions; one whose definitions have not changed stays the same object. */
export class CustomVersions {
  readonly #kinds: CustomKinds
  #made: { readonly of: object; readonly versions: readonly CustomVersion[] } | undefined
  #known = new Map<string, CustomVersion>()

  constructor(kinds: CustomKinds) {
    this.#kinds = kinds
  }

  async current(): Promise<readonly CustomVersion[]> {
    const of = await this.#kinds.summaries()
    if (this.#made?.of === of) return this.#made.versions
    const versions = await this.#make()
    this.#made = { of, versions }
    return versions
  }

  async #make(): Promise<readonly CustomVersion[]> {
    const groups = new Map<string, { tags: string[]; kinds: (() => CustomKind)[]; group: string; version: string }>()
    for (const { tag, definition } of await this.#kinds.established()) {
      for (const version of definition.spec.versions) {
        if (!version.served) continue
        const { group } = definition.spec
        const key = `${group}/${version.name}`
        const found = groups.get(key) ?? { tags: [], kinds: [], group, version: version.name }
        found.tags.push(tag)
        found.kinds.push(() => kindOf(definition, version))
        groups.set(key, found)
      }
    }
    const known = new Map<string, CustomVersion>()
    for (const [key, { tags, kinds, group, version }] of groups) {
      const name = `${key} ${tags.sort().join(' ')}`
      known.set(name, this.#known.get(name) ?? { group, version, kinds: kinds.map((make) => make()) })
    }
    this.#known = known
    return [...known.values()]
  }
}
