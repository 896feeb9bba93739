/** The versions of a definition and the conversion between them. */
import { apiVersionOf, type Conversion, type RemoteConversion } from '../catalog/kind.ts'
import { parseJson, stringify } from '../go/json.ts'
import { copyOf } from '../go/json-object.ts'
import type { JsonObject } from '../go/json-value.ts'
import { ApiError } from '../meta/errors.ts'
import type { KubernetesObject } from '../meta/object-meta.ts'
import { type CompiledVersion, compileVersion } from './compiled-version.ts'
import { ConversionCache, type Conversion as KnownConversion } from './conversion/conversion-cache.ts'
import { ConversionFailure, failureError } from './conversion/failure.ts'
import { coerce, type DecodingSchema } from './decode.ts'
import { type CustomResourceDefinition, storageVersionOf, type WebhookClientConfig } from './definition.ts'
import { applyDefaults } from './schema/default.ts'
import { nodeOf } from './schema/node.ts'

/**
 * How stored objects are read: unchanged, or with pruning and defaulting by the current schema, which may have changed since the
 * write.
 */
export type Reading = 'as stored' | 'renewed'

/** The address of one definition's webhook, and its conversionReviewVersions. */
export interface WebhookSettings {
  readonly clientConfig: WebhookClientConfig
  readonly conversionReviewVersions: readonly string[]
}

/**
 * Converts objects in one call of a definition's webhook.
 * @param objects whole objects
 * @param desiredApiVersion `example.com/v1`
 * @throws ConversionFailure
 */
export type CallWebhook = (
  webhook: WebhookSettings,
  objects: readonly JsonObject[],
  desiredApiVersion: string,
) => Promise<JsonObject[]>

/** The state of a definition's stored objects, in the collection's own object. */
export interface StoredObjects {
  readonly reading: Reading
  /** Returns the version in which a resourceVersion was stored; undefined if it is the current storage version. */
  readonly writtenIn: (resourceVersion: number) => string | undefined
  /** Whether objects are still stored in a version that the definition no longer has, so that they cannot be read. */
  readonly hasUnreadable: boolean
  /** Calls webhooks; undefined if nothing is converted here. */
  readonly callWebhook: CallWebhook | undefined
}

/** Stands for places that do not store the definition's objects. */
export const unstored: StoredObjects = {
  reading: 'as stored',
  writtenIn: () => undefined,
  hasUnreadable: false,
  callWebhook: undefined,
}

const json = (object: KubernetesObject): JsonObject => object as unknown as JsonObject
const asObject = (object: JsonObject): KubernetesObject => object as unknown as KubernetesObject

/** Prunes an object by the schema of a version. */
function pruned(object: KubernetesObject, { decoding }: CompiledVersion): KubernetesObject {
  const metadata = coerce(json(object), decoding, undefined)
  return { ...object, metadata: metadata as KubernetesObject['metadata'] }
}

/** An object to be converted by the webhook. Upstream sends it without the resourceVersion, which its store sets. */
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

/** Whether the object is a bookmark, which needs no conversion. */
const isBare = ({ metadata }: KubernetesObject): boolean => metadata.name === undefined && metadata.uid === undefined

const parsedObject = (value: string): KubernetesObject => asObject(parseJson(value) as JsonObject)

/** Returns the conversion of objects some of which cannot be read: lists and watches fail for them, as with a webhook that fails. */
function failing(fromStorage: (object: KubernetesObject) => KubernetesObject): RemoteConversion {
  const show = (values: readonly string[]): KubernetesObject[] => values.map((value) => fromStorage(parsedObject(value)))
  return { isFailing: true, show: async (values) => show(values), require: (values) => void show(values) }
}

