/** The discovery documents of one set of served versions. Each is made and encoded once, at its first request. */

import { renderJson } from '../../encoding/json.ts'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import type { Output } from '../codec/negotiate.ts'
import { apiGroupDiscoveryList, discoveryItems } from './aggregated.ts'
import { apiGroup, apiGroupList, apiResourceList, orderedGroups } from './documents.ts'
import { groupVersionText, isListed, type ServedVersion } from './served-version.ts'

const encoder = new TextEncoder()

async function entityTag(items: readonly JsonValue[]): Promise<string> {
  const hashed = renderJson({ metadata: {}, items: [...items] }, false).trimEnd()
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-512', encoder.encode(hashed)))
  return `"${Array.from(digest, (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}"`
}

/** An encoded document of aggregated discovery. */
export interface AggregatedDocument {
  readonly bytes: Uint8Array
  /** In quotes. It is the same for all representations, and the same as kube-apiserver's. */
  readonly entityTag: string
}

/** Discovery of a set of served versions, each of which occurs once. Built-in versions come first. */
export class Discovery {
  readonly served: readonly ServedVersion[]
  readonly #made = new Map<string, Promise<unknown>>()

  constructor(served: readonly ServedVersion[]) {
    this.served = served.filter(isListed)
  }

  /** Returns the version, or undefined if this server does not serve it. */
  version(group: string, version: string): ServedVersion | undefined {
    return this.served.find((each) => each.group === group && each.version === version && each.remote === undefined)
  }

  /** Returns whether the group has routes of built-in kinds, or only those of custom resources or of other servers; undefined if it does not exist. */
  groupOrigin(group: string): 'builtin' | 'custom' | undefined {
    const found = this.served.filter((each) => each.group === group)
    if (found.length === 0) return undefined
    return found.every(({ custom, remote }) => custom || remote !== undefined) ? 'custom' : 'builtin'
  }

  /** Returns the document of /apis. */
  groupList(output: Output): Promise<Uint8Array> {
    return this.#bytes('/apis', output, () => apiGroupList(this.served))
  }

  /** Returns the document of /apis/<group>, or undefined if there is no such group. */
  group(name: string, output: Output): Promise<Uint8Array> | undefined {
    if (name === '' || this.groupOrigin(name) === undefined) return undefined
    return this.#bytes(`/apis/${name}`, output, () => apiGroup(this.served, name) ?? {})
  }

  /** Returns the APIResourceList of a version. */
  resources(version: ServedVersion, output: Output): Promise<Uint8Array> {
    return this.#bytes(groupVersionText(version), output, () => apiResourceList(version))
  }

  /** Returns the aggregated discovery of /api or /apis. */
  async aggregated(path: '/api' | '/apis', output: Output): Promise<AggregatedDocument> {
    const tag = this.#once(`tag ${path}`, () => entityTag(discoveryItems(this.served, path)))
    const bytes = this.#bytes(`aggregated ${path}`, output, () => apiGroupDiscoveryList(discoveryItems(this.served, path)))
    return { bytes: await bytes, entityTag: await tag }
  }

  /** Returns the paths of groups and versions for the list at /. */
  paths(): string[] {
    const groups = orderedGroups(this.served).flatMap(({ name, versions }) => [
      `/apis/${name}`,
      ...versions.map((version) => `/apis/${name}/${version}`),
    ])
    return ['/api', '/api/v1', '/apis', '/apis/', ...groups]
  }

  #once<T>(key: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#made.get(key) as Promise<T> | undefined) ?? make()
    this.#made.set(key, made)
    return made
  }

  #bytes(name: string, output: Output, make: () => JsonObject | Promise<JsonObject>): Promise<Uint8Array> {
    const key = `${name} ${output.encoding.name}`
    return this.#once(key, async () => {
      const made = output.encoding.value(await make())
      return typeof made === 'string' ? encoder.encode(made) : made
    })
  }
}
