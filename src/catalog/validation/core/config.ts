/** Checks of ConfigMaps and Secrets. Follows ValidateConfigMap and ValidateSecret of k8s.io/kubernetes/pkg/apis/core/validation. */
import { isRawNumber, parseJson } from '../../../go/json.ts'
import { JsonSyntaxError } from '../../../go/json-syntax.ts'
import { utf8Length } from '../../../go/text.ts'
import { required } from '../../../meta/field-error.ts'
import { isConfigMapKey } from '../../../meta/identifiers.ts'
import { explicitEmpty } from '../../../schema/explicit-empty.ts'
import type { ConfigMap, Secret } from '../../generated/types/core.v1.ts'
import { type Errors, isSame, validator } from '../checks.ts'

type Data = Readonly<Record<string, string>>

const maximumBytes = 1024 * 1024

/** Returns the number of bytes that the base64 text encodes. */
const decodedLength = (text: string): number => (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0)

/** Validates a ConfigMap, except its metadata. */
export const validateConfigMap = validator((errors, { data = {}, binaryData = {} }: ConfigMap) => {
  let size = 0
  // There may be more than a hundred thousand keys, in a commit that everybody waits for.
  for (const key in data) {
    const value = data[key] ?? ''
    const messages = isConfigMapKey(key)
    if (messages.length > 0) errors.checkMessages(messages, key, `data[${key}]`)
    if (Object.hasOwn(binaryData, key)) errors.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')
    size += utf8Length(value)
  }
  for (const [key, value] of Object.entries(binaryData)) {
    errors.checkMessages(isConfigMapKey(key), key, `binaryData[${key}]`)
    size += decodedLength(value)
  }
  // The message names no field: Go prints an empty path so.
  if (size > maximumBytes) errors.tooLong('[]', maximumBytes)
})

const immutable = 'field is immutable when `immutable` is set'

function checkLocked<T extends ConfigMap | Secret>(
  object: T,
  old: T,
  fields: readonly (keyof T & string)[],
  errors: Errors,
  emptyByDefault?: keyof T,
): void {
  if (old.immutable !== true) return
  if (object.immutable !== true) errors.forbidden('immutable', immutable)
  for (const field of fields) {
    // An explicitly empty map is not the absent one that is stored, except for a field whose default is the empty map.
    const isEmptied = field !== emptyByDefault && object[field] === undefined && explicitEmpty(object, field) !== undefined
    if (isEmptied || !isSame(object[field], old[field])) errors.forbidden(field, immutable)
  }
}

/** Validates the differences between the old and the new ConfigMap. */
export const validateConfigMapChange = validator((errors, configMap: ConfigMap, old: ConfigMap) => {
  checkLocked(configMap, old, ['data', 'binaryData'], errors, 'data')
})

const accountName = 'kubernetes.io/service-account.name'

const text = (data: Data, key: string): string => atob(data[key] ?? '')

/** Returns the message of Go's decoder if the text is not a JSON object; undefined for an object or null. */
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
  errors.required(`data[${key}]`)
  return false
}

function checkDocker(data: Data, key: string, errors: Errors): void {
  if (!checkKey(data, key, errors)) return
  const complaint = objectComplaint(text(data, key))
  if (complaint !== undefined) errors.invalid(`data[${key}]`, '<secret contents redacted>', complaint)
}

/** The required data of each Secret type. */
const byType: Readonly<Record<string, (secret: Secret, data: Data, errors: Errors) => void>> = {
  'kubernetes.io/service-account-token': ({ metadata }, _data, errors) => {
    if ((metadata.annotations?.[accountName] ?? '') === '') errors.required(`metadata.annotations[${accountName}]`)
  },
  'kubernetes.io/dockercfg': (_secret, data, errors) => checkDocker(data, '.dockercfg', errors),
  'kubernetes.io/dockerconfigjson': (_secret, data, errors) => checkDocker(data, '.dockerconfigjson', errors),
  'kubernetes.io/basic-auth': (_secret, data, errors) => {
    if (Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')) return
    errors.push(required('data[username]'), required('data[password]'))
  },
  'kubernetes.io/ssh-auth': (_secret, data, errors) => {
    if ((data['ssh-privatekey'] ?? '') === '') errors.required('data[ssh-privatekey]')
  },
  'kubernetes.io/tls': (_secret, data, errors) => {
    checkKey(data, 'tls.crt', errors)
    checkKey(data, 'tls.key', errors)
  },
}

/** Validates a Secret, except its metadata. */
export const validateSecret = validator((errors, secret: Secret) => {
  const { data = {}, type = '' } = secret
  let size = 0
  for (const [key, value] of Object.entries(data)) {
    errors.checkMessages(isConfigMapKey(key), key, `data[${key}]`)
    size += decodedLength(value)
  }
  if (size > maximumBytes) errors.tooLong('data', maximumBytes)
  if (Object.hasOwn(byType, type)) byType[type]?.(secret, data, errors)
})

/** Validates the differences between the old and the new Secret. */
export const validateSecretChange = validator((errors, secret: Secret, old: Secret) => {
  errors.checkImmutableChoice(secret.type, old.type, 'type')
  checkLocked(secret, old, ['data'], errors)
})
