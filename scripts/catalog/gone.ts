/** Kinds that the modules of the emulated release no longer contain, read from older versions of k8s.io/api. */
import { join } from 'node:path'
import { references, splitReference } from '../tables/type-references.ts'
import type { PackageFacts, TypeFacts } from './facts.ts'
import { downloadVersions, type PackageSource } from './modules.ts'

/** A resource that no typed client of the emulated release names. */
interface GoneResource {
  readonly resource: string
  readonly kind: string
  readonly shortNames?: readonly string[]
}

/** The resources of a package in an older version of k8s.io/api. */
interface GonePackage {
  /** A version of k8s.io/api that has their types. */
  readonly api: string
  /** `<package>/<version>`. */
  readonly name: string
  readonly resources: readonly GoneResource[]
}

const autoscalers = [{ resource: 'horizontalpodautoscalers', kind: 'HorizontalPodAutoscaler' }] as const
const podSecurityPolicies = [{ resource: 'podsecuritypolicies', kind: 'PodSecurityPolicy', shortNames: ['psp'] }] as const
const flowControl = [
  { resource: 'flowschemas', kind: 'FlowSchema' },
  { resource: 'prioritylevelconfigurations', kind: 'PriorityLevelConfiguration' },
] as const

const addresses = [
  { resource: 'ipaddresses', kind: 'IPAddress' },
  { resource: 'servicecidrs', kind: 'ServiceCIDR' },
] as const
const devices = [
  { resource: 'deviceclasses', kind: 'DeviceClass' },
  { resource: 'resourceclaims', kind: 'ResourceClaim' },
  { resource: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate' },
  { resource: 'resourceslices', kind: 'ResourceSlice' },
] as const

/** The resources that releases from 1.15 on served and that the modules of the emulated release do not contain. */
const GONE: readonly GonePackage[] = [
  { api: 'v0.17.17', name: 'auditregistration/v1alpha1', resources: [{ resource: 'auditsinks', kind: 'AuditSink' }] },
  { api: 'v0.19.16', name: 'batch/v2alpha1', resources: [{ resource: 'cronjobs', kind: 'CronJob' }] },
  { api: 'v0.19.16', name: 'discovery/v1alpha1', resources: [{ resource: 'endpointslices', kind: 'EndpointSlice' }] },
  { api: 'v0.19.16', name: 'extensions/v1beta1', resources: podSecurityPolicies },
  { api: 'v0.19.16', name: 'settings/v1alpha1', resources: [{ resource: 'podpresets', kind: 'PodPreset' }] },
  { api: 'v0.24.17', name: 'autoscaling/v2beta1', resources: autoscalers },
  { api: 'v0.24.17', name: 'autoscaling/v2beta2', resources: autoscalers },
  { api: 'v0.24.17', name: 'flowcontrol/v1alpha1', resources: flowControl },
  { api: 'v0.24.17', name: 'policy/v1beta1', resources: podSecurityPolicies },
  { api: 'v0.24.17', name: 'scheduling/v1alpha1', resources: [{ resource: 'priorityclasses', kind: 'PriorityClass' }] },
  { api: 'v0.28.15', name: 'networking/v1alpha1', resources: [{ resource: 'clustercidrs', kind: 'ClusterCIDR' }] },
  { api: 'v0.30.14', name: 'networking/v1alpha1', resources: addresses },
  { api: 'v0.31.14', name: 'coordination/v1alpha1', resources: [{ resource: 'leasecandidates', kind: 'LeaseCandidate' }] },
  { api: 'v0.33.13', name: 'resource/v1alpha3', resources: devices },
  {
    api: 'v0.34.4',
    name: 'certificates/v1alpha1',
    resources: [{ resource: 'podcertificaterequests', kind: 'PodCertificateRequest' }],
  },
  {
    api: 'v0.34.4',
    name: 'storagemigration/v1alpha1',
    resources: [{ resource: 'storageversionmigrations', kind: 'StorageVersionMigration' }],
  },
]

/** The short names of the gone resources, by name. */
export const goneShortNames: ReadonlyMap<string, readonly string[]> = new Map(
  GONE.flatMap(({ resources }) => resources.flatMap(({ resource, shortNames }) => (shortNames ? [[resource, shortNames]] : []))),
)

/**
 * Returns the packages of GONE, in its order.
 * @throws Error if `go` cannot download a module
 */
export function goneSources(): PackageSource[] {
  const folders = downloadVersions([...new Set(GONE.map(({ api }) => `k8s.io/api@${api}`))])
  return GONE.map(({ api, name }) => {
    const path = `k8s.io/api/${name}`
    return { dir: join(folders.get(`k8s.io/api@${api}`) ?? '', name), path, name, clients: '' }
  })
}

/** Returns the names of the types that the kind needs in its own package, with those of its list. */
function needed(facts: PackageFacts, kind: string): Set<string> {
  const found = new Set([kind, `${kind}List`])
  for (const name of found) {
    const type = facts.types.find((candidate) => candidate.name === name)
    const expressions = type?.fields?.map((field) => field.type) ?? (type === undefined ? [] : [type.expression])
    const own = expressions.flatMap(references).map(splitReference)
    for (const { table, name: inner } of own) if (table === facts.name) found.add(inner)
  }
  return found
}

function merged(current: PackageFacts | undefined, gone: PackageFacts, resources: readonly GoneResource[]): PackageFacts {
  const names = new Set(resources.flatMap(({ kind }) => [...needed(gone, kind)]))
  const isNew = ({ name }: TypeFacts): boolean => names.has(name) && !current?.types.some((type) => type.name === name)
  return {
    ...gone,
    ...current,
    types: [...(current?.types ?? []), ...gone.types.filter(isNew)],
    constants: { ...gone.constants, ...current?.constants },
    values: { ...gone.values, ...current?.values },
    lifecycle: { ...gone.lifecycle, ...current?.lifecycle },
    clients: { ...current?.clients, ...Object.fromEntries(resources.map(({ kind, resource }) => [kind, resource])) },
  }
}

/**
 * Adds the gone kinds, with the types that only they use, to the packages.
 * @param gone the facts of the packages of goneSources, in its order
 */
export function withGone(packages: readonly PackageFacts[], gone: readonly PackageFacts[]): PackageFacts[] {
  const all = new Map(packages.map((facts) => [facts.name, facts]))
  for (const [index, { name, resources }] of GONE.entries()) {
    const facts = gone[index]
    if (facts === undefined) throw new Error(`no facts of ${name}`)
    all.set(name, merged(all.get(name), facts, resources))
  }
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the names of the gone resources of a package. */
export function goneResources(packageName: string): string[] {
  return GONE.filter(({ name }) => name === packageName).flatMap(({ resources }) => resources.map(({ resource }) => resource))
}
