/** The hand-written defaulting rules by API group. */
import { autoscalingRules } from './autoscaling.ts'
import {
  admissionRules,
  apiExtensionsRules,
  apiRegistrationRules,
  authenticationRules,
  discoveryRules,
  flowControlRules,
  networkingRules,
  policyRules,
  rbacRules,
  resourceRules,
  schedulingRules,
  storageRules,
} from './cluster.ts'
import { coreRules } from './core.ts'
import { otherVersionRules } from './other-versions.ts'
import { podRules } from './pod.ts'
import type { Rules } from './rule.ts'
import { DefaultingWalk } from './walk.ts'
import { appsRules, batchRules } from './workloads.ts'

/** The status of claims in templates is defaulted like that of claims. */
const claims: Rules = { 'v1.PersistentVolumeClaimStatus': coreRules['v1.PersistentVolumeClaimStatus'] ?? (() => {}) }

const rules: Readonly<Record<string, Rules>> = {
  '': coreRules,
  apps: { ...podRules, ...claims, ...appsRules },
  batch: { ...podRules, ...batchRules },
  'authentication.k8s.io': authenticationRules,
  autoscaling: autoscalingRules,
  'admissionregistration.k8s.io': admissionRules,
  'apiextensions.k8s.io': apiExtensionsRules,
  'apiregistration.k8s.io': apiRegistrationRules,
  'discovery.k8s.io': discoveryRules,
  extensions: podRules,
  'flowcontrol.apiserver.k8s.io': flowControlRules,
  'networking.k8s.io': networkingRules,
  policy: policyRules,
  'rbac.authorization.k8s.io': rbacRules,
  'resource.k8s.io': resourceRules,
  'scheduling.k8s.io': schedulingRules,
  'settings.k8s.io': podRules,
  'storage.k8s.io': storageRules,
}

const groups = new Set([...Object.keys(rules), ...Object.keys(otherVersionRules)])

/** The rules of each group; groups without rules of their own are not listed. */
export const defaulters: ReadonlyMap<string, DefaultingWalk> = new Map(
  [...groups].map((group) => [group, new DefaultingWalk({ ...rules[group], ...otherVersionRules[group] })]),
)
