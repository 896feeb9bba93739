/** The objects that mutations construct: `Object{…}` with nested `Object.…{…}`, and `JSONPatch{…}`. */

import { equals } from './compare.ts'
import type { ObjectDeclaration } from './environment.ts'
import { type CelType, DYN, objectType, STRING } from './types.ts'
import { type CelError, OpaqueValue, type Value } from './value.ts'

/** A constructed object, by its fields. */
export class PatchObject extends OpaqueValue {
  readonly typeName: string
  readonly fields: ReadonlyMap<string, Value>

  constructor(typeName: string, fields: ReadonlyMap<string, Value>) {
    super()
    this.typeName = typeName
    this.fields = fields
  }

  override find(name: Value): Value | undefined {
    return typeof name === 'string' ? this.fields.get(name) : undefined
  }

  equals(other: Value): boolean | CelError {
    if (!(other instanceof PatchObject) || other.typeName !== this.typeName || other.fields.size !== this.fields.size)
      return false
    for (const [name, value] of this.fields) {
      const theirs = other.fields.get(name)
      const same = theirs === undefined ? false : equals(value, theirs)
      if (same !== true) return same
    }
    return true
  }

  show(): string {
    return this.typeName
  }
}

/** Accepts every field name. */
const anyField: ObjectDeclaration['fields'] = { get: () => DYN }

const knownPatchFields: ReadonlyMap<string, CelType> = new Map([
  ['op', STRING],
  ['path', STRING],
  ['from', STRING],
  ['value', DYN],
])

/** The type of unknown JSONPatch fields: only dyn is assignable to it, and messages show an empty name. */
const noType = objectType('')

const patchFields: ObjectDeclaration['fields'] = { get: (name) => knownPatchFields.get(name) ?? noType }

/** Returns the declaration of a mutation's object type; undefined for other names. */
export function patchObject(name: string): ObjectDeclaration | undefined {
  const isObject = name === 'Object' || name.startsWith('Object.')
  if (!isObject && name !== 'JSONPatch') return undefined
  return { name, fields: isObject ? anyField : patchFields, make: (fields) => new PatchObject(name, fields) }
}
