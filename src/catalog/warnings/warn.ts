/** What the warnings of all kinds have in common. They follow WarningsOnCreate and WarningsOnUpdate of the kinds' strategies. */
import { isDns1123Label } from '../../meta/names.ts'
import type { KubernetesObject, ObjectMeta } from '../../meta/object-meta.ts'

/** Where warnings are gathered. */
export type Warnings = string[]

/** What a write does to an object. */
export interface Write<T extends KubernetesObject> {
  readonly object: T
  /** Absent for a create. */
  readonly old?: T
  /** '' for the resource itself. */
  readonly subresource: string
}

/** Tells what is unwise about a good object. */
export type Warn = (write: Write<KubernetesObject>) => readonly string[]

/** The warnings of writes to the resource itself, for a kind of this shape. */
export function ofResource<T extends KubernetesObject>(warn: (object: T, old: T | undefined, warnings: Warnings) => void): Warn {
  return ({ object, old, subresource }) => {
    const warnings: Warnings = []
    if (subresource === '') warn(object as T, old as T | undefined, warnings)
    return warnings
  }
}

/** Bytes come whole: of a canonical quantity the suffix tells. */
export function warnOfFraction(amount: string | undefined, field: string, warnings: Warnings): void {
  if (amount === undefined || !/[num]$/.test(amount)) return
  warnings.push(`${field}: fractional byte value "${amount}" is invalid, must be an integer`)
}

/** A name of which names of Pods and hosts are made should be a label. */
export function warnOfName({ name = '' }: ObjectMeta, use: string, warnings: Warnings): void {
  const messages = isDns1123Label(name)
  if (messages.length === 0) return
  const text = `this is used in ${use}, which can result in surprising behavior; a DNS label is recommended`
  warnings.push(`metadata.name: ${text}: [${messages.join(' ')}]`)
}
