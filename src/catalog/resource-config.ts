/**
 * The resources that a cluster serves: those of the release that it emulates, as `--runtime-config` changes them. Follows
 * MergeAPIResourceConfigs and ResourceExpirationEvaluator of k8s.io/apiserver.
 */
import type { Release } from '../schema/tables.ts'
import { lifecycles } from './generated/lifecycle.ts'
import { registered } from './generated/registered.ts'
import { apiVersionOf } from './kind.ts'
import { compareReleases, isIn, newestRelease, type ResourceLifecycle, releaseText } from './lifecycle.ts'
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

/** The parts of a resource config. */
export interface ResourceConfigOptions {
  readonly release: Release
  readonly runtimeConfig: RuntimeConfig
  /** The text from which the config can be made again. */
  readonly text: string
  /** Whether a feature gate is on. */
  readonly isGateOn: (name: string) => boolean
}

const keyOf = ({ group, version, resource }: VersionedResource): string => `${group}/${version}/${resource}`

/** Whether a row is served: its release has it, and preferences, the default and its gate allow it. */
function isEnabled(row: ResourceLifecycle, { release, runtimeConfig, isGateOn }: ResourceConfigOptions): boolean {
  if (!isIn(row, release) || !(runtimeConfig.preferenceOf(row) ?? row.onByDefault)) return false
  const gate = gates[`${row.group}/${row.resource}`]
  return gate === undefined || isGateOn(gate)
}

/** Whether a release knows a version, served or not. */
const isRegistered = (group: string, version: string, release: Release): boolean =>
  Object.hasOwn(registered, apiVersionOf(group, version)) ||
  lifecycles.some((row) => row.group === group && row.version === version && isIn(row, release))

/** @throws Error in kube-apiserver's words for groups and versions that do not exist, or not yet */
function checkPreferences({ release, runtimeConfig }: ResourceConfigOptions): void {
  const groups = new Set(lifecycles.map(({ group }) => group))
  const unknown = runtimeConfig.named.filter(({ group }) => !groups.has(group))
  if (unknown.length > 0) {
    const names = new Set(unknown.map(({ group, version }) => apiVersionOf(group, version)))
    throw new Error(`unknown api groups ${[...names].sort().join(',')}`)
  }
  for (const { group, version, resource, isOn } of runtimeConfig.named) {
    const text = apiVersionOf(group, version)
    if (!isRegistered(group, version, release)) throw new Error(`group version ${text} that has not been registered`)
    const rows = lifecycles.filter((row) => row.group === group && row.version === version)
    const named = resource === '' ? rows : rows.filter((row) => row.resource === resource)
    const isLater = named.length > 0 && named.every(({ introduced }) => compareReleases(introduced, release) > 0)
    if (!isOn || !isLater) continue
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
  /** Whether exactly the resources are served that the newest release serves by default. */
  readonly isDefault: boolean
  /** The text from which the config can be made again. */
  readonly text: string
  readonly #options: ResourceConfigOptions
  #enabled: ReadonlySet<string> | undefined

  /** @throws Error in kube-apiserver's words for groups and versions that do not exist, or not yet */
  constructor(options: ResourceConfigOptions) {
    this.release = options.release
    this.text = options.text
    this.isDefault = compareReleases(options.release, newestRelease) === 0 && options.runtimeConfig.isEmpty
    this.#options = options
    if (!options.runtimeConfig.isEmpty) checkPreferences(options)
  }

  /** Whether the resource is served in this version. */
  isServed(resource: VersionedResource): boolean {
    this.#enabled ??= new Set(lifecycles.filter((row) => isEnabled(row, this.#options)).map(keyOf))
    return this.#enabled.has(keyOf(resource))
  }
}
