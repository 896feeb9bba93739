/**
 * The admission plugin PodTolerationRestriction: Pods get the default tolerations of their namespace and may have only those that it
 * allows. Disabled by default.
 */
import type { Pod, Toleration } from '../../../catalog/generated/types/core.v1.ts'
import { isSame } from '../../../catalog/validation/checks.ts'
import { checkSyntax } from '../../../go/json-syntax.ts'
import type { JsonValue } from '../../../go/json-value.ts'
import { ApiError } from '../../../meta/errors.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { qualityOfService } from '../../strategies/core/pod-quality.ts'
import { namespaceAnnotations, namespaceObject } from '../namespace-annotations.ts'
import type { AdmissionAttributes, AdmissionPlugin, ValidatingContext } from '../plugin.ts'

const defaultsAnnotation = 'scheduler.alpha.kubernetes.io/defaultTolerations'
const whitelistAnnotation = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist'

const memoryPressure: Toleration = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' }

type Context = Pick<ValidatingContext, 'lookups' | 'settings'>

/** Errors without a code in kube-apiserver. */
const failure = (message: string): ApiError => new ApiError(500, '', message)

const goNames: Readonly<Record<string, string>> = { string: 'string', number: 'number', boolean: 'bool', object: 'object' }

const goType = (value: JsonValue): string => (Array.isArray(value) ? 'array' : (goNames[typeof value] ?? 'object'))

/** The fields of a toleration with their types in Go. */
const fieldTypes: Readonly<Record<string, 'string' | 'int64'>> = {
  key: 'string',
  operator: 'string',
  value: 'string',
  effect: 'string',
  tolerationSeconds: 'int64',
}

const goFieldTypes: Readonly<Record<string, string>> = { operator: 'v1.TolerationOperator', effect: 'v1.TaintEffect' }

function requireFields(toleration: JsonValue): void {
  if (toleration === null) return
  if (typeof toleration !== 'object' || Array.isArray(toleration))
    throw failure(`json: cannot unmarshal ${goType(toleration)} into Go value of type v1.Toleration`)
  for (const [field, value] of Object.entries(toleration)) {
    const type = fieldTypes[field]
    if (type === undefined || value === null || typeof value === (type === 'string' ? 'string' : 'number')) continue
    const name = goFieldTypes[field] ?? type
    throw failure(`json: cannot unmarshal ${goType(value)} into Go struct field Toleration.${field} of type ${name}`)
  }
}

/** Parses the tolerations in an annotation. @throws ApiError 500 with Go's error */
function parseTolerations(text: string): Toleration[] {
  try {
    checkSyntax(text)
  } catch (error) {
    throw failure(error instanceof Error ? error.message : '')
  }
  const value = JSON.parse(text) as JsonValue
  if (value === null) return []
  if (!Array.isArray(value)) throw failure(`json: cannot unmarshal ${goType(value)} into Go value of type []v1.Toleration`)
  for (const toleration of value) requireFields(toleration)
  return value.map((toleration) => (toleration ?? {}) as unknown as Toleration)
}

/** Returns the tolerations that the namespace has for itself; undefined without the annotation. */
function ofNamespace(attributes: AdmissionAttributes, context: Context, annotation: string): Toleration[] | undefined {
  const text = namespaceAnnotations(attributes, context)[annotation]
  if (text === undefined) return undefined
  return text === '' ? [] : parseTolerations(text)
}

/** Whether `wide` tolerates all taints that `narrow` does (isSuperset). */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (isSame(wide, narrow)) return true
  const { key = '', operator = '', effect = '', value = '', tolerationSeconds } = wide
  if ((narrow.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false
  if ((narrow.effect ?? '') !== effect && effect !== '') return false
  if (effect === 'NoExecute' && tolerationSeconds !== undefined) {
    const { tolerationSeconds: other } = narrow
    if (other === undefined || other > tolerationSeconds) return false
  }
  if (operator === 'Exists') return true
  return (operator === 'Equal' || operator === '') && narrow.operator === 'Equal' && (narrow.value ?? '') === value
}

/** Joins tolerations without those that another one covers; of equal ones the first stays. Follows MergeTolerations. */
export function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second]
  const merged: Toleration[] = []
  for (const [index, one] of all.entries()) {
    const isCovered =
      merged.some((other) => covers(other, one)) ||
      all.slice(index + 1).some((other) => !isSame(one, other) && covers(other, one))
    if (!isCovered) merged.push(one)
  }
  return merged
}

function addTolerations(attributes: AdmissionAttributes, object: KubernetesObject, old: unknown, context: Context): void {
  const { spec } = object as Pod
  const defaults =
    attributes.operation === 'CREATE'
      ? (ofNamespace(attributes, context, defaultsAnnotation) ?? context.settings.tolerations.default ?? [])
      : []
  const added = qualityOfService(spec) === 'BestEffort' ? defaults : [...defaults, memoryPressure]
  if (added.length > 0) {
    spec.tolerations = mergeTolerations(spec.tolerations ?? [], added).map((toleration) => ({ ...toleration }))
  }
  requireAllowed(attributes, object, old, context)
}

function requireAllowed(attributes: AdmissionAttributes, object: KubernetesObject, _old: unknown, context: Context): void {
  const { tolerations = [] } = (object as Pod).spec
  if (tolerations.length === 0) return
  const own = ofNamespace(attributes, context, whitelistAnnotation)
  const allowed = own ?? context.settings.tolerations.whitelist ?? []
  if (allowed.length === 0 || tolerations.every((one) => allowed.some((wide) => covers(wide, one)))) return
  const scope = own === undefined ? 'cluster' : 'namespace'
  throw failure(`pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`)
}

/** Adds tolerations on a CREATE and an UPDATE of a Pod, and validates them. Follows the plugin of k8s.io/kubernetes. */
export const podTolerationRestriction: AdmissionPlugin = {
  name: 'PodTolerationRestriction',
  handlers: [
    {
      operations: ['CREATE', 'UPDATE'],
      resources: ['pods'],
      lookups: (attributes) => [namespaceObject(attributes)],
      admit: addTolerations,
      validate: requireAllowed,
    },
  ],
}
