/** The policy snapshot, as the control object makes it: in parts, each rebuilt only after a change. */
import { RbacPolicy } from '../auth/rbac/policy.ts'
import type { NamespacePhase } from '../clusters/namespace-phase.ts'
import type { PolicyChanges } from '../clusters/policy.ts'
import type { RbacObjects } from '../clusters/rbac-objects.ts'
import { definitionPrefix } from '../crd/definition.ts'
import { newUid } from '../meta/uid.ts'
import { flowSchemaPrefix, priorityLevelPrefix, readFlowControlObjects } from '../registry/policy/flow-control.ts'
import { priorityClassPrefix, readPriorityClasses } from '../registry/policy/priority-classes.ts'
import { rbacPrefixes, readRbacObjects } from '../registry/policy/rbac.ts'
import type { Store } from '../storage/store.ts'
import type { Definitions } from './crd/definitions.ts'

/** The page size for reading namespaces. */
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

/** Tracks the version of each part of the snapshot. */
export class PolicyParts {
  readonly #store: Store
  readonly #definitions: Definitions
  /** Makes the versions of this process differ from those before a restart. */
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

  /** The RBAC policy of the current roles and bindings. */
  get rbac(): RbacPolicy {
    return this.#currentRbac().policy
  }

  /** Records changed keys; without keys, anything may have changed. */
  changed(keys: readonly string[]): void {
    for (const part of partNames) {
      const prefixes = prefixesOf[part]
      if (keys.length > 0 && !keys.some((key) => prefixes.some((prefix) => key.startsWith(prefix)))) continue
      this.#changes[part]++
      if (part === 'rbac') this.#rbac = undefined
    }
  }

  /**
   * Returns the parts that the requesting Worker does not have.
   * @param known the versions that the Worker has, by part
   */
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

/** Parses the phase. The caller's search in the text is only a quick check: it also matches an annotation. */
function terminatingOf(value: string): NamespacePhase {
  const { metadata } = JSON.parse(value) as { metadata: { deletionTimestamp?: string } }
  return metadata.deletionTimestamp === undefined ? 'Active' : 'Terminating'
}
