/** The policy snapshot as the control object makes it: in parts, each read again only after it has changed. */
import { RbacPolicy } from '../auth/rbac/policy.ts'
import type { RbacObjects } from '../catalog/shapes/rbac.ts'
import type { NamespacePhase } from '../clusters/namespace-phase.ts'
import type { PolicyChanges } from '../clusters/policy.ts'
import { definitionPrefix } from '../crd/definition.ts'
import { newUid } from '../meta/uid.ts'
import { flowSchemaPrefix, priorityLevelPrefix, readFlowControlObjects } from '../registry/policy/flow-control.ts'
import { priorityClassPrefix, readPriorityClasses } from '../registry/policy/priority-classes.ts'
import { rbacPrefixes, readRbacObjects } from '../registry/policy/rbac.ts'
import type { Store } from '../storage/store.ts'
import type { Definitions } from './crd/definitions.ts'

/** Namespaces that one page of the snapshot reads. */
const pageRows = 1000

const prefixesOf = {
  namespaces: ['namespaces/'],
  rbac: rbacPrefixes,
  definitions: [definitionPrefix],
  flowControl: [flowSchemaPrefix, priorityLevelPrefix],
  priorityClasses: [priorityClassPrefix],
} as const

const partNames = ['namespaces', 'rbac', 'flowControl', 'priorityClasses', 'definitions'] as const

type PartName = keyof typeof prefixesOf

/** Knows which parts have changed since a Worker has asked. */
export class PolicyParts {
  readonly #store: Store
  readonly #definitions: Definitions
  /** Versions of before a restart are never taken for those after it. */
  readonly #incarnation = newUid()
  readonly #changes: Record<PartName, number> = {
    namespaces: 0,
    rbac: 0,
    flowControl: 0,
    priorityClasses: 0,
    definitions: 0,
  }
  #rbac: { readonly objects: RbacObjects; readonly policy: RbacPolicy } | undefined

  constructor(store: Store, definitions: Definitions) {
    this.#store = store
    this.#definitions = definitions
  }

  /** The roles and bindings as they are now. */
  get rbac(): RbacPolicy {
    return this.#currentRbac().policy
  }

  /** Takes note that keys have changed; without keys, anything may have. */
  changed(keys: readonly string[]): void {
    for (const part of partNames) {
      const prefixes = prefixesOf[part]
      if (keys.length > 0 && !keys.some((key) => prefixes.some((prefix) => key.startsWith(prefix)))) continue
      this.#changes[part]++
      if (part === 'rbac') this.#rbac = undefined
    }
  }

  /** @param known the versions that the asker has, by the parts' names */
  changesSince(known: URLSearchParams): PolicyChanges {
    const isNew = (part: PartName): boolean => known.get(part) !== this.#version(part)
    return {
      ...(isNew('namespaces') && { namespaces: { version: this.#version('namespaces'), value: this.#phases() } }),
      ...(isNew('rbac') && { rbac: { version: this.#version('rbac'), value: this.#currentRbac().objects } }),
      ...(isNew('flowControl') && {
        flowControl: { version: this.#version('flowControl'), value: readFlowControlObjects(this.#store) },
      }),
      ...(isNew('priorityClasses') && {
        priorityClasses: { version: this.#version('priorityClasses'), value: readPriorityClasses(this.#store) },
      }),
      ...(isNew('definitions') && {
        definitions: { version: this.#version('definitions'), value: this.#definitions.summaries() },
      }),
    }
  }

  #version(part: PartName): string {
    return `${this.#incarnation}.${this.#changes[part]}`
  }

  #currentRbac(): { readonly objects: RbacObjects; readonly policy: RbacPolicy } {
    if (this.#rbac === undefined) {
      const objects = readRbacObjects(this.#store)
      this.#rbac = { objects, policy: new RbacPolicy(objects) }
    }
    return this.#rbac
  }

  #phases(): Record<string, NamespacePhase> {
    const phases: [string, NamespacePhase][] = []
    for (let after = ''; ; ) {
      const page = this.#store.list({
        prefix: 'namespaces/',
        after,
        limit: pageRows,
        resourceVersion: this.#store.resourceVersion,
      })
      for (const { key, value } of page.items) {
        phases.push([key.slice('namespaces/'.length), value.includes('"deletionTimestamp":') ? terminatingOf(value) : 'Active'])
      }
      if (!page.more) return Object.fromEntries(phases)
      after = page.items.at(-1)?.key ?? after
    }
  }
}

/** The text is a quick sign only: it might stand in an annotation. */
function terminatingOf(value: string): NamespacePhase {
  const { metadata } = JSON.parse(value) as { metadata: { deletionTimestamp?: string } }
  return metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating'
}
