/** The versions of a definition, and what it takes from one to another. */
import { apiVersionOf, type Conversion, type RemoteConversion } from '../catalog/kind.ts'
import { parseJson, stringify } from '../go/json.ts'
import type { JsonObject } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import type { CompiledVersion } from './compiled-version.ts'
import { ConversionCache, type Conversion as KnownConversion } from './conversion/conversion-cache.ts'
import { ConversionFailure, failureError } from './conversion/failure.ts'
import { callWebhook, type WebhookSettings, type WebhookTransport } from './conversion/webhook.ts'
import { coerce } from './decode.ts'
import { type CustomResourceDefinition, storageVersionOf } from './definition.ts'
import { applyDefaults } from './schema/default.ts'

/** How stored objects are read: as they are, or with the defaults and without the fields that have come and gone since. */
export type Reading = 'as stored' | 'renewed'

/** What is known of a definition's objects where they are. */
export interface StoredObjects {
  readonly reading: Reading
  /** The version in which was stored what was written at a resourceVersion; undefined where that is the one of today. */
  readonly writtenIn: (resourceVersion: number) => string | undefined
  /** By which webhooks are reached; absent where nothing is converted. */
  readonly outside: WebhookTransport | undefined
}

/** Where a definition's objects are not. */
export const unstored: StoredObjects = { reading: 'as stored', writtenIn: () => undefined, outside: undefined }

const json = (object: KubernetesObject): JsonObject => object as unknown as JsonObject
const asObject = (object: JsonObject): KubernetesObject => object as unknown as KubernetesObject

/** Leaves out what a version does not know, in place. */
function pruned(object: KubernetesObject, { decoding }: CompiledVersion): KubernetesObject {
  const metadata = coerce(json(object), decoding, undefined)
  return { ...object, metadata: metadata as KubernetesObject['metadata'] }
}

/** An object on its way through a webhook: upstream sends it without the resourceVersion, which the store has. */
interface Travelling {
  readonly conversion: KnownConversion
  readonly resourceVersion: string | undefined
}

function travelling({ apiVersion: _, kind: _kind, ...object }: KubernetesObject, from: string, to: string): Travelling {
  const { resourceVersion, ...metadata } = object.metadata
  return { conversion: { from, to, object: JSON.stringify({ ...object, metadata }) }, resourceVersion }
}

function arrived(text: string, { resourceVersion }: Travelling): KubernetesObject {
  const object = asObject(parseJson(text) as JsonObject)
  if (resourceVersion !== undefined) object.metadata.resourceVersion = resourceVersion
  return object
}

/** Of a bookmark there is nothing to convert. */
const isBare = ({ metadata }: KubernetesObject): boolean => metadata.name === undefined && metadata.uid === undefined

/** All versions of one definition, in one state of it. */
export class Versions {
  readonly tag: string
  /** The version in which was stored what was written at a resourceVersion. */
  readonly writtenIn: (resourceVersion: number) => string
  readonly #definition: CustomResourceDefinition
  readonly #reads: readonly CompiledVersion[]
  readonly #reading: Reading
  readonly #outside: WebhookTransport | undefined
  readonly #webhook: WebhookSettings | undefined
  readonly #known: ConversionCache
  readonly #storageVersion: string

