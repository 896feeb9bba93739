/** Parameters that a document of version 2 tells once. Follows k8s.io/kube-openapi/pkg/builder. */
import type { JsonObject } from '../../go/json-value.ts'

/** FNV-1 of 64 bits, of which the upper 48 are taken, as base64 for URLs. */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, hash * 0x100000001b3n) ^ BigInt(byte)
  const bytes = Array.from({ length: 6 }, (_, index) => Number((hash >> BigInt(56 - 8 * index)) & 0xffn))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

/** Told where they stand: their descriptions name the kind, or kubectl before 1.28 looks for them there. */
const apart = new Set(['name', 'dryRun', 'fieldValidation'])

function isShared(parameter: JsonObject): boolean {
  if (parameter.in !== 'body') return !apart.has(String(parameter.name))
  return JSON.stringify(parameter.schema).includes('"#/definitions/io.k8s.apimachinery')
}

/** Collects parameters that may be shared, each under a name with its hash. */
export class SharedParameters {
  readonly #names = new Map<string, string>()
  readonly #shared: [string, JsonObject][] = []

  /** What stands for the parameter: itself, or a reference to it. */
  place(parameter: JsonObject): JsonObject {
    if (!isShared(parameter)) return parameter
    const text = JSON.stringify(parameter)
    const name = this.#names.get(text) ?? `${String(parameter.name)}-${shortHash(text)}`
    if (!this.#names.has(text)) this.#shared.push([name, parameter])
    this.#names.set(text, name)
    return { $ref: `#/parameters/${name}` }
  }

  /** All parameters placed by reference so far, by name, in order. */
  all(): JsonObject {
    return Object.fromEntries(this.#shared.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
