/**
 * The resources that a cluster serves: those of the release that it emulates, as `--runtime-config` changes them. Follows
 * MergeAPIResourceConfigs and ResourceExpirationEvaluator of k8s.io/apiserver.
 */
import { compareVersions } from '../meta/version-order.ts'
import type { Release } from '../schema/tables.ts'
import { registered } from './generated/registered.ts'
import { apiVersionOf } from './kind.ts'
import { compareReleases, isIn, newestRelease, type ResourceLifecycle, releaseText } from './lifecycle.ts'
import { lifecycleRows } from './lifecycle-rows.ts'
import type { RuntimeConfig } from './runtime-config.ts'

/** A resource in one version. */
export interface VersionedResource {
  readonly group: string
  readonly version: string
  readonly resource: string
}

/** The resources that are served only while a feature gate is on, by group and resource. */
const gates: Readonly<Record<string, string>> = {
  'certificates.k8s.io/clustertrustbundles': 'ClusterTrustBundle',
  'certificates.k8s.io/podcertificaterequests': 'PodCertificateRequest',
  'scheduling.k8s.io/podgroups': 'GenericWorkload',
  'scheduling.k8s.io/workloads': 'GenericWorkload',
  'storagemigration.k8s.io/storageversionmigrations': 'StorageVersionMigrator',
}

/** Two options of kube-apiserver, by which a cluster of an older release serves resources that came later. */
export interface LaterResources {
  /** `--emulation-forward-compatible`: the later versions of resources that are served in beta or stable versions. */
  readonly versions: boolean
  /** `--runtime-config-emulation-forward-compatible`: those that `--runtime-config` names. */
  readonly named: boolean
}

/** The parts of a resource config. */
export interface ResourceConfigOptions {
  readonly release: Release
  /** The oldest release whose components the server works with. */
  readonly minimumCompatibility: Release
  readonly later: LaterResources
  readonly runtimeConfig: RuntimeConfig
  /** The text from which the config can be made again. */
  readonly text: string
  /** Whether a feature gate is on. */
  readonly isGateOn: (name: string) => boolean
}

const keyOf = ({ group, version, resource }: VersionedResource): string => `${group}/${version}/${resource}`

const isAlpha = ({ version }: ResourceLifecycle): boolean => version.includes('alpha')

/** Returns the beta and stable versions of the same resource that clients prefer less. */
const lesserVersions = ({ group, version, resource }: ResourceLifecycle): ResourceLifecycle[] =>
  lifecycleRows().filter(
    (other) =>
      other.group === group && other.resource === resource && !isAlpha(other) && compareVersions(other.version, version) > 0,
  )

const isLater = ({ introduced }: ResourceLifecycle, release: Release): boolean => compareReleases(introduced, release) > 0

/**
 * Whether preferences and the default allow a row. With `later.versions` a version is on if a lesser one is.
 * Follows EmulationForwardCompatibleResourceConfig.
 */
function isOn(row: ResourceLifecycle, { later, release, runtimeConfig }: ResourceConfigOptions): boolean {
  const on = (each: ResourceLifecycle): boolean => runtimeConfig.preferenceOf(each) ?? each.onByDefault
  if (on(row)) return true
  if (!later.versions || runtimeConfig.preferenceOf(row) === false || isAlpha(row)) return false
  return lesserVersions(row).some((lesser) => isIn(lesser, release) && on(lesser))
}

/** Whether a row is there: its release has it, or it came later and is wanted nevertheless. */
function exists(row: ResourceLifecycle, options: ResourceConfigOptions): boolean {
  const { release, later, runtimeConfig } = options
  if (!isLater(row, release)) return isIn(row, release)
  if (isIn(row, newestRelease) && later.named && runtimeConfig.isNamedOn(row)) return true
  return isIn(row, newestRelease) && later.versions && lesserVersions(row).some((lesser) => isEnabled(lesser, options))
}

/** Whether a row is served: it exists, and preferences, the default and its gate allow it. */
function isEnabled(row: ResourceLifecycle, options: ResourceConfigOptions): boolean {
  if (!exists(row, options) || !isOn(row, options)) return false
  const gate = gates[`${row.group}/${row.resource}`]
  return gate === undefined || options.isGateOn(gate)
}

/** Whether a release knows a version, served or not. */
const isRegistered = (group: string, version: string, release: Release): boolean =>
  Object.hasOwn(registered, apiVersionOf(group, version)) ||
  lifecycleRows().some((row) => row.group === group && row.version === version && isIn(row, release))

/** @throws Error in kube-apiserver's words for groups and versions that do not exist, or not yet */
function checkPreferences(options: ResourceConfigOptions): void {
  const { release, runtimeConfig } = options
  const groups = new Set(lifecycleRows().map(({ group }) => group))
  const unknown = runtimeConfig.named.filter(({ group }) => !groups.has(group))
  if (unknown.length > 0) {
    const names = new Set(unknown.map(({ group, version }) => apiVersionOf(group, version)))
    throw new Error(`unknown api groups ${[...names].sort().join(',')}`)
  }
  for (const { group, version, resource, isOn } of runtimeConfig.named) {
    const text = apiVersionOf(group, version)
    if (!isRegistered(group, version, release)) throw new Error(`group version ${text} that has not been registered`)
    const rows = lifecycleRows().filter((row) => row.group === group && row.version === version)
    const named = resource === '' ? rows : rows.filter((row) => row.resource === resource)
    const areLater = named.length > 0 && named.every((row) => isLater(row, release) && !exists(row, options))
    if (!isOn || !areLater) continue
    const hint = 'Consider setting --runtime-config-emulation-forward-compatible=true'
    const current = `the current version ${releaseText(release)}. ${hint}`
    const [{ introduced = release } = {}] = named
    throw new Error(
      resource === ''
        ? `cannot enable version ${text} in runtime-config because all the resources have been introduced after ${current}`
        : `cannot enable resource ${text}, Resource=${resource} in runtime-config because it is introduced at ${releaseText(introduced)} after ${current}`,
    )
  }
}

/** The resources that a cluster serves. */
export class ResourceConfig {
  readonly release: Release
  /** The oldest release whose components the server works with. */
  readonly minimumCompatibility: Release
  /** Whether exactly the resources are served that the newest release serves by default. */
  readonly isDefault: boolean
  /** The text from which the config can be made again. */
  readonly text: string
  readonly #options: ResourceConfigOptions
  #enabled: ReadonlySet<string> | undefined

  /** @throws Error in kube-apiserver's words for groups and versions that do not exist, or not yet */
  constructor(options: ResourceConfigOptions) {
    this.release = options.release
    this.minimumCompatibility = options.minimumCompatibility
    this.text = options.text
    this.isDefault = compareReleases(options.release, newestRelease) === 0 && options.runtimeConfig.isEmpty
    this.#options = options
    if (!options.runtimeConfig.isEmpty) checkPreferences(options)
  }

  /** Whether the resource is served in this version. */
  isServed(resource: VersionedResource): boolean {
    this.#enabled ??= new Set(
      lifecycleRows()
        .filter((row) => isEnabled(row, this.#options))
        .map(keyOf),
    )
    return this.#enabled.has(keyOf(resource))
  }
}
