/** Field readers for configuration without a schema, such as kubeconfig files, of which only a part is read. */

import { configurationError } from '../config/document.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the object at a path. Throws if it has other fields than the known ones. */
export function objectAt(value: unknown, path: string, known: readonly string[]): Fields {
  const fields = anyObjectAt(value, path)
  const other = Object.keys(fields).find((field) => !known.includes(field))
  if (other !== undefined) throw configurationError(path === '' ? other : `${path}.${other}`, 'is not supported')
  return fields
}

/** Returns the object at a path, with any fields. */
export function anyObjectAt(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw configurationError(path, 'is no object')
  return value as Fields
}

export function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw configurationError(path, 'is required, a text')
  return value
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw configurationError(path, 'is no list')
  return value
}

export function httpsAt(value: unknown, path: string): string {
  const text = textAt(value, path)
  if (!URL.canParse(text)) throw configurationError(path, 'is no URL')
  const { protocol, username, password, search, hash } = new URL(text)
  if (protocol !== 'https:' || username + password + search + hash !== '') {
    throw configurationError(path, 'must be an https URL without user, query and fragment')
  }
  return text
}
