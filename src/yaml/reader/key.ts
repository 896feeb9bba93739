/** Keys of YAML mappings: any scalar may be one, in JSON it is text. Follows sigs.k8s.io/yaml. */
import { goQuote } from '../../go/text.ts'
import { floatKey, shortestFloat } from './float-text.ts'
import type { Scalar } from './resolve.ts'

/** Why a scalar can be no key: the beginning of the message. */
export function keyRefusal({ type, value }: Scalar): string | undefined {
  if (type === 'null') return 'unsupported map key of type: %!s(<nil>), key: <nil>'
  if (type === 'int' && value >= 2n ** 63n) return `unsupported map key of type: uint64, key: 0x${value.toString(16)}`
  return undefined
}

/** What a key is in JSON. */
export function keyText({ type, value }: Scalar): string {
  if (type === 'str' || type === 'timestamp') return value
  return type === 'float' ? floatKey(value) : String(value)
}

/** A key as Go's `%#v` shows it. */
export function keySyntax({ type, value }: Scalar): string {
  if (type === 'str' || type === 'timestamp') return goQuote(value)
  return type === 'float' ? shortestFloat(value) : String(value)
}
