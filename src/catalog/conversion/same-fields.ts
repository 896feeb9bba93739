/** Compares the types of two versions. */
import type { Field, Struct, Type } from '../../schema/type.ts'

/** Pairs of structs that are being compared or were found equal: types may be recursive. */
type Compared = Map<Struct, Set<Struct>>

const sameField = (a: Field, b: Field, compared: Compared): boolean =>
  a.name === b.name &&
  a.pointer === b.pointer &&
  a.omitempty === b.omitempty &&
  a.omitzero === b.omitzero &&
  same(a.type, b.type, compared)

function sameStruct(a: Struct, b: Struct, compared: Compared): boolean {
  const others = compared.get(a) ?? new Set()
  if (others.has(b)) return true
  compared.set(a, others.add(b))
  const [left, right] = [[...a.fields.values()], [...b.fields.values()]]
  return (
    left.length === right.length &&
    left.every((field, index) => {
      const other = right[index]
      return other !== undefined && sameField(field, other, compared)
    })
  )
}

function same(a: Type, b: Type, compared: Compared): boolean {
  if (a === b) return true
  if (a.kind === 'struct') return b.kind === 'struct' && sameStruct(a, b, compared)
  if (a.kind === 'list') return b.kind === 'list' && a.elementPointer === b.elementPointer && same(a.element, b.element, compared)
  if (a.kind === 'map') return b.kind === 'map' && same(a.value, b.value, compared)
  return a.kind === b.kind
}

/**
 * Whether objects of the two types have the same JSON: the same fields in the same order, at every depth. Markers for apply and
 * patches do not matter.
 */
export function sameFields(a: Type, b: Type): boolean {
  return same(a, b, new Map())
}
