/** The parameters that a document of version 2 defines once. Follows k8s.io/kube-openapi/pkg/builder. */
import type { JsonObject } from '../../go/json-value.ts'

/** Returns the upper 48 bits of the 64-bit FNV-1 hash, as URL-safe base64. */
function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, hash * 0x100000001b3n) ^ BigInt(byte)
  const bytes = Array.from({ length: 6 }, (_, index) => Number((hash >> BigInt(56 - 8 * index)) & 0xffn))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}

/** Parameters that stay inline: their descriptions name the kind, or kubectl before 1.28 requires them there. */
const apart = new Set(['name', 'dryRun', 'fieldValidation'])

function isShared(parameter: JsonObject): boolean {
  if (parameter.in !== 'body') return !apart.has(String(parameter.name))
  return JSON.stringify(parameter.schema).includes('"#/definitions/io.k8s.apimachinery')
}

/** Collects the parameters that are shared, each under a name with its hash. */
export class SharedParameters {
  readonly #names = new Map<string, string>()
  readonly #shared: [string, JsonObject][] = []

  /** Returns the parameter itself or a reference to the shared parameter. */
  place(parameter: JsonObject): JsonObject {
    if (!isShared(parameter)) return parameter
    const text = JSON.stringify(parameter)
    const name = this.#names.get(text) ?? `${String(parameter.name)}-${shortHash(text)}`
    if (!this.#names.has(text)) this.#shared.push([name, parameter])
    this.#names.set(text, name)
    return { $ref: `#/parameters/${name}` }
  }

  /** Returns all shared parameters so far, sorted by name. */
  all(): JsonObject {
    return Object.fromEntries(this.#shared.sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
