/** Checks of containers. Follows validateContainers and validateInitContainers of k8s.io/kubernetes/pkg/apis/core/validation. */
import { trimSpace } from '../../../go/text.ts'
import { isPortName } from '../../../meta/identifiers.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import { type Container, type ContainerPort, type PodSpec, Protocol, PullPolicy } from '../../generated/types/core.v1.ts'
import { type Errors, itemsOf } from '../checks.ts'
import { checkEnv, checkEnvFrom } from './env.ts'
import { checkDevices, checkMounts } from './mounts.ts'
import { checkLifecycleAndProbes, forbidLifecycleAndProbes } from './probes.ts'
import { checkClaims, checkResources } from './resources.ts'
import { checkResizePolicy, checkRestarts } from './restarts.ts'
import { checkSecurityContext } from './security.ts'
import type { Volumes } from './volumes.ts'

const messagePolicies = ['File', 'FallbackToLogsOnError']

function checkPorts(ports: readonly ContainerPort[], field: string, errors: Errors): void {
  const names = new Set<string>()
  for (const [at, { name = '', containerPort, hostPort = 0, protocol }] of itemsOf(ports, field)) {
    if (name !== '') {
      const messages = isPortName(name)
      errors.checkMessages(messages, name, `${at}.name`)
      if (messages.length === 0 && names.has(name)) errors.duplicate(`${at}.name`, name)
      names.add(name)
    }
    if (containerPort === 0) errors.required(`${at}.containerPort`)
    else errors.checkPortNumber(containerPort, `${at}.containerPort`)
    if (hostPort !== 0) errors.checkPortNumber(hostPort, `${at}.hostPort`)
    errors.checkRequiredSupported(protocol, Protocol, `${at}.protocol`)
  }
}

/** The values that the checks of all containers of a Pod share. */
interface PodContext {
  readonly spec: PodSpec
  readonly volumes: Volumes
  readonly claims: ReadonlySet<string>
}

function checkCommon(container: Container, { spec, volumes, claims }: PodContext, field: string, errors: Errors): void {
  if (container.name === '') errors.required(`${field}.name`)
  else errors.checkDnsLabel(container.name, `${field}.name`)
  if ((container.image ?? '') === '') errors.required(`${field}.image`)
  errors.checkRequiredSupported(container.terminationMessagePolicy, messagePolicies, `${field}.terminationMessagePolicy`)
  if (container.ports !== undefined) checkPorts(container.ports, `${field}.ports`, errors)
  if (container.env !== undefined) checkEnv(container.env, `${field}.env`, errors)
  if (container.envFrom !== undefined) checkEnvFrom(container.envFrom, `${field}.envFrom`, errors)
  checkMounts(container, volumes, `${field}.volumeMounts`, errors)
  if (container.volumeDevices !== undefined) checkDevices(container, volumes, `${field}.volumeDevices`, errors)
  errors.checkRequiredSupported(container.imagePullPolicy, PullPolicy, `${field}.imagePullPolicy`)
  checkResources(container.resources, `${field}.resources`, errors)
  checkClaims(container.resources.claims ?? [], claims, `${field}.resources.claims`, errors)
  checkResizePolicy(container, spec.restartPolicy, `${field}.resizePolicy`, errors)
  checkSecurityContext(container.securityContext, spec.hostUsers, `${field}.securityContext`, errors)
}

function checkHostPorts(containers: readonly Container[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, { ports = [] }] of containers.entries()) {
    for (const [at, { hostPort = 0, hostIP = '', protocol = '' }] of ports.entries()) {
      if (hostPort === 0) continue
      const key = `${protocol}/${hostIP}/${hostPort}`
      errors.checkUnique(seen, key, `${field}[${index}].ports[${at}].hostPort`)
    }
  }
}

/** Validates the containers, at least one of which is required. */
function checkContainers(context: PodContext, field: string, errors: Errors): void {
  const containers = context.spec.containers ?? []
  if (containers.length === 0) {
    errors.required(field)
    return
  }
  const names = new Set<string>()
  for (const [at, container] of itemsOf(containers, field)) {
    checkCommon(container, context, at, errors)
    errors.checkUnique(names, container.name, `${at}.name`)
    checkLifecycleAndProbes(container, context.spec, at, errors)
    checkRestarts(container, 'container', at, errors)
  }
  checkHostPorts(containers, field, errors)
}

