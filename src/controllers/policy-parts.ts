/** The policy snapshot, as the control object makes it: in parts, each rebuilt only after a change. */
import { RbacPolicy } from '../auth/rbac/policy.ts'
import { type AdmissionConfiguration, noAdmissionObjects } from '../clusters/admission-configuration.ts'
import type { ApiServiceDocuments } from '../clusters/api-services.ts'
import { commonVersion } from '../clusters/common-parts.ts'
import type { ClusterFacts, Parts, PolicyChanges, PolicySnapshot } from '../clusters/policy-snapshot.ts'
import type { RbacObjects } from '../clusters/rbac-objects.ts'
import { definitionPrefix } from '../crd/definition.ts'
import { newUid } from '../meta/uid.ts'
import { admissionPrefixes, readAdmissionObjects } from '../registry/policy/admission-objects.ts'
import { apiServicePrefix, readApiServices } from '../registry/policy/api-services.ts'
import { flowSchemaPrefix, priorityLevelPrefix, readFlowControlObjects } from '../registry/policy/flow-control.ts'
import { limitRangePrefix, readLimits, resourceQuotaPrefix } from '../registry/policy/limits.ts'
import { namespacePrefix, readNamespaces } from '../registry/policy/namespaces.ts'
import { priorityClassPrefix, readPriorityClasses } from '../registry/policy/priority-classes.ts'
import { rbacPrefixes, readRbacObjects } from '../registry/policy/rbac.ts'
import type { Store } from '../storage/store.ts'
import type { ClusterRecord } from './cluster/record.ts'
import type { Definitions } from './crd/definitions.ts'

/** Returns what Workers need to know about the cluster itself. */
function factsOf({ uid, terms: { limits, emulatedRelease } = {} }: ClusterRecord): ClusterFacts {
  return { uid, ...(limits !== undefined && { limits }), ...(emulatedRelease !== undefined && { emulatedRelease }) }
}

/** The key prefixes of the objects in each part. */
const prefixesOf: { readonly [Name in keyof PolicySnapshot]: readonly string[] } = {
  namespaces: [namespacePrefix],
  rbac: rbacPrefixes,
  definitions: [definitionPrefix],
  flowControl: [flowSchemaPrefix, priorityLevelPrefix],
  priorityClasses: [priorityClassPrefix],
  limits: [limitRangePrefix, resourceQuotaPrefix],
  admission: admissionPrefixes,
  apiServices: [apiServicePrefix],
  cluster: [],
}

type PartName = keyof PolicySnapshot

const partNames = Object.keys(prefixesOf) as PartName[]

/** The parts that contain no uids. */
const commonNames = ['namespaces', 'definitions', 'priorityClasses', 'limits', 'admission', 'apiServices', 'rbac'] as const

/** The parts that clusters with the same objects have in common. Nothing in them is ever changed. */
export interface CommonParts {
  readonly version: string
  readonly values: Readonly<Pick<PolicySnapshot, (typeof commonNames)[number]>>
  readonly rbac: RbacPolicy
}

/** The longest text of a part that is stored: a row holds 2 MB. */
const longestText = 600_000

/** The key prefix of stored parts. */
export const derivedPartPrefix = 'policy-part/'

const versionKey = (part: PartName): string => `${derivedPartPrefix}${part}/version`
const valueKey = (part: PartName): string => `${derivedPartPrefix}${part}/value`

/**
 * Tracks the version of each part of the snapshot. A part is stored when it is first read after a start, and deleted by the next
 * change: an object that wakes up reads a row for each part instead of all objects, and Workers need not load again the parts
 * that they have.
 */
export class PolicyParts {
  readonly #kv: SyncKvStorage
  readonly #store: Store
  readonly #readers: { readonly [Name in PartName]: () => PolicySnapshot[Name] }
  /** Makes the versions of this process differ from those before a restart. */
  readonly #incarnation = newUid()
  /** The number of changes of each part since the start. */
  readonly #changes = new Map<PartName, number>()
  /** The stored versions of unchanged parts; '' if the part is not stored. */
  readonly #storedVersions = new Map<PartName, string>()
  /** The parts that are the same in all new clusters, as long as they do not change here. */
  #common: CommonParts | undefined
  #rbac: { readonly objects: RbacObjects; readonly policy: RbacPolicy } | undefined
  #admission: AdmissionConfiguration | undefined
  readonly #emulation: () => string