/** All versions of one definition, in one state of it. */
export class Versions {
  readonly tag: string
  /** Returns the version in which a resourceVersion was stored. */
  readonly writtenIn: (resourceVersion: number) => string
  readonly #definition: CustomResourceDefinition
  readonly #reads: readonly CompiledVersion[]
  readonly #reading: Reading
  readonly #hasUnreadable: boolean
  readonly #callWebhook: CallWebhook | undefined
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
    this.#hasUnreadable = stored.hasUnreadable
    this.#callWebhook = stored.callWebhook
    this.#webhook = clientConfig && {
      clientConfig,
      conversionReviewVersions: conversion?.webhook?.conversionReviewVersions ?? [],
    }
    this.#known = new ConversionCache((from, to, objects) => this.#call(from, to, objects))
    this.#storageVersion = storageVersionOf(definition.spec)?.name ?? ''
    this.writtenIn = (resourceVersion) => stored.writtenIn(resourceVersion) ?? this.#storageVersion
  }

  /** Returns the schema by which a version decodes bodies; no field is known in a version that does not exist. */
  decodingOf(name: string): DecodingSchema {
    const version = this.#definition.spec.versions.find((each) => each.name === name)
    if (version === undefined)
      return { node: nodeOf({ type: 'object' }), preservesAll: this.#definition.spec.preserveUnknownFields === true }
    return (this.#read(name) ?? compileVersion(this.#definition, version)).decoding
  }

  /** Whether objects may have been stored under an earlier state of the definition. */
  get haveChanged(): boolean {
    return this.#reading === 'renewed'
  }

  /** Whether the conversion strategy is Webhook. */
  get hasWebhook(): boolean {
    return this.#webhook !== undefined
  }

  /**
   * Returns the conversion between stored objects and a version. A stored object is pruned by its stored version and gets the
   * defaults of it, is converted, and is pruned by the requested version.
   */
  conversionOf(read: CompiledVersion): Conversion | undefined {
    const storage = this.#read(this.#storageVersion) ?? read
    if (storage === read && this.#reading === 'as stored') return undefined
    const { name } = read.version
    const fromStorage = (object: KubernetesObject): KubernetesObject => {
      if (isBare(object)) return object
      const from = this.#readAs(object)
      return pruned(this.convert(object, from, name), read)
    }
    const remote = this.hasWebhook ? this.#remote(read) : this.#hasUnreadable ? failing(fromStorage) : undefined
    return {
      toStorage: (object) =>
        this.#stored(this.convert(asObject(copyOf(json(object)) as JsonObject), name, this.#storageVersion), storage),
      fromStorage,
      ...(remote !== undefined && { remote }),
    }
  }

  /**
   * Converts an object to another version.
   * @throws MissingLookups if the webhook has to be called first
   */
  convert(object: KubernetesObject, from: string, to: string): KubernetesObject {
    if (from === to || this.#webhook === undefined) return object
    const way = travelling(object, from, to)
    return arrived(this.#known.get(way.conversion), way)
  }

  /**
   * Converts like `convert`, for operations that can continue without it: a failure of the webhook is thrown in the repeated run.
   */
  attempt(object: KubernetesObject, from: string, to: string): KubernetesObject {
    if (from === to) return object
    const way = travelling(object, from, to)
    return arrived(this.#known.attempt(way.conversion), way)
  }

  /** Returns a stored object pruned and with its defaults. */
  #stored(object: KubernetesObject, storage: CompiledVersion): KubernetesObject {
    const kept = pruned(object, storage)
    applyDefaults(json(kept), storage.node)
    return kept
  }

  #read(version: string): CompiledVersion | undefined {
    return this.#reads.find(({ version: { name } }) => name === version)
  }

  /**
   * Prunes a stored object by the schema of its stored version, which may have changed, and applies its defaults, in place.
   * @returns the version of the object
   */
  #readAs(object: KubernetesObject): string {
    const from = this.#versionOf(object)
    delete object.apiVersion
    const stored = this.#read(from)
    if (stored !== undefined && this.haveChanged) object.metadata = pruned(object, stored).metadata
    applyDefaults(json(object), stored?.node)
    return from
  }

  /** @throws ApiError 500 if the object was stored in a version that the definition no longer has */
  #versionOf({ apiVersion, metadata: { resourceVersion } }: KubernetesObject): string {
    // Only an object whose deletion is pending names its version: kube-apiserver has stored it in the storage version by then.
    if (apiVersion !== undefined) return apiVersion.slice(apiVersion.indexOf('/') + 1)
    if (resourceVersion === undefined) return this.#storageVersion
    const version = this.writtenIn(Number(resourceVersion))
    if (this.#hasUnreadable) this.#requireVersion(version)
    return version
  }

  /** @throws ApiError 500 if the definition does not have the version */
  #requireVersion(name: string): void {
    const { group, versions } = this.#definition.spec
    if (versions.some((version) => version.name === name)) return
    throw new ApiError(500, '', `request to convert CR from an invalid group/version: ${apiVersionOf(group, name)}`)
  }

  #remote(read: CompiledVersion): RemoteConversion {
    const { name } = read.version
    const ways = (values: readonly string[]): Travelling[] =>
      values.map((value) => {
        const object = parsedObject(value)
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
    this.#requireVersion(from)
    if (this.#callWebhook === undefined || this.#webhook === undefined) throw new Error('no webhook can be reached from here')
    const whole = objects.map((text) => ({ apiVersion, kind, ...(parseJson(text) as JsonObject) }))
    try {
      const converted = await this.#callWebhook(this.#webhook, whole, wanted)
      return converted.map(({ apiVersion: _apiVersion, kind: _kind, metadata = {}, ...rest }) => stringify({ metadata, ...rest }))
    } catch (error) {
      if (error instanceof ConversionFailure) throw failureError(error, `${apiVersion}, Kind=${kind}`)
      throw error
    }
  }
}