/** Validates the init containers. */
function checkInitContainers(context: PodContext, field: string, errors: Errors): void {
  const { spec } = context
  const names = new Set((spec.containers ?? []).map((container) => container.name))
  for (const [at, container] of itemsOf(spec.initContainers, field)) {
    checkCommon(container, context, at, errors)
    checkRestarts(container, 'init container', at, errors)
    if (names.has(container.name)) errors.duplicate(`${at}.name`, container.name)
    else if (container.name !== '') names.add(container.name)
    checkHostPorts([container], field, errors)
    if (container.restartPolicy === 'Always') {
      checkLifecycleAndProbes(container, spec, at, errors)
      continue
    }
    forbidLifecycleAndProbes(container, 'may not be set for init containers without restartPolicy=Always', at, errors)
    for (const [policy, { restartPolicy }] of (container.resizePolicy ?? []).entries()) {
      if (restartPolicy !== 'RestartContainer') continue
      const text = "must not be set to 'RestartContainer' for non-sidecar initContainers"
      errors.invalid(`${at}.resizePolicy[${policy}].restartPolicy`, restartPolicy, text)
    }
  }
}

/** Fields that ephemeral containers must not have, in the order of the messages. */
const notEphemeral = [
  ...['ports', 'resources', 'resizePolicy', 'restartPolicy', 'restartPolicyRules', 'livenessProbe', 'readinessProbe'],
  ...['startupProbe', 'lifecycle'],
] as const

const hasFields = (resources: Container['resources']): boolean =>
  ['limits', 'requests', 'claims'].some((name) => Object.hasOwn(resources, name) || explicitEmpty(resources, name) !== undefined)

function checkEphemeral(container: Container, at: string, errors: Errors): void {
  const text = 'cannot be set for an Ephemeral Container'
  for (const name of notEphemeral) {
    const value = container[name as keyof Container] ?? explicitEmpty(container, name)
    // `resources` is not a pointer in Go: absent and empty are the same.
    if (value !== undefined && (name !== 'resources' || hasFields(container.resources))) errors.forbidden(`${at}.${name}`, text)
  }
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    for (const name of ['subPath', 'subPathExpr'] as const) {
      if ((mount[name] ?? '') !== '') errors.forbidden(`${at}.volumeMounts[${index}].${name}`, text)
    }
  }
}

/** Validates the ephemeral containers. */
function checkEphemeralContainers(context: PodContext, field: string, errors: Errors): void {
  const { containers, initContainers, ephemeralContainers = [] } = context.spec
  const others = new Set([...(containers ?? []), ...(initContainers ?? [])].map(({ name }) => name))
  const names = new Set(others)
  for (const [at, container] of itemsOf(ephemeralContainers, field)) {
    checkCommon(container, context, at, errors)
    checkImageSpace(container, at, errors)
    errors.checkUnique(names, container.name, `${at}.name`)
    const { targetContainerName = '' } = container
    if (targetContainerName !== '' && !others.has(targetContainerName)) {
      errors.notFound(`${at}.targetContainerName`, targetContainerName)
    }
    checkEphemeral(container, at, errors)
  }
}

/** Checks that an image has no space around it. Only Pods are checked, not templates. */
export function checkImageSpace({ image = '' }: Container, at: string, errors: Errors): void {
  if (trimSpace(image) === image) return
  errors.invalid(`${at}.image`, image, 'must not have leading or trailing whitespace')
}

/** Validates all containers of a Pod or Pod template. */
export function checkAllContainers(spec: PodSpec, volumes: Volumes, field: string, errors: Errors): void {
  const claims = new Set((spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name !== ''))
  const context: PodContext = { spec, volumes, claims }
  checkContainers(context, `${field}.containers`, errors)
  if (spec.initContainers !== undefined) checkInitContainers(context, `${field}.initContainers`, errors)
  if (spec.ephemeralContainers !== undefined) checkEphemeralContainers(context, `${field}.ephemeralContainers`, errors)
}
