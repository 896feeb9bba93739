/** Checks of the spec of Pods and pod templates. Follows ValidatePodSpec of k8s.io/kubernetes/pkg/apis/core/validation. */
import { utf8Length } from '../../../go/text.ts'
import { isDns1123SubdomainWithUnderscore } from '../../../meta/identifiers.ts'
import { inclusiveRangeError } from '../../../meta/names.ts'
import type { ObjectMeta } from '../../../meta/object-meta.ts'
import { validateAnnotations, validateLabels } from '../../../meta/object-meta-validation.ts'
import type { PodSpec, PodTemplateSpec } from '../../generated/types/core.v1.ts'
import { checkIp, type Errors, itemsOf } from '../checks.ts'
import { checkPodAnnotations, mirrorAnnotation } from './annotations.ts'
import { checkAllContainers } from './containers.ts'
import { checkOverhead, checkPodResources } from './resources.ts'
import { checkAffinity, checkGates, checkSpread, checkTolerations } from './scheduling.ts'
import { checkHostUsers, checkPodSecurityContext, checkProfileAnnotations } from './security.ts'
import { checkVolumes } from './volumes.ts'
import { checkHostProcess, checkLinux, checkWindows, containersOf } from './windows.ts'

const longestHostname = 64
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
      errors.required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')
      return
    }
    if ((dnsConfig.nameservers ?? []).length === 0) {
      errors.required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')
      return
    }
  }
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {}
  if (nameservers.length > maximumNameservers) {
    errors.invalid(`${field}.nameservers`, nameservers, `must not have more than ${maximumNameservers} nameservers`)
  }
  for (const [index, address] of nameservers.entries()) checkIp(address, `${field}.nameservers[${index}]`, errors)
  checkSearches(searches, `${field}.searches`, errors)
  for (const [index, option] of options.entries()) {
    if ((option.name ?? '') === '') errors.required(`${field}.options[${index}]`, 'must not be empty')
  }
}

function checkSearches(searches: readonly string[], field: string, errors: Errors): void {
  if (searches.length > maximumSearches) {
    errors.invalid(field, searches, `must not have more than ${maximumSearches} search paths`)
  }
  if (searches.join(' ').length > maximumSearchCharacters) {
    const text = `must not have more than ${maximumSearchCharacters} characters (including spaces) in the search list`
    errors.invalid(field, searches, text)
  }
  for (const [index, search] of searches.entries()) {
    const name = search.replace(/\.$/, '')
    if (search !== '.') errors.checkMessages(isDns1123SubdomainWithUnderscore(name), name, `${field}[${index}]`)
  }
}

function checkHostPorts(spec: PodSpec, pod: ObjectMeta | undefined, field: string, errors: Errors): void {
  if (spec.hostNetwork !== true) return
  for (const [index, { ports = [] }] of (spec.containers ?? []).entries()) {
    for (const [at, { hostPort = 0, containerPort }] of ports.entries()) {
      if (hostPort === containerPort || (pod === undefined && hostPort === 0)) continue
      const text = 'must match `containerPort` when `hostNetwork` is true'
      errors.invalid(`${field}.containers[${index}].ports[${at}].hostPort`, hostPort, text)
    }
  }
}

function checkHostname(spec: PodSpec, field: string, errors: Errors): void {
  const { hostnameOverride } = spec
  if (hostnameOverride === undefined) return
  if (spec.setHostnameAsFQDN === true) errors.forbidden(field, 'may not be specified when setHostnameAsFQDN is true')
  if (spec.hostNetwork === true) errors.forbidden(field, 'may not be specified when hostNetwork is true')
  if (utf8Length(hostnameOverride) > longestHostname) errors.tooLong(field, longestHostname)
  errors.checkDnsSubdomain(hostnameOverride, field)
}

type PodClaim = NonNullable<PodSpec['resourceClaims']>[number]

/** Converts a Pod's claim to the internal form that error messages quote. */
const internalClaim = ({ name, resourceClaimName, resourceClaimTemplateName }: PodClaim): unknown => ({
  Name: name,
  ResourceClaimName: resourceClaimName ?? null,
  ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
})

