/** Common parts of all kinds' warnings. They follow WarningsOnCreate and WarningsOnUpdate of the kinds' strategies. */
import { isDns1123Label } from '../../meta/names.ts'
import type { KubernetesObject, ObjectMeta } from '../../meta/object-meta.ts'
import { scaledQuantityValue } from '../../meta/quantity.ts'
import type { WarningRecorder } from '../../meta/warnings.ts'

/** A write for which warnings are computed. */
export interface Write<T extends KubernetesObject> {
  readonly object: T
  /** The object before the write; absent for a create. */
  readonly old?: T
  /** '' for the main resource. */
  readonly subresource: string
}

/** Records the warnings for a write of a valid object. It returns nothing: returned texts would be lost. */
export type Warn = (write: Write<KubernetesObject>, warnings: WarningRecorder) => undefined

/** Returns the warnings function of a kind, which ignores writes to subresources. */
export function forMainResource<T extends KubernetesObject>(
  warn: (object: T, old: T | undefined, warnings: WarningRecorder) => void,
): Warn {
  return ({ object, old, subresource }, warnings) => {
    if (subresource === '') warn(object as T, old as T | undefined, warnings)
  }
}

/** Matches canonical quantities with a fraction, or so large that their thousandths may not fit into an int64. */
const mayHaveFraction = /[num]$|[TPEe]|\d{7}/

/** Warns of a fraction of a byte: of a value whose thousandths, as an int64 that may have overflowed, are not whole. */
export function warnOfFraction(amount: string | undefined, field: string, warnings: WarningRecorder): void {
  if (amount === undefined || !mayHaveFraction.test(amount) || scaledQuantityValue(amount, -3) % 1000n === 0n) return
  warnings.add(`${field}: fractional byte value "${amount}" is invalid, must be an integer`)
}

/** Warns of a name that is not a DNS label but is used in Pod names or hostnames. */
export function warnOfName({ name = '' }: ObjectMeta, use: string, warnings: WarningRecorder): void {
  const messages = isDns1123Label(name)
  if (messages.length === 0) return
  const text = `this is used in ${use}, which can result in surprising behavior; a DNS label is recommended`
  warnings.add(`metadata.name: ${text}: [${messages.join(' ')}]`)
}
