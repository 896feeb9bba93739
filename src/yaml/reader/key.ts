/** The keys of YAML mappings: any scalar in YAML, a text in JSON. Follows sigs.k8s.io/yaml. */
import { goQuote } from '../../go/text.ts'
import { floatKey, shortestFloat } from './float-text.ts'
import type { Scalar } from './resolve.ts'

/** Returns the beginning of the error message if the scalar cannot be a key. */
export function keyRefusal({ type, value }: Scalar): string | undefined {
  if (type === 'null') return 'unsupported map key of type: %!s(<nil>), key: <nil>'
  if (type === 'int' && value >= 2n ** 63n) return `unsupported map key of type: uint64, key: 0x${value.toString(16)}`
  return undefined
}

/** Returns the key as JSON text. */
export function keyText({ type, value }: Scalar): string {
  if (type === 'str' || type === 'timestamp') return value
  return type === 'float' ? floatKey(value) : String(value)
}

/** Formats a key with Go's `%#v`. */
export function keySyntax({ type, value }: Scalar): string {
  if (type === 'str' || type === 'timestamp') return goQuote(value)
  return type === 'float' ? shortestFloat(value) : String(value)
}
