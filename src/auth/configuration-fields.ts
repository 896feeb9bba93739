/** Fields of configuration that has no schema here, such as kubeconfig files, of which only a part is read. */

import { wrong } from '../config/document.ts'

type Fields = Readonly<Record<string, unknown>>

/** The object at a path, which has no other fields than these. */
export function objectAt(value: unknown, path: string, known: readonly string[]): Fields {
  const fields = anyObjectAt(value, path)
  const other = Object.keys(fields).find((field) => !known.includes(field))
  if (other !== undefined) throw wrong(path === '' ? other : `${path}.${other}`, 'is not supported')
  return fields
}

/** The object at a path, whatever it has. */
export function anyObjectAt(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(path, 'is no object')
  return value as Fields
}

export function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string' || value === '') throw wrong(path, 'is required, a text')
  return value
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw wrong(path, 'is no list')
  return value
}

export function httpsAt(value: unknown, path: string): string {
  const text = textAt(value, path)
  if (!URL.canParse(text)) throw wrong(path, 'is no URL')
  const { protocol, username, password, search, hash } = new URL(text)
  if (protocol !== 'https:' || username + password + search + hash !== '') {
    throw wrong(path, 'must be an https URL without user, query and fragment')
  }
  return text
}
