/** The kinds that owner references and keys may name: built-in ones, and custom ones as they become known. */
import type { Kind } from '../../catalog/kind.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { askDefinition, type DefinitionText } from '../../clusters/definition-text.ts'
import type { CustomResourceDefinition } from '../../crd/definition.ts'
import { kindsOf } from '../../crd/kind.ts'
import { parseJson } from '../../go/json.ts'
import { turnFor } from '../../meta/parts.ts'
import { kindOfKey, kindOfOwner, prefixOfKey } from './kinds.ts'

/** For how long nobody is asked again for a kind that there was not, in milliseconds. */
const forgetting = 5000

/** What one Durable Object knows of kinds. */
export class KnownKinds {
  readonly #objects: CollectionClient
  /** The kind of the custom resources that are here. */
  readonly #own: () => Kind | undefined
  readonly #found = new Map<string, Kind>()
  /** When it was last asked for a kind in vain. */
  readonly #missing = new Map<string, number>()

  constructor(objects: CollectionClient, own: () => Kind | undefined) {
    this.#objects = objects
    this.#own = own
  }

  /** The kind, in the version in which it is stored, of an object that is here. */
  ofKey(key: string): Kind | undefined {
    const builtIn = kindOfKey(key)
    if (builtIn !== undefined) return builtIn
    const own = this.#own()
    return own?.storage.prefix === prefixOfKey(key) ? own : undefined
  }

  /** The kind that an owner reference names, as far as it is known here. */
  ofOwner(apiVersion: string, kind: string): Kind | undefined {
    return kindOfOwner(apiVersion, kind) ?? this.#found.get(`${apiVersion} ${kind}`)
  }

  /** Whether there may be a kind of this name that is not known here. */
  isToBeLearnt(apiVersion: string, kind: string): boolean {
    if (this.ofOwner(apiVersion, kind) !== undefined || !groupOf(apiVersion).includes('.')) return false
    const at = this.#missing.get(`${apiVersion} ${kind}`)
    return at === undefined || Date.now() - at > forgetting
  }

  /** Asks for the kind. Rejects where nobody answers. */
  async learn(apiVersion: string, kind: string): Promise<void> {
    if (!this.isToBeLearnt(apiVersion, kind)) return
    const asked = await askDefinition(this.#objects, { group: groupOf(apiVersion), kind })
    if (asked !== undefined) await turnFor(asked.text)
    const name = `${apiVersion} ${kind}`
    const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
    const found = asked && kindIn(asked, version)
    if (found === undefined) this.#missing.set(name, Date.now())
    else this.#found.set(name, found)
  }
}

function kindIn({ tag, text }: DefinitionText, version: string): Kind | undefined {
  const definition = parseJson(text) as unknown as CustomResourceDefinition
  const isServed = definition.spec.versions.some(({ name, served }) => name === version && served)
  return isServed ? kindsOf(definition, tag).get(version) : undefined
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '')
