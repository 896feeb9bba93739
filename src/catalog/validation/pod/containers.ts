/** Checks of containers. Follows validateContainers and validateInitContainers of k8s.io/kubernetes/pkg/apis/core/validation. */
import { duplicate, invalidValue, required, valueNotFound } from '../../../meta/field-error.ts'
import { isPortName } from '../../../meta/identifiers.ts'
import type { Container, ContainerPort, PodSpec, VolumeMount } from '../../shapes/pod.ts'
import { checkDnsLabel, checkMessages, checkPortNumber, checkRequiredSupported, checkSupported, type Errors } from '../checks.ts'
import { checkEnv, checkEnvFrom } from './env.ts'
import { checkLifecycleAndProbes, forbidLifecycleAndProbes } from './probes.ts'
import { checkResources } from './resources.ts'
import { checkSecurityContext } from './security.ts'

const protocols = ['SCTP', 'TCP', 'UDP']
const pullPolicies = ['Always', 'IfNotPresent', 'Never']
const messagePolicies = ['File', 'FallbackToLogsOnError']

function checkPorts(ports: readonly ContainerPort[], field: string, errors: Errors): void {
  const names = new Set<string>()
  for (const [index, { name = '', containerPort, hostPort = 0, protocol }] of ports.entries()) {
    const at = `${field}[${index}]`
    if (name !== '') {
      const messages = isPortName(name)
      checkMessages(messages, name, `${at}.name`, errors)
      if (messages.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name))
      names.add(name)
    }
    if (containerPort === 0) errors.push(required(`${at}.containerPort`))
    else checkPortNumber(containerPort, `${at}.containerPort`, errors)
    if (hostPort !== 0) checkPortNumber(hostPort, `${at}.hostPort`, errors)
    checkRequiredSupported(protocol, protocols, `${at}.protocol`, errors)
  }
}

function checkPath(path: string, field: string, errors: Errors): void {
  if (path.startsWith('/')) errors.push(invalidValue(field, path, 'must be a relative path'))
  if (path.split('/').includes('..')) errors.push(invalidValue(field, path, "must not contain '..'"))
}

function checkMounts(container: Container, volumes: ReadonlySet<string>, field: string, errors: Errors): void {
  const devices = container.volumeDevices ?? []
  const paths = new Set<string>()
  for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
    const at = `${field}[${index}]`
    const { name, mountPath } = mount
    if (name === '') errors.push(required(`${at}.name`))
    if (!volumes.has(name)) errors.push(valueNotFound(`${at}.name`, name))
    if (mountPath === '') errors.push(required(`${at}.mountPath`))
    if (paths.has(mountPath)) errors.push(invalidValue(`${at}.mountPath`, mountPath, 'must be unique'))
    paths.add(mountPath)
    if (devices.some((device) => device.name === name)) {
      errors.push(invalidValue(`${at}.name`, name, 'must not already exist in volumeDevices'))
    }
    if (devices.some((device) => device.devicePath === mountPath)) {
      errors.push(invalidValue(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'))
    }
    checkSubPaths(mount, at, field, errors)
  }
}

function checkSubPaths(mount: VolumeMount, at: string, field: string, errors: Errors): void {
  const { subPath = '', subPathExpr = '' } = mount
  if (subPath !== '') checkPath(subPath, `${field}.subPath`, errors)
  if (subPathExpr === '') return
  if (subPath !== '') {
    errors.push(invalidValue(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'))
  }
  checkPath(subPathExpr, `${field}.subPathExpr`, errors)
}

function checkCommon(container: Container, volumes: ReadonlySet<string>, field: string, errors: Errors): void {
  if (container.name === '') errors.push(required(`${field}.name`))
  else checkDnsLabel(container.name, `${field}.name`, errors)
  if ((container.image ?? '') === '') errors.push(required(`${field}.image`))
  checkRequiredSupported(container.terminationMessagePolicy, messagePolicies, `${field}.terminationMessagePolicy`, errors)
  if (container.ports !== undefined) checkPorts(container.ports, `${field}.ports`, errors)
  if (container.env !== undefined) checkEnv(container.env, `${field}.env`, errors)
  if (container.envFrom !== undefined) checkEnvFrom(container.envFrom, `${field}.envFrom`, errors)
  checkMounts(container, volumes, `${field}.volumeMounts`, errors)
  checkRequiredSupported(container.imagePullPolicy, pullPolicies, `${field}.imagePullPolicy`, errors)
  checkResources(container.resources, `${field}.resources`, errors)
  checkSecurityContext(container.securityContext, `${field}.securityContext`, errors)
}

function checkHostPorts(containers: readonly Container[], field: string, errors: Errors): void {
  const seen = new Set<string>()
  for (const [index, { ports = [] }] of containers.entries()) {
    for (const [at, { hostPort = 0, hostIP = '', protocol = '' }] of ports.entries()) {
      if (hostPort === 0) continue
      const key = `${protocol}/${hostIP}/${hostPort}`
      if (seen.has(key)) errors.push(duplicate(`${field}[${index}].ports[${at}].hostPort`, key))
      seen.add(key)
    }
  }
}

/** The containers of a Pod, of which there must be one at least. */
export function checkContainers(spec: PodSpec, volumes: ReadonlySet<string>, field: string, errors: Errors): void {
  const containers = spec.containers ?? []
  if (containers.length === 0) {
    errors.push(required(field))
    return
  }
  const names = new Set<string>()
  for (const [index, container] of containers.entries()) {
    const at = `${field}[${index}]`
    checkCommon(container, volumes, at, errors)
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name))
    names.add(container.name)
    checkLifecycleAndProbes(container, spec.terminationGracePeriodSeconds, at, errors)
    const { restartPolicy } = container
    if (restartPolicy !== undefined) {
      checkSupported(restartPolicy, ['Always', 'Never', 'OnFailure'], `${at}.restartPolicy`, errors)
    }
  }
  checkHostPorts(containers, field, errors)
}

/** The containers that run before the others. */
export function checkInitContainers(spec: PodSpec, volumes: ReadonlySet<string>, field: string, errors: Errors): void {
  const names = new Set((spec.containers ?? []).map((container) => container.name))
  for (const [index, container] of (spec.initContainers ?? []).entries()) {
    const at = `${field}[${index}]`
    checkCommon(container, volumes, at, errors)
    const { restartPolicy } = container
    if (restartPolicy !== undefined) {
      checkSupported(restartPolicy, ['Always', 'Never', 'OnFailure'], `${at}.restartPolicy`, errors)
    }
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name))
    else if (container.name !== '') names.add(container.name)
    checkHostPorts([container], field, errors)
    if (restartPolicy === 'Always') checkLifecycleAndProbes(container, spec.terminationGracePeriodSeconds, at, errors)
    else forbidLifecycleAndProbes(container, 'may not be set for init containers without restartPolicy=Always', at, errors)
  }
}
