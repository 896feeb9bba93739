/** Checks of a container's environment. Follows ValidateEnv and ValidateEnvFrom of k8s.io/kubernetes/pkg/apis/core/validation. */
import { invalidValue, notSupported, required } from '../../../meta/field-error.ts'
import { isConfigMapKey, isRelaxedEnvVarName } from '../../../meta/identifiers.ts'
import { isDns1123Subdomain } from '../../../meta/names.ts'
import type { EnvFromSource, EnvVar, EnvVarSource } from '../../shapes/pod.ts'
import { checkMessages, checkQualifiedName, type Errors } from '../checks.ts'

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

/** Which fields of a Pod its containers may read. */
export type FieldPaths = readonly string[]

const subscripted = /^(.*)\['([^']*)'\]$/
/** Paths that are known to the conversion of field paths, whether they may be read here or not. */
const knownPaths = new Set([
  ...fieldPaths,
  'metadata.annotations',
  'metadata.labels',
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
])

/** A field of the Pod: one of `paths`, or one annotation or label. */
export function checkFieldRef(
  ref: { apiVersion?: string; fieldPath: string },
  paths: FieldPaths,
  field: string,
  errors: Errors,
): void {
  if ((ref.apiVersion ?? '') === '') errors.push(required(`${field}.apiVersion`))
  else if (ref.fieldPath === '') errors.push(required(`${field}.fieldPath`))
  else checkFieldPath(ref.fieldPath, paths, field, errors)
}

function checkFieldPath(path: string, paths: FieldPaths, field: string, errors: Errors): void {
  const match = path.length < 1024 ? subscripted.exec(path) : null
  if (match === null) {
    if (!knownPaths.has(path)) {
      errors.push(invalidValue(`${field}.fieldPath`, path, `error converting fieldPath: field label not supported: ${path}`))
    } else if (!paths.includes(path)) errors.push(notSupported(`${field}.fieldPath`, path, paths))
    return
  }
  const [, base = '', key = ''] = match
  if (base === 'metadata.annotations') checkQualifiedName(key.toLowerCase(), field, errors)
  else if (base === 'metadata.labels') checkQualifiedName(key, field, errors)
  else {
    errors.push(
      invalidValue(`${field}.fieldPath`, path, `error converting fieldPath: field label does not support subscript: ${path}`),
    )
  }
}

function checkResourceRef(ref: { resource: string }, field: string, errors: Errors): void {
  if (ref.resource === '') errors.push(required(`${field}.resource`))
  else if (!resourcePaths.includes(ref.resource) && !hugePages.test(ref.resource)) {
    errors.push(notSupported(`${field}.resource`, ref.resource, resourcePaths))
  }
}

/** A key of a ConfigMap or Secret. */
export function checkKeyRef(ref: { name?: string; key: string }, field: string, errors: Errors): void {
  checkMessages(isDns1123Subdomain(ref.name ?? ''), ref.name ?? '', `${field}.name`, errors)
  if (ref.key === '') errors.push(required(`${field}.key`))
  else checkMessages(isConfigMapKey(ref.key), ref.key, `${field}.key`, errors)
}

function checkSource(source: EnvVarSource, value: string, field: string, errors: Errors): void {
  if (source.fieldRef !== undefined) checkFieldRef(source.fieldRef, fieldPaths, `${field}.fieldRef`, errors)
  if (source.resourceFieldRef !== undefined) checkResourceRef(source.resourceFieldRef, `${field}.resourceFieldRef`, errors)
  if (source.configMapKeyRef !== undefined) checkKeyRef(source.configMapKeyRef, `${field}.configMapKeyRef`, errors)
  if (source.secretKeyRef !== undefined) checkKeyRef(source.secretKeyRef, `${field}.secretKeyRef`, errors)
  const count = Object.keys(source).length
  if (count === 0) {
    const text = 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`'
    errors.push(invalidValue(field, '', text))
  } else if (value !== '') errors.push(invalidValue(field, '', 'may not be specified when `value` is not empty'))
  else if (count > 1) errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'))
}

/** The variables of a container. */
export function checkEnv(variables: readonly EnvVar[], field: string, errors: Errors): void {
  for (const [index, { name, value = '', valueFrom }] of variables.entries()) {
    const at = `${field}[${index}]`
    if (name === '') errors.push(required(`${at}.name`))
    else checkMessages(isRelaxedEnvVarName(name), name, `${at}.name`, errors)
    if (valueFrom !== undefined) checkSource(valueFrom, value, `${at}.valueFrom`, errors)
  }
}

function checkEnvSourceName(name: string, field: string, errors: Errors): void {
  if (name === '') errors.push(required(field))
  else checkMessages(isDns1123Subdomain(name.endsWith('-') ? `${name.slice(0, -1)}a` : name), name, field, errors)
}

/** The ConfigMaps and Secrets whose keys become variables of a container. */
export function checkEnvFrom(sources: readonly EnvFromSource[], field: string, errors: Errors): void {
  for (const [index, { prefix = '', configMapRef, secretRef }] of sources.entries()) {
    const at = `${field}[${index}]`
    if (prefix !== '') checkMessages(isRelaxedEnvVarName(prefix), prefix, `${at}.prefix`, errors)
    if (configMapRef !== undefined) checkEnvSourceName(configMapRef.name ?? '', `${at}.configMapRef.name`, errors)
    if (secretRef !== undefined) checkEnvSourceName(secretRef.name ?? '', `${at}.secretRef.name`, errors)
    if (configMapRef === undefined && secretRef === undefined) {
      errors.push(invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`'))
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'))
    }
  }
}
