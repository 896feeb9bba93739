/**
 * Evaluates Pods against a Pod Security Standard in one of its versions. Follows the registry of checks of
 * k8s.io/pod-security-admission/policy.
 */
import type { PodSpec } from '../../../catalog/generated/types/core.v1.ts'
import type { LevelVersion, PolicyVersion } from '../../../clusters/pod-security.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import * as baseline from './baseline-checks.ts'
import * as restricted from './restricted-checks.ts'
import { type Check, exceptUserNamespaces, exceptWindows, type Violation } from './violation.ts'

/** A form of a check, from a minor version of Kubernetes 1 on. */
interface VersionedCheck {
  readonly since: number
  readonly check: Check
}

/** A check in all its forms, the oldest first. */
interface CheckSeries {
  readonly versions: readonly VersionedCheck[]
  /** The check of `baseline` that `restricted` does not run beside this one. */
  readonly overrides?: string
}

const always = (check: Check): CheckSeries => ({ versions: [{ since: 0, check }] })

const relaxedForWindows = (since: number, check: Check): readonly VersionedCheck[] => [
  { since, check },
  { since: 25, check: exceptWindows(check) },
]

const relaxedForUserNamespaces = (since: number, check: Check): readonly VersionedCheck[] => [
  { since, check },
  { since: 35, check: exceptUserNamespaces(check) },
]

const containerTypes = ['container_t', 'container_init_t', 'container_kvm_t']

/** The kernel parameters that are allowed since a version. */
const safeSysctls: readonly { readonly since: number; readonly names: readonly string[] }[] = [
  {
    since: 0,
    names: [
      'kernel.shm_rmid_forced',
      'net.ipv4.ip_local_port_range',
      'net.ipv4.tcp_syncookies',
      'net.ipv4.ping_group_range',
      'net.ipv4.ip_unprivileged_port_start',
    ],
  },
  { since: 27, names: ['net.ipv4.ip_local_reserved_ports'] },
  {
    since: 29,
    names: [
      'net.ipv4.tcp_keepalive_time',
      'net.ipv4.tcp_fin_timeout',
      'net.ipv4.tcp_keepalive_intvl',
      'net.ipv4.tcp_keepalive_probes',
    ],
  },
  { since: 32, names: ['net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'] },
]

const sysctls: readonly VersionedCheck[] = safeSysctls.map(({ since }, index) => ({
  since,
  check: baseline.sysctls(new Set(safeSysctls.slice(0, index + 1).flatMap(({ names }) => names))),
}))

/** The checks of `baseline` by their ids, whose order is that of the messages. */
const baselineChecks: Readonly<Record<string, CheckSeries>> = {
  appArmorProfile: always(baseline.appArmorProfile),
  capabilities_baseline: always(baseline.capabilities),
  hostNamespaces: always(baseline.hostNamespaces),
  hostPathVolumes: always(baseline.hostPathVolumes),
  hostPorts: always(baseline.hostPorts),
  hostProbesAndHostLifecycle: { versions: [{ since: 34, check: baseline.hostProbesAndHostLifecycle }] },
  privileged: always(baseline.privileged),
  procMount: { versions: relaxedForUserNamespaces(0, baseline.procMount) },
  seLinuxOptions: {
    versions: [
      { since: 0, check: baseline.seLinuxOptions(new Set(containerTypes)) },
      { since: 31, check: baseline.seLinuxOptions(new Set([...containerTypes, 'container_engine_t'])) },
    ],
  },
  seccompProfile_baseline: {
    versions: [
      { since: 0, check: baseline.seccompAnnotations },
      { since: 19, check: baseline.seccompProfile },
    ],
  },
  sysctls: { versions: sysctls },
  windowsHostProcess: always(baseline.windowsHostProcess),
}

/** The checks that `restricted` adds, by their ids, whose order is that of the messages. */
const restrictedChecks: Readonly<Record<string, CheckSeries>> = {
  allowPrivilegeEscalation: { versions: relaxedForWindows(8, restricted.allowPrivilegeEscalation) },
  capabilities_restricted: {
    versions: relaxedForWindows(22, restricted.capabilities),
    overrides: 'capabilities_baseline',
  },
  procMount_restricted: { versions: [{ since: 35, check: baseline.procMount }], overrides: 'procMount' },
  restrictedVolumes: { ...always(restricted.restrictedVolumes), overrides: 'hostPathVolumes' },
  runAsNonRoot: { versions: relaxedForUserNamespaces(0, restricted.runAsNonRoot) },
  runAsUser: { versions: relaxedForUserNamespaces(23, restricted.runAsUser) },
  seccompProfile_restricted: {
    versions: relaxedForWindows(19, restricted.seccompProfile),
    overrides: 'seccompProfile_baseline',
  },
}

/** The last minor version in which a check has changed: later ones, and `latest`, are alike. */
const newestMinor = Math.max(
  ...[...Object.values(baselineChecks), ...Object.values(restrictedChecks)].flatMap(({ versions }) =>
    versions.map(({ since }) => since),
  ),
)

const minorOf = (version: PolicyVersion): number =>
  version === 'latest' ? newestMinor : Math.min(Number(version.slice('v1.'.length)), newestMinor)

/** Returns the form of a check in a minor version; undefined if it does not have one yet. */
const checkIn = ({ versions }: CheckSeries, minor: number): Check | undefined =>
  versions.findLast(({ since }) => since <= minor)?.check

function selectChecks(level: LevelVersion['level'], minor: number): readonly Check[] {
  if (level === 'privileged') return []
  const inVersion = (checks: typeof baselineChecks, without: ReadonlySet<string>): Check[] =>
    Object.entries(checks).flatMap(([id, series]) => (without.has(id) ? [] : (checkIn(series, minor) ?? [])))
  if (level === 'baseline') return inVersion(baselineChecks, new Set())
  const overridden = Object.values(restrictedChecks).flatMap((series) =>
    series.overrides === undefined || checkIn(series, minor) === undefined ? [] : [series.overrides],
  )
  return [...inVersion(baselineChecks, new Set(overridden)), ...inVersion(restrictedChecks, new Set())]
}

const selected = new Map<string, readonly Check[]>()

function checksOf({ level, version }: LevelVersion): readonly Check[] {
  const minor = minorOf(version)
  const key = `${level} ${minor}`
  let checks = selected.get(key)
  if (checks === undefined) {
    checks = selectChecks(level, minor)
    selected.set(key, checks)
  }
  return checks
}

/**
 * Evaluates a Pod, or the template of one.
 * @returns the violations in the order of messages; none if the Pod is allowed
 */
export function evaluatePod(standard: LevelVersion, metadata: ObjectMeta, spec: PodSpec): readonly Violation[] {
  return checksOf(standard).flatMap((check) => check(metadata, spec) ?? [])
}

/** Formats violations for a message about one Pod: `privileged (container "a" must not …), hostPort (…)`. */
export const violationsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ')

/** Formats violations for a message about several Pods: `privileged, hostPort`. */
export const reasonsText = (violations: readonly Violation[]): string => violations.map(({ reason }) => reason).join(', ')
