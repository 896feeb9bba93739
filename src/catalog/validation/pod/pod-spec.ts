/** Checks of the spec of Pods and pod templates. Follows ValidatePodSpec of k8s.io/kubernetes/pkg/apis/core/validation. */
import { forbiddenValue, invalidValue, required } from '../../../meta/field-error.ts'
import { inclusiveRangeError } from '../../../meta/names.ts'
import { validateAnnotations, validateLabels } from '../../../meta/object-meta-validation.ts'
import type { PodSpec, PodTemplateSpec } from '../../shapes/pod.ts'
import {
  checkDnsLabel,
  checkDnsSubdomain,
  checkIp,
  checkNonNegativeQuantity,
  checkQualifiedName,
  checkRequiredSupported,
  checkSupported,
  type Errors,
} from '../checks.ts'
import { checkContainers, checkInitContainers } from './containers.ts'
import { checkAffinity, checkGates, checkSpread, checkTolerations } from './scheduling.ts'
import { checkPodSecurityContext } from './security.ts'
import { checkVolumes } from './volumes.ts'

const restartPolicies = ['Always', 'OnFailure', 'Never']
const dnsPolicies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None']
const preemptionPolicies = ['PreemptLowerPriority', 'Never']
const maximumInt32 = 2 ** 31 - 1
const maximumNameservers = 3
const maximumSearches = 32
const maximumSearchCharacters = 2048

