/** Checks of a container's environment. Follows ValidateEnv and ValidateEnvFrom of k8s.io/kubernetes/pkg/apis/core/validation. */
import { invalidValue } from '../../../meta/field-error.ts'
import { isConfigMapKey, isRelaxedEnvVarName } from '../../../meta/identifiers.ts'
import { isDns1123Subdomain, nameIsDnsSubdomain } from '../../../meta/names.ts'
import { compareQuantities } from '../../../meta/quantity.ts'
import type { EnvFromSource, EnvVar, EnvVarSource, FileKeySelector } from '../../generated/types/core.v1.ts'
import { type Errors, itemsOf } from '../checks.ts'
import { checkNoBacksteps } from './paths.ts'

const fieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

const resourcePaths = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]

const hugePages = /^(?:limits|requests)\.hugepages-/

/** The fields of a Pod that its containers may read. */
export type FieldPaths = readonly string[]

const subscripted = /^(.*)\['([^']*)'\]$/
/** The paths that the conversion of field paths knows, including those that are not allowed here. */
const knownPaths = new Set([
  ...fieldPaths,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
])
/** Deprecated paths, each with its current name. */
const formerPaths: Readonly<Record<string, string>> = { 'spec.host': 'spec.nodeName' }

/** Validates a fieldRef: one of `paths`, or one annotation or label. */
export function checkFieldRef(
  ref: { apiVersion?: string; fieldPath: string },
  paths: FieldPaths,
  field: string,
  errors: Errors,
): void {
  if ((ref.apiVersion ?? '') === '') errors.required(`${field}.apiVersion`)
  else if (ref.fieldPath === '') errors.required(`${field}.fieldPath`)
  else if (ref.apiVersion !== 'v1') {
    errors.invalid(`${field}.fieldPath`, ref.fieldPath, `error converting fieldPath: unsupported pod version: ${ref.apiVersion}`)
  } else checkFieldPath(formerPaths[ref.fieldPath] ?? ref.fieldPath, paths, field, errors)
}

function checkFieldPath(path: string, paths: FieldPaths, field: string, errors: Errors): void {
  const match = path.length < 1024 ? subscripted.exec(path) : null
  if (match === null) {
    if (!knownPaths.has(path)) {
      errors.invalid(`${field}.fieldPath`, path, `error converting fieldPath: field label not supported: ${path}`)
    } else if (!paths.includes(path)) errors.textNotSupported(`${field}.fieldPath`, path, paths)
    return
  }
  const [, base = '', key = ''] = match
  if (base === 'metadata.annotations') errors.checkQualifiedName(key.toLowerCase(), field)
  else if (base === 'metadata.labels') errors.checkQualifiedName(key, field)
  else {
    errors.push(
      invalidValue(`${field}.fieldPath`, path, `error converting fieldPath: field label does not support subscript: ${path}`),
    )
  }
}

const powers = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']
const byteDivisors: ReadonlySet<string> = new Set(powers)
const cpuDivisors: ReadonlySet<string> = new Set(['1m', '1'])
const byteText = (name: string): string => `only divisor's values ${powers.join(', ')} are supported with the ${name} resource`

interface Divisors {
  readonly values: ReadonlySet<string>
  readonly text: string
}

function divisorsOf(resource: string): Divisors | undefined {
  const name = resource.slice(resource.indexOf('.') + 1)
  if (hugePages.test(resource)) return { values: byteDivisors, text: byteText('hugepages') }
  if (!resourcePaths.includes(resource)) return undefined
  if (name === 'cpu') return { values: cpuDivisors, text: "only divisor's values 1m and 1 are supported with the cpu resource" }
  return { values: byteDivisors, text: byteText(name === 'memory' ? name : 'local ephemeral storage') }
}