  /**
   * @param documentsOf returns the documents of another API server, by the name of its APIService
   * @param emulation returns the release that the cluster emulates and what its settings switch; '' for the newest release
   */
  constructor(
    { kv }: Pick<DurableObjectStorage, 'kv'>,
    store: Store,
    definitions: Definitions,
    cluster: ClusterRecord,
    documentsOf: (name: string) => ApiServiceDocuments,
    emulation: () => string,
  ) {
    this.#emulation = emulation
    this.#kv = kv
    this.#store = store
    this.#readers = {
      namespaces: () => readNamespaces(store),
      rbac: () => readRbacObjects(store),
      definitions: () => definitions.summaries(),
      flowControl: () => readFlowControlObjects(store),
      priorityClasses: () => readPriorityClasses(store),
      limits: () => readLimits(store),
      admission: () => this.#readAdmission(),
      apiServices: () => readApiServices(store, documentsOf),
      cluster: () => factsOf(cluster),
    }
  }

  /** The RBAC policy of the current roles and bindings. */
  get rbac(): RbacPolicy {
    return this.#currentRbac().policy
  }

  /** The current admission configuration. */
  get admission(): AdmissionConfiguration {
    this.#admission ??= this.#value('admission')
    return this.#admission
  }

  /** Returns the parts for clusters with the same objects. */
  common(): CommonParts {
    const values = Object.fromEntries(commonNames.map((part) => [part, this.#current(part)])) as unknown as CommonParts['values']
    return { version: commonVersion + newUid(), values, rbac: this.rbac }
  }

  /** Begins with the parts of a cluster with the same objects. */
  begin(common: CommonParts): void {
    this.#common = common
    this.#rbac = { objects: common.values.rbac, policy: common.rbac }
    this.#admission = common.values.admission
  }

  /** Records changed keys; without keys, anything may have changed. Call it in the turn of the commit. */
  changed(keys: readonly string[]): void {
    for (const part of partNames) {
      const prefixes = prefixesOf[part]
      if (keys.length > 0 && !keys.some((key) => prefixes.some((prefix) => key.startsWith(prefix)))) continue
      this.#outdate(part)
      if (part === 'rbac') this.#rbac = undefined
      if (part === 'admission') this.#admission = undefined
    }
  }

  /** Records that the terms of the cluster have changed. */
  clusterChanged(): void {
    this.#outdate('cluster')
    this.#outdate('admission')
    this.#admission = undefined
  }

  #outdate(part: PartName): void {
    this.#changes.set(part, (this.#changes.get(part) ?? 0) + 1)
    this.#kv.delete(versionKey(part))
    this.#kv.delete(valueKey(part))
  }

  /**
   * Returns the parts that the requesting Worker does not have.
   * @param versions the versions that the Worker has, by part
   */
  changesSince(versions: Readonly<Record<string, string>>): PolicyChanges {
    const changed = partNames.filter((part) => versions[part] !== this.#version(part))
    return Object.fromEntries(
      changed.map((part) => [part, { version: this.#version(part), value: this.#current(part) }]),
    ) as PolicyChanges
  }

  /** Whether these are the present parts, which a Worker has got from here. It does not read the storage. */
  are(parts: Parts): boolean {
    return partNames.every((part) => {
      const isTold = this.#changes.has(part) || this.#commonValue(part) !== undefined || this.#storedVersions.has(part)
      return isTold && parts[part].version === this.#version(part)
    })
  }

  #version(part: PartName): string {
    return this.#storedVersion(part) || `${this.#incarnation}.${this.#changes.get(part) ?? 0}`
  }

  #storedVersion(part: PartName): string {
    if (this.#changes.has(part)) return ''
    if (this.#commonValue(part) !== undefined) return this.#common?.version ?? ''
    const known = this.#storedVersions.get(part)
    if (known !== undefined) return known
    const version = this.#kv.get<string>(versionKey(part)) ?? ''
    this.#storedVersions.set(part, version)
    return version
  }

  #current(part: PartName): PolicySnapshot[PartName] {
    if (part === 'rbac') return this.#currentRbac().objects
    return part === 'admission' ? this.admission : this.#value(part)
  }

  #commonValue<Name extends PartName>(part: Name): PolicySnapshot[Name] | undefined {
    const values: Partial<PolicySnapshot> | undefined = this.#changes.has(part) ? undefined : this.#common?.values
    return values?.[part]
  }

  #value<Name extends PartName>(part: Name): PolicySnapshot[Name] {
    const common = this.#commonValue(part)
    if (common !== undefined) return common
    const stored = this.#storedVersion(part) === '' ? undefined : this.#kv.get<string>(valueKey(part))
    if (stored !== undefined) return JSON.parse(stored) as PolicySnapshot[Name]
    const value = this.#readers[part]()
    if (!this.#changes.has(part)) this.#storeSoon(part, value)
    return value
  }

  /** Stores a part that has not changed since the start, after the current request has been answered. */
  #storeSoon<Name extends PartName>(part: Name, value: PolicySnapshot[Name]): void {
    setTimeout(() => {
      const text = JSON.stringify(value)
      if (this.#changes.has(part) || text.length > longestText) return
      this.#kv.put(valueKey(part), text)
      this.#kv.put(versionKey(part), this.#version(part))
    }, 0)
  }

  #readAdmission(): AdmissionConfiguration {
    const objects = readAdmissionObjects(this.#store)
    if (objects === undefined) return noAdmissionObjects
    const emulation = this.#emulation()
    return { tag: this.#version('admission'), ...objects, ...(emulation !== '' && { emulation }) }
  }

  #currentRbac(): { readonly objects: RbacObjects; readonly policy: RbacPolicy } {
    if (this.#rbac === undefined) {
      const objects = this.#value('rbac')
      this.#rbac = { objects, policy: new RbacPolicy(objects) }
    }
    return this.#rbac
  }
}
