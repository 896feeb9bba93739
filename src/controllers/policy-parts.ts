/** The policy snapshot, as the control object makes it: in parts, each rebuilt only after a change. */
import { RbacPolicy } from '../auth/rbac/policy.ts'
import { type AdmissionConfiguration, noAdmissionObjects } from '../clusters/admission-configuration.ts'
import type { PolicyChanges, PolicySnapshot } from '../clusters/policy.ts'
import type { RbacObjects } from '../clusters/rbac-objects.ts'
import { definitionPrefix } from '../crd/definition.ts'
import { newUid } from '../meta/uid.ts'
import { admissionPrefixes, readAdmissionObjects } from '../registry/policy/admission-objects.ts'
import { flowSchemaPrefix, priorityLevelPrefix, readFlowControlObjects } from '../registry/policy/flow-control.ts'
import { limitRangePrefix, readLimits, resourceQuotaPrefix } from '../registry/policy/limits.ts'
import { namespacePrefix, readNamespaces } from '../registry/policy/namespaces.ts'
import { priorityClassPrefix, readPriorityClasses } from '../registry/policy/priority-classes.ts'
import { rbacPrefixes, readRbacObjects } from '../registry/policy/rbac.ts'
import type { Store } from '../storage/store.ts'
import type { Definitions } from './crd/definitions.ts'

/** The key prefixes of the objects in each part. */
const prefixesOf: { readonly [Name in keyof PolicySnapshot]: readonly string[] } = {
  namespaces: [namespacePrefix],
  rbac: rbacPrefixes,
  definitions: [definitionPrefix],
  flowControl: [flowSchemaPrefix, priorityLevelPrefix],
  priorityClasses: [priorityClassPrefix],
  limits: [limitRangePrefix, resourceQuotaPrefix],
  admission: admissionPrefixes,
}

type PartName = keyof PolicySnapshot

const partNames = Object.keys(prefixesOf) as PartName[]

/** Tracks the version of each part of the snapshot. */
export class PolicyParts {
  readonly #store: Store
  readonly #readers: { readonly [Name in PartName]: () => PolicySnapshot[Name] }
  /** Makes the versions of this process differ from those before a restart. */
  readonly #incarnation = newUid()
  readonly #changes = new Map<PartName, number>()
  #rbac: { readonly objects: RbacObjects; readonly policy: RbacPolicy } | undefined
  #admission: AdmissionConfiguration | undefined

  constructor(store: Store, definitions: Definitions) {
    this.#store = store
    this.#readers = {
      namespaces: () => readNamespaces(store),
      rbac: () => this.#currentRbac().objects,
      definitions: () => definitions.summaries(),
      flowControl: () => readFlowControlObjects(store),
      priorityClasses: () => readPriorityClasses(store),
      limits: () => readLimits(store),
      admission: () => this.admission,
    }
  }

  /** The RBAC policy of the current roles and bindings. */
  get rbac(): RbacPolicy {
    return this.#currentRbac().policy
  }

  /** The current admission configuration. */
  get admission(): AdmissionConfiguration {
    if (this.#admission === undefined) {
      const objects = readAdmissionObjects(this.#store)
      this.#admission = objects === undefined ? noAdmissionObjects : { tag: this.#version('admission'), ...objects }
    }
    return this.#admission
  }

  /** Records changed keys; without keys, anything may have changed. */
  changed(keys: readonly string[]): void {
    for (const part of partNames) {
      const prefixes = prefixesOf[part]
      if (keys.length > 0 && !keys.some((key) => prefixes.some((prefix) => key.startsWith(prefix)))) continue
      this.#changes.set(part, this.#changesOf(part) + 1)
      if (part === 'rbac') this.#rbac = undefined
      if (part === 'admission') this.#admission = undefined
    }
  }

  /**
   * Returns the parts that the requesting Worker does not have.
   * @param known the versions that the Worker has, by part
   */
  changesSince(known: URLSearchParams): PolicyChanges {
    const changed = partNames.filter((part) => known.get(part) !== this.#version(part))
    return Object.fromEntries(
      changed.map((part) => [part, { version: this.#version(part), value: this.#readers[part]() }]),
    ) as PolicyChanges
  }

  #changesOf(part: PartName): number {
    return this.#changes.get(part) ?? 0
  }

  #version(part: PartName): string {
    return `${this.#incarnation}.${this.#changesOf(part)}`
  }

  #currentRbac(): { readonly objects: RbacObjects; readonly policy: RbacPolicy } {
    if (this.#rbac === undefined) {
      const objects = readRbacObjects(this.#store)
      this.#rbac = { objects, policy: new RbacPolicy(objects) }
    }
    return this.#rbac
  }
}
