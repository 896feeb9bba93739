/** Keys of YAML mappings: any scalar may be one, in JSON it is text. Follows sigs.k8s.io/yaml. */
import { goQuote } from '../../../meta/go-text.ts'
import { floatKey, shortestFloat } from './float-text.ts'
import type { Scalar } from './resolve.ts'

export interface Key {
  /** What it is in JSON. */
  readonly text: string
  /** As Go's `%#v` shows it. */
  readonly shown: string
  /** The same for equal keys of one type; absent for keys that equal none. */
  readonly identity: string | undefined
}

/** The key that a scalar is, or the beginning of the message that it can be none. */
export function keyOf({ type, value }: Scalar): Key | string {
  if (type === 'null') return 'unsupported map key of type: %!s(<nil>), key: <nil>'
  if (type === 'int' && value >= 2n ** 63n) return `unsupported map key of type: uint64, key: 0x${value.toString(16)}`
  if (type === 'str' || type === 'timestamp') return { text: value, shown: goQuote(value), identity: value }
  const text = type === 'float' ? floatKey(value) : String(value)
  // NaN is not equal to itself: it is never there twice.
  const identity = Number.isNaN(value) ? undefined : `\0${type} ${value}`
  return { text, shown: type === 'float' ? shortestFloat(value) : text, identity }
}
