/** The kinds of owner references and keys: built-in kinds, and custom kinds after they were first looked up. */

import type { Kind } from '../../catalog/kind.ts'
import type { ResourceConfig } from '../../catalog/resource-config.ts'
import type { CollectionClient } from '../../clusters/collection-client.ts'
import { controlProtocol } from '../../clusters/control-protocol.ts'
import type { DefinitionText } from '../../clusters/definition-text.ts'
import { send } from '../../clusters/message.ts'
import type { CustomResourceDefinition } from '../../crd/definition.ts'
import { kindsOf } from '../../crd/kind.ts'
import { parseJson } from '../../go/json.ts'
import { waitIfLong } from '../../meta/parts.ts'
import { kindOfKey, kindOfOwner, prefixOfKey } from './kinds.ts'

/** How long a kind that does not exist is not looked up again, in milliseconds. */
const forgetting = 5000

/** The kinds known to one Durable Object. */
export class KnownKinds {
  readonly #objects: CollectionClient
  readonly #own: (prefix: string) => Kind | undefined
  readonly #config: () => ResourceConfig | undefined
  readonly #found = new Map<string, Kind>()
  /** The time of the last failed lookup, by kind. */
  readonly #missing = new Map<string, number>()

  /**
   * @param own returns the kind of the custom resources with a prefix, if the object holds them
   * @param config returns the resources that the cluster serves; undefined if they are not known here
   */
  constructor(
    objects: CollectionClient,
    own: (prefix: string) => Kind | undefined,
    config: () => ResourceConfig | undefined = () => undefined,
  ) {
    this.#objects = objects
    this.#own = own
    this.#config = config
  }

  /** Returns the kind, in its storage version, of an object in this Durable Object. */
  ofKey(key: string): Kind | undefined {
    const builtIn = kindOfKey(key)
    if (builtIn !== undefined) return builtIn
    return this.#own(prefixOfKey(key))
  }

  /** Returns the kind of an owner reference, if it is known here. */
  ofOwner(apiVersion: string, kind: string): Kind | undefined {
    return kindOfOwner(apiVersion, kind, this.#config()) ?? this.#found.get(`${apiVersion} ${kind}`)
  }

  /** Whether a kind of this name may exist that is not known here. */
  isToBeLearnt(apiVersion: string, kind: string): boolean {
    if (this.ofOwner(apiVersion, kind) !== undefined || !groupOf(apiVersion).includes('.')) return false
    const at = this.#missing.get(`${apiVersion} ${kind}`)
    return at === undefined || Date.now() - at > forgetting
  }

  /** Fetches the kind from the control object. Rejects if the control object does not answer. */
  async learn(apiVersion: string, kind: string): Promise<void> {
    if (!this.isToBeLearnt(apiVersion, kind)) return
    const response = await send(this.#objects.control(), controlProtocol.definition, { group: groupOf(apiVersion), kind })
    if (response !== undefined) await waitIfLong(response.text)
    const name = `${apiVersion} ${kind}`
    const version = apiVersion.slice(apiVersion.indexOf('/') + 1)
    const found = response && kindIn(response, version)
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