function checkClaimSources(claim: PodClaim, at: string, errors: Errors): void {
  const names = (['resourceClaimName', 'resourceClaimTemplateName'] as const).filter((name) => claim[name] !== undefined)
  if (names.length === 0) {
    errors.invalid(at, internalClaim(claim), 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`')
  } else if (names.length > 1) {
    errors.invalid(at, internalClaim(claim), 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified')
  }
  for (const name of names) errors.checkDnsSubdomain(claim[name] ?? '', `${at}.${name}`)
}

function checkPodClaims(spec: PodSpec, pod: ObjectMeta | undefined, field: string, errors: Errors): void {
  const isStatic = pod?.annotations?.[mirrorAnnotation] !== undefined
  const names = new Set<string>()
  for (const [at, claim] of itemsOf(spec.resourceClaims, field)) {
    if (isStatic) {
      errors.forbidden('[]', 'static pods do not support resource claims')
      continue
    }
    if (claim.name === '') errors.required(`${at}.name`)
    else if (names.has(claim.name)) errors.duplicate(`${at}.name`, claim.name)
    else errors.checkDnsLabel(claim.name, `${at}.name`)
    names.add(claim.name)
    checkClaimSources(claim, at, errors)
  }
}

/** Checks that fileKeyRef names an emptyDir volume of the Pod. */
function checkEnvFiles(spec: PodSpec, field: string, errors: Errors): void {
  for (const [container, at] of containersOf(spec, field)) {
    for (const [index, { valueFrom }] of (container.env ?? []).entries()) {
      const name = valueFrom?.fileKeyRef?.volumeName
      if (name === undefined) continue
      const volume = (spec.volumes ?? []).findLast((candidate) => candidate.name === name)
      const named = `${at}.env[${index}].valueFrom.fileKeyRef.volumeName`
      if (volume === undefined) errors.notFound(named, name)
      else if (volume.emptyDir === undefined) {
        errors.invalid(named, name, 'referenced volume must be of type emptyDir')
      }
    }
  }
}

function checkNames(spec: PodSpec, field: string, errors: Errors): void {
  const { serviceAccountName = '', nodeName = '', activeDeadlineSeconds, hostname = '', subdomain = '' } = spec
  if (serviceAccountName !== '') errors.checkDnsSubdomain(serviceAccountName, `${field}.serviceAccountName`)
  if (nodeName !== '') errors.checkDnsSubdomain(nodeName, `${field}.nodeName`)
  if (activeDeadlineSeconds !== undefined && (activeDeadlineSeconds < 1 || activeDeadlineSeconds > maximumInt32)) {
    errors.invalid(`${field}.activeDeadlineSeconds`, activeDeadlineSeconds, inclusiveRangeError(1, maximumInt32))
  }
  if (hostname !== '') errors.checkDnsLabel(hostname, `${field}.hostname`)
  if (subdomain !== '') errors.checkDnsLabel(subdomain, `${field}.subdomain`)
}

function checkHostAliases(spec: PodSpec, field: string, errors: Errors): void {
  for (const [index, { ip, hostnames = [] }] of (spec.hostAliases ?? []).entries()) {
    checkIp(ip, `${field}[${index}].ip`, errors)
    for (const [at, name] of hostnames.entries()) errors.checkDnsSubdomain(name, `${field}[${index}].hostnames[${at}]`)
  }
}

function checkClasses(spec: PodSpec, field: string, errors: Errors): void {
  const { priorityClassName = '', runtimeClassName, preemptionPolicy, overhead = {}, os } = spec
  if (priorityClassName !== '') errors.checkDnsSubdomain(priorityClassName, `${field}.priorityClassName`)
  if (runtimeClassName !== undefined) errors.checkDnsSubdomain(runtimeClassName, `${field}.runtimeClassName`)
  if (preemptionPolicy !== undefined)
    errors.checkRequiredSupported(preemptionPolicy, preemptionPolicies, `${field}.preemptionPolicy`)
  checkOverhead(overhead, `${field}.overhead`, errors)
  if (os === undefined) return
  if (os.name === '') errors.required(`${field}.os.name`)
  else if (os.name === 'linux') checkLinux(spec, field, errors)
  else if (os.name === 'windows') checkWindows(spec, field, errors)
  else errors.notSupported(`${field}.os`, os.name, ['linux', 'windows'])
}

function checkScheduling(spec: PodSpec, field: string, errors: Errors): void {
  checkAffinity(spec.affinity, `${field}.affinity`, errors)
  checkDns(spec, `${field}.dnsConfig`, errors)
  for (const [index, gate] of (spec.readinessGates ?? []).entries()) {
    errors.checkQualifiedName(gate.conditionType, `${field}.readinessGates[${index}].conditionType`)
  }
  checkGates(spec.schedulingGates ?? [], `${field}.schedulingGates`, errors)
  checkSpread(spec.topologySpreadConstraints ?? [], `${field}.topologySpreadConstraints`, errors)
}

/**
 * Validates the spec of a Pod or Pod template.
 * @param pod the Pod's metadata; undefined for a template, which is validated less strictly
 */
export function checkPodSpec(spec: PodSpec, pod: ObjectMeta | undefined, field: string, errors: Errors): void {
  if (spec.terminationGracePeriodSeconds === undefined) errors.required(`${field}.terminationGracePeriodSeconds`)
  const volumes = checkVolumes(spec.volumes ?? [], pod, `${field}.volumes`, errors)
  checkPodClaims(spec, pod, `${field}.resourceClaims`, errors)
  checkAllContainers(spec, volumes, field, errors)
  checkPodResources(spec, `${field}.resources`, errors)
  checkHostPorts(spec, pod, field, errors)
  errors.checkRequiredSupported(spec.restartPolicy, restartPolicies, `${field}.restartPolicy`)
  errors.checkRequiredSupported(spec.dnsPolicy, dnsPolicies, `${field}.dnsPolicy`)
  if (spec.nodeSelector !== undefined) errors.push(...validateLabels(spec.nodeSelector, `${field}.nodeSelector`))
  checkPodSecurityContext(spec, `${field}.securityContext`, errors)
  checkScheduling(spec, field, errors)
  checkHostProcess(spec, field, errors)
  checkHostUsers(spec, field, errors)
  checkHostname(spec, `${field}.hostnameOverride`, errors)
  checkNames(spec, field, errors)
  checkTolerations(spec.tolerations ?? [], `${field}.tolerations`, errors)
  checkHostAliases(spec, `${field}.hostAliases`, errors)
  checkClasses(spec, field, errors)
  checkEnvFiles(spec, field, errors)
}

/** Validates a Pod template (ValidatePodTemplateSpec). */
export function checkPodTemplate({ metadata, spec }: PodTemplateSpec, field: string, errors: Errors): void {
  const { labels = {}, annotations = {} } = metadata
  errors.push(...validateLabels(labels, `${field}.labels`))
  errors.push(...validateAnnotations(annotations, `${field}.annotations`))
  checkPodAnnotations(metadata, spec, `${field}.annotations`, errors)
  checkPodSpec(spec, undefined, `${field}.spec`, errors)
  checkProfileAnnotations(metadata, spec, `${field}.spec`, errors)
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.forbidden(`${field}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template')
  }
}