/** Validates a resourceFieldRef. In a volume it must name a container. */
export function checkResourceRef(
  ref: { containerName?: string; resource: string; divisor?: string },
  container: 'is known' | 'needs container',
  field: string,
  errors: Errors,
): void {
  const { containerName = '', resource, divisor = '0' } = ref
  if (container === 'needs container' && containerName === '') errors.required(`${field}.containerName`)
  else if (resource === '') errors.required(`${field}.resource`)
  else if (!resourcePaths.includes(resource) && !hugePages.test(resource)) {
    errors.textNotSupported(`${field}.resource`, resource, resourcePaths)
  }
  if (compareQuantities(divisor, '0') === 0) return
  const divisors = divisorsOf(resource)
  if (divisors === undefined || divisors.values.has(divisor)) return
  errors.invalid(`${field}.divisor`, resource, divisors.text)
}

function checkFileKey({ volumeName, path, key }: FileKeySelector, field: string, errors: Errors): void {
  if (key === '') errors.required(`${field}.key`)
  else errors.checkMessages(isRelaxedEnvVarName(key), key, `${field}.key`)
  if (volumeName === '') errors.required(`${field}.volumeName`)
  else errors.checkDnsLabel(volumeName, `${field}.volumeName`)
  if (path === '') errors.required(`${field}.path`)
  else checkNoBacksteps(path, `${field}.path`, errors)
}

/** Validates a reference to a key of a ConfigMap or Secret. */
export function checkKeyRef(ref: { name?: string; key: string }, field: string, errors: Errors): void {
  errors.checkMessages(isDns1123Subdomain(ref.name ?? ''), ref.name ?? '', `${field}.name`)
  if (ref.key === '') errors.required(`${field}.key`)
  else errors.checkMessages(isConfigMapKey(ref.key), ref.key, `${field}.key`)
}

function checkSource(source: EnvVarSource, value: string, field: string, errors: Errors): void {
  if (source.fieldRef !== undefined) checkFieldRef(source.fieldRef, fieldPaths, `${field}.fieldRef`, errors)
  if (source.resourceFieldRef !== undefined)
    checkResourceRef(source.resourceFieldRef, 'is known', `${field}.resourceFieldRef`, errors)
  if (source.configMapKeyRef !== undefined) checkKeyRef(source.configMapKeyRef, `${field}.configMapKeyRef`, errors)
  if (source.secretKeyRef !== undefined) checkKeyRef(source.secretKeyRef, `${field}.secretKeyRef`, errors)
  if (source.fileKeyRef !== undefined) checkFileKey(source.fileKeyRef, `${field}.fileKeyRef`, errors)
  const count = Object.keys(source).length
  if (count === 0) {
    const text = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
    errors.invalid(field, '', text)
  } else if (value !== '') errors.invalid(field, '', 'may not be specified when `value` is not empty')
  else if (count > 1) errors.invalid(field, '', 'may not have more than one field specified at a time')
}

/** Validates the environment variables of a container. */
export function checkEnv(variables: readonly EnvVar[], field: string, errors: Errors): void {
  for (const [at, { name, value = '', valueFrom }] of itemsOf(variables, field)) {
    if (name === '') errors.required(`${at}.name`)
    else errors.checkMessages(isRelaxedEnvVarName(name), name, `${at}.name`)
    if (valueFrom !== undefined) checkSource(valueFrom, value, `${at}.valueFrom`, errors)
  }
}

function checkEnvSourceName(name: string, field: string, errors: Errors): void {
  if (name === '') errors.required(field)
  else errors.checkMessages(nameIsDnsSubdomain(name, true), name, field)
}

/** Validates envFrom: ConfigMaps and Secrets whose keys become environment variables. */
export function checkEnvFrom(sources: readonly EnvFromSource[], field: string, errors: Errors): void {
  for (const [at, { prefix = '', configMapRef, secretRef }] of itemsOf(sources, field)) {
    if (prefix !== '') errors.checkMessages(isRelaxedEnvVarName(prefix), prefix, `${at}.prefix`)
    if (configMapRef !== undefined) checkEnvSourceName(configMapRef.name ?? '', `${at}.configMapRef.name`, errors)
    if (secretRef !== undefined) checkEnvSourceName(secretRef.name ?? '', `${at}.secretRef.name`, errors)
    if (configMapRef === undefined && secretRef === undefined) {
      errors.invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`')
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.invalid(field, '', 'may not have more than one field specified at a time')
    }
  }
}