  constructor(definition: CustomResourceDefinition, tag: string, reads: readonly CompiledVersion[], stored: StoredObjects) {
    const { conversion } = definition.spec
    const clientConfig = conversion?.strategy === 'Webhook' ? conversion.webhook?.clientConfig : undefined
    this.tag = tag
    this.#definition = definition
    this.#reads = reads
    this.#reading = stored.reading
    this.#outside = stored.outside
    this.#webhook = clientConfig && {
      clientConfig,
      conversionReviewVersions: conversion?.webhook?.conversionReviewVersions ?? [],
    }
    this.#known = new ConversionCache((from, to, objects) => this.#call(from, to, objects))
    this.#storageVersion = storageVersionOf(definition.spec)?.name ?? ''
    this.writtenIn = (resourceVersion) => stored.writtenIn(resourceVersion) ?? this.#storageVersion
  }

  /** Whether a webhook converts. */
  get hasWebhook(): boolean {
    return this.#webhook !== undefined
  }

  /**
   * Between what is stored and a version. Objects that are stored are read with the defaults of the version that they were
   * stored in; then they are converted, and what the version of the request does not know is left out.
   */
  conversionOf(read: CompiledVersion): Conversion | undefined {
    const storage = this.#read(this.#storageVersion) ?? read
    if (storage === read && this.#reading === 'as stored') return undefined
    const { name } = read.version
    const remote = this.hasWebhook ? { remote: this.#remote(read) } : {}
    return {
      toStorage: (object) => this.#stored(this.convert(structuredClone(object), name, this.#storageVersion), storage),
      fromStorage: (object) => {
        if (isBare(object)) return object
        const from = this.#readAs(object)
        return pruned(this.convert(object, from, name), read)
      },
      ...remote,
    }
  }

  /**
   * An object of one version in another one.
   * @throws MissingLookups if the webhook has to be asked first
   */
  convert(object: KubernetesObject, from: string, to: string): KubernetesObject {
    if (from === to || this.#webhook === undefined) return object
    const way = travelling(object, from, to)
    return arrived(this.#known.get(way.conversion), way)
  }

  /** The same for those who can go on without it: what the webhook fails with is thrown in its turn. */
  attempt(object: KubernetesObject, from: string, to: string): KubernetesObject {
    if (from === to) return object
    const way = travelling(object, from, to)
    return arrived(this.#known.attempt(way.conversion), way)
  }

  /** What is stored is read with its defaults: it has them from the beginning. */
  #stored(object: KubernetesObject, storage: CompiledVersion): KubernetesObject {
    const kept = pruned(object, storage)
    applyDefaults(json(kept), storage.node)
    return kept
  }

  #read(version: string): CompiledVersion | undefined {
    return this.#reads.find(({ version: { name } }) => name === version)
  }

  /** Gives a stored object its defaults, in place. @returns the version that it is in */
  #readAs(object: KubernetesObject): string {
    const from = this.#versionOf(object)
    delete object.apiVersion
    applyDefaults(json(object), this.#read(from)?.node)
    return from
  }

  #versionOf({ apiVersion, metadata: { resourceVersion } }: KubernetesObject): string {
    if (apiVersion !== undefined) return apiVersion.slice(apiVersion.indexOf('/') + 1)
    return resourceVersion === undefined ? this.#storageVersion : this.writtenIn(Number(resourceVersion))
  }

  #remote(read: CompiledVersion): RemoteConversion {
    const { name } = read.version
    const ways = (values: readonly string[]): Travelling[] =>
      values.map((value) => {
        const object = asObject(parseJson(value) as JsonObject)
        return travelling(object, this.#readAs(object), name)
      })
    const conversions = (all: readonly Travelling[]): KnownConversion[] =>
      all.map(({ conversion }) => conversion).filter(({ from, to }) => from !== to)
    return {
      require: (values) => this.#known.require(conversions(ways(values))),
      show: async (values) => {
        const all = ways(values)
        const converted = (await this.#known.all(conversions(all))).values()
        return all.map((way) => {
          const { from, to, object } = way.conversion
          const text = from === to ? object : (converted.next().value ?? '')
          return pruned(arrived(text, way), read)
        })
      },
    }
  }

  async #call(from: string, to: string, objects: readonly string[]): Promise<readonly string[]> {
    const { spec, status } = this.#definition
    const kind = status?.acceptedNames.kind ?? spec.names.kind
    const [apiVersion, wanted] = [apiVersionOf(spec.group, from), apiVersionOf(spec.group, to)]
    if (!spec.versions.some(({ name }) => name === from)) {
      throw new ApiError(500, '', `request to convert CR from an invalid group/version: ${apiVersion}`)
    }
    if (this.#outside === undefined || this.#webhook === undefined) throw new Error('no webhook can be reached from here')
    const whole = objects.map((text) => ({ apiVersion, kind, ...(parseJson(text) as JsonObject) }))
    try {
      const converted = await callWebhook(this.#outside, this.#webhook, whole, wanted)
      return converted.map(({ apiVersion: _apiVersion, kind: _kind, metadata = {}, ...rest }) => stringify({ metadata, ...rest }))
    } catch (error) {
      if (error instanceof ConversionFailure) throw failureError(error, `${apiVersion}, Kind=${kind}`)
      throw error
    }
  }
}
