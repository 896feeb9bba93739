/** Checks of ConfigMaps and Secrets. Follows ValidateConfigMap and ValidateSecret of k8s.io/kubernetes/pkg/apis/core/validation. */

import { isRawNumber, parseJson } from '../../../go/json.ts'
import { JsonSyntaxError } from '../../../go/json-syntax.ts'
import { utf8Length } from '../../../go/text.ts'
import { type FieldError, forbiddenValue, invalidValue, required, tooLong } from '../../../meta/field-error.ts'
import { isConfigMapKey } from '../../../meta/identifiers.ts'
import type { KubernetesObject } from '../../../meta/object-meta.ts'
import { checkImmutable, checkMessages, type Errors, isSame } from '../checks.ts'

type Data = Readonly<Record<string, string>>

interface ConfigMap extends KubernetesObject {
  data?: Data
  binaryData?: Data
  immutable?: boolean
}

interface Secret extends KubernetesObject {
  data?: Data
  type?: string
  immutable?: boolean
}

const maximumBytes = 1024 * 1024

/** How many bytes the base64 text stands for. */
const decodedLength = (text: string): number => (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)

/** What is wrong with a ConfigMap, its metadata left out. */
export function validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: Errors = []
  let size = 0
  for (const [key, value] of Object.entries(data)) {
    checkMessages(isConfigMapKey(key), key, `data[${key}]`, errors)
    if (Object.hasOwn(binaryData, key)) errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'))
    size += utf8Length(value)
  }
  for (const [key, value] of Object.entries(binaryData)) {
    checkMessages(isConfigMapKey(key), key, `binaryData[${key}]`, errors)
    size += decodedLength(value)
  }
  // The message names no field: Go shows an empty path so.
  if (size > maximumBytes) errors.push(tooLong('[]', maximumBytes))
  return errors
}

const immutable = 'field is immutable when `immutable` is set'

function checkLocked<T extends ConfigMap | Secret>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
  errors: Errors,
): void {
  if (old.immutable !== true) return
  if (object.immutable !== true) errors.push(forbiddenValue('immutable', immutable))
  for (const field of fields) if (!isSame(object[field], old[field])) errors.push(forbiddenValue(field, immutable))
}

/** What is wrong with how a ConfigMap has changed. */
export function validateConfigMapChange(configMap: ConfigMap, old: ConfigMap): FieldError[] {
  const errors: Errors = []
  checkLocked(configMap, old, ['data', 'binaryData'], errors)
  return errors
}

const accountName = 'kubernetes.io/service-account.name'

const text = (data: Data, key: string): string => atob(data[key] ?? '')

/** Why a text is no JSON object, as Go's decoder says it; undefined where it is one, or null. */
function objectComplaint(source: string): string | undefined {
  try {
    const value = parseJson(source)
    if (typeof value === 'object' && !Array.isArray(value) && !isRawNumber(value)) return undefined
    const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
    return `json: cannot unmarshal ${type === 'object' ? 'number' : type} into Go value of type map[string]interface {}`
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message
    throw error
  }
}

function checkKey(data: Data, key: string, errors: Errors): boolean {
  if (Object.hasOwn(data, key)) return true
  errors.push(required(`data[${key}]`))
  return false
}

function checkDocker(data: Data, key: string, errors: Errors): void {
  if (!checkKey(data, key, errors)) return
  const complaint = objectComplaint(text(data, key))
  if (complaint !== undefined) errors.push(invalidValue(`data[${key}]`, '<secret contents redacted>', complaint))
}

/** What Secrets of a type must hold. */
const byType: Readonly<Record<string, (secret: Secret, data: Data, errors: Errors) => void>> = {
  'kubernetes.io/service-account-token': ({ metadata }, _data, errors) => {
    if ((metadata.annotations?.[accountName] ?? '') === '') errors.push(required(`metadata.annotations[${accountName}]`))
  },
  'kubernetes.io/dockercfg': (_secret, data, errors) => checkDocker(data, '.dockercfg', errors),
  'kubernetes.io/dockerconfigjson': (_secret, data, errors) => checkDocker(data, '.dockerconfigjson', errors),
  'kubernetes.io/basic-auth': (_secret, data, errors) => {
    if (Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')) return
    errors.push(required('data[username]'), required('data[password]'))
  },
  'kubernetes.io/ssh-auth': (_secret, data, errors) => {
    if ((data['ssh-privatekey'] ?? '') === '') errors.push(required('data[ssh-privatekey]'))
  },
  'kubernetes.io/tls': (_secret, data, errors) => {
    checkKey(data, 'tls.crt', errors)
    checkKey(data, 'tls.key', errors)
  },
}

/** What is wrong with a Secret, its metadata left out. */
export function validateSecret(secret: Secret): FieldError[] {
  const errors: Errors = []
  const { data = {}, type = '' } = secret
  let size = 0
  for (const [key, value] of Object.entries(data)) {
    checkMessages(isConfigMapKey(key), key, `data[${key}]`, errors)
    size += decodedLength(value)
  }
  if (size > maximumBytes) errors.push(tooLong('data', maximumBytes))
  if (Object.hasOwn(byType, type)) byType[type]?.(secret, data, errors)
  return errors
}

/** What is wrong with how a Secret has changed. */
export function validateSecretChange(secret: Secret, old: Secret): FieldError[] {
  const errors: Errors = []
  checkImmutable(secret.type, old.type, 'type', errors)
  checkLocked(secret, old, ['data'], errors)
  return errors
}