function checkDns({ dnsConfig, dnsPolicy }: PodSpec, field: string, errors: Errors): void {
  if (dnsPolicy === 'None') {
    if (dnsConfig === undefined) {
      errors.push(required(field, 'must provide `dnsConfig` when `dnsPolicy` is None'))
      return
    }
    if ((dnsConfig.nameservers ?? []).length === 0) {
      errors.push(required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'))
      return
    }
  }
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {}
  if (nameservers.length > maximumNameservers) {
    errors.push(invalidValue(`${field}.nameservers`, nameservers, `must not have more than ${maximumNameservers} nameservers`))
  }
  for (const [index, address] of nameservers.entries()) checkIp(address, `${field}.nameservers[${index}]`, errors)
  checkSearches(searches, `${field}.searches`, errors)
  for (const [index, option] of options.entries()) {
    if ((option.name ?? '') === '') errors.push(required(`${field}.options[${index}]`, 'must not be empty'))
  }
}

function checkSearches(searches: readonly string[], field: string, errors: Errors): void {
  if (searches.length > maximumSearches) {
    errors.push(invalidValue(field, searches, `must not have more than ${maximumSearches} search paths`))
  }
  if (searches.join(' ').length > maximumSearchCharacters) {
    const text = `must not have more than ${maximumSearchCharacters} characters (including spaces) in the search list`
    errors.push(invalidValue(field, searches, text))
  }
  for (const [index, search] of searches.entries()) {
    const name = search.replace(/\.$/, '').replaceAll('_', 'x')
    if (search !== '.') checkDnsSubdomain(name, `${field}[${index}]`, errors)
  }
}

function checkHostPorts(spec: PodSpec, field: string, errors: Errors): void {
  if (spec.hostNetwork !== true) return
  for (const [name, containers] of [
    ['containers', spec.containers],
    ['initContainers', spec.initContainers],
  ] as const) {
    for (const [index, { ports = [] }] of (containers ?? []).entries()) {
      for (const [at, { hostPort, containerPort }] of ports.entries()) {
        if (hostPort === containerPort) continue
        const text = 'must match `containerPort` when `hostNetwork` is true'
        errors.push(invalidValue(`${field}.${name}[${index}].ports[${at}].hostPort`, hostPort ?? 0, text))
      }
    }
  }
}

function checkNames(spec: PodSpec, field: string, errors: Errors): void {
  const { serviceAccountName = '', nodeName = '', activeDeadlineSeconds, hostname = '', subdomain = '' } = spec
  if (serviceAccountName !== '') checkDnsSubdomain(serviceAccountName, `${field}.serviceAccountName`, errors)
  if (nodeName !== '') checkDnsSubdomain(nodeName, `${field}.nodeName`, errors)
  if (activeDeadlineSeconds !== undefined && (activeDeadlineSeconds < 1 || activeDeadlineSeconds > maximumInt32)) {
    errors.push(invalidValue(`${field}.activeDeadlineSeconds`, activeDeadlineSeconds, inclusiveRangeError(1, maximumInt32)))
  }
  if (hostname !== '') checkDnsLabel(hostname, `${field}.hostname`, errors)
  if (subdomain !== '') checkDnsLabel(subdomain, `${field}.subdomain`, errors)
}

function checkHostAliases(spec: PodSpec, field: string, errors: Errors): void {
  for (const [index, { ip, hostnames = [] }] of (spec.hostAliases ?? []).entries()) {
    checkIp(ip, `${field}[${index}].ip`, errors)
    for (const [at, name] of hostnames.entries()) checkDnsSubdomain(name, `${field}[${index}].hostnames[${at}]`, errors)
  }
}

function checkClasses(spec: PodSpec, field: string, errors: Errors): void {
  const { priorityClassName = '', runtimeClassName, preemptionPolicy, overhead = {}, os } = spec
  if (priorityClassName !== '') checkDnsSubdomain(priorityClassName, `${field}.priorityClassName`, errors)
  if (runtimeClassName !== undefined) checkDnsSubdomain(runtimeClassName, `${field}.runtimeClassName`, errors)
  if (preemptionPolicy !== undefined) checkSupported(preemptionPolicy, preemptionPolicies, `${field}.preemptionPolicy`, errors)
  for (const [name, amount] of Object.entries(overhead)) {
    checkNonNegativeQuantity(amount, `${field}.overhead[${name}]`, errors)
  }
  if (os === undefined) return
  if (os.name === '') errors.push(required(`${field}.os.name`, 'cannot be empty'))
  else checkSupported(os.name, ['linux', 'windows'], `${field}.os.name`, errors)
}

/** The spec of a Pod. */
export function checkPodSpec(spec: PodSpec, field: string, errors: Errors): void {
  if (spec.terminationGracePeriodSeconds === undefined) errors.push(required(`${field}.terminationGracePeriodSeconds`))
  const volumes = checkVolumes(spec.volumes ?? [], `${field}.volumes`, errors)
  checkContainers(spec, volumes, `${field}.containers`, errors)
  checkInitContainers(spec, volumes, `${field}.initContainers`, errors)
  checkHostPorts(spec, field, errors)
  checkRequiredSupported(spec.restartPolicy, restartPolicies, `${field}.restartPolicy`, errors)
  checkRequiredSupported(spec.dnsPolicy, dnsPolicies, `${field}.dnsPolicy`, errors)
  if (spec.nodeSelector !== undefined) errors.push(...validateLabels(spec.nodeSelector, `${field}.nodeSelector`))
  checkPodSecurityContext(spec.securityContext, `${field}.securityContext`, errors)
  checkAffinity(spec.affinity, `${field}.affinity`, errors)
  checkDns(spec, `${field}.dnsConfig`, errors)
  for (const [index, gate] of (spec.readinessGates ?? []).entries()) {
    checkQualifiedName(gate.conditionType, `${field}.readinessGates[${index}].conditionType`, errors)
  }
  checkGates(spec.schedulingGates ?? [], `${field}.schedulingGates`, errors)
  checkSpread(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`, errors)
  checkNames(spec, field, errors)
  checkTolerations(spec.tolerations ?? [], `${field}.tolerations`, errors)
  checkHostAliases(spec, `${field}.hostAliases`, errors)
  checkClasses(spec, field, errors)
}

/** A pod template (ValidatePodTemplateSpec). */
export function checkPodTemplate(template: PodTemplateSpec, field: string, errors: Errors): void {
  const { labels = {}, annotations = {} } = template.metadata
  errors.push(...validateLabels(labels, `${field}.labels`))
  errors.push(...validateAnnotations(annotations, `${field}.annotations`))
  checkPodSpec(template.spec, `${field}.spec`, errors)
  if ((template.spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbiddenValue(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'))
  }
}
