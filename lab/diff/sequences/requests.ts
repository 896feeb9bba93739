/** Random requests about one object. */
import type { RequestStep, Step } from '../../../conformance/scenario.ts'
import type { JsonObject, JsonValue } from '../../../src/go/json-value.ts'
import { withValue } from '../../generated/cases.ts'
import { configuration, jsonPatch, mergePatch, strategicPatch } from './patches.ts'
import type { Served, Subject } from './subjects.ts'
import { twiceOrUnknown, writtenAs } from './texts.ts'
import { isObject, part, pick, type Random } from './values.ts'

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io'
const partialList = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'

/** Returns the object with some changed fields below a prefix. */
function edited(served: Served, object: JsonObject, count: number, random: Random, within = ''): JsonObject {
  const edits = served.edits.filter(({ path }) => within === '' || path[0] === within)
  let changed = object
  for (let left = edits.length === 0 ? 0 : count; left > 0; left--) {
    const { path, types, value } = pick(edits, random)
    changed = withValue(changed, path, types, value)
  }
  return changed
}

/** Requests about one subject. */
export class Requests {
  readonly #subject: Subject
  readonly #random: Random

  constructor(subject: Subject, random: Random) {
    this.#subject = subject
    this.#random = random
  }

  #pick<T>(items: readonly T[]): T {
    return pick(items, this.#random)
  }

  #chance(of: number): boolean {
    return this.#random() < of
  }

  #served(): Served {
    return this.#pick(this.#subject.versions)
  }

  #path({ collection }: Served, subresource = ''): string {
    return `${collection}/${this.#subject.name}${subresource === '' ? '' : `/${subresource}`}`
  }

  #query(always: readonly string[] = []): string {
    const parameters = [
      ...always,
      ...(this.#chance(0.15) ? ['dryRun=All'] : []),
      ...(this.#chance(0.3) ? [`fieldValidation=${this.#pick(['Strict', 'Warn', 'Ignore'])}`] : []),
    ]
    return parameters.length === 0 ? '' : `?${parameters.join('&')}`
  }

  #accept(): Readonly<Record<string, string>> {
    return this.#chance(0.12) ? { accept: this.#pick([table, partial]) } : {}
  }

  /** The number of broken fields. */
  #count(): number {
    return this.#pick([0, 0, 0, 1, 1, 2, 3])
  }

  /** Creates the object, valid as far as possible. */
  first(): RequestStep {
    const served = this.#served()
    return { do: `POST ${served.collection}`, body: this.#pick(served.bases) }
  }

  #create(): RequestStep {
    const served = this.#served()
    const body = edited(served, this.#pick(served.bases), this.#count(), this.#random)
    return { do: `POST ${served.collection}${this.#query()}`, ...this.#body(body) }
  }

  #body(body: JsonObject): { headers: Readonly<Record<string, string>>; body: JsonValue } {
    const sent = this.#chance(0.2) ? twiceOrUnknown(body, this.#random) : body
    return this.#chance(0.15) || typeof sent === 'string'
      ? { headers: this.#accept(), body: sent }
      : this.#chance(0.15)
        ? { headers: { 'content-type': 'application/yaml', ...this.#accept() }, body: writtenAs(sent) }
        : { headers: this.#accept(), body: sent }
  }

  #read(): RequestStep {
    const served = this.#served()
    const accept = this.#pick(['application/json', table, partial, table, 'application/yaml'])
    const query = accept === table && this.#chance(0.3) ? `?includeObject=${this.#pick(['None', 'Object', 'Metadata'])}` : ''
    return { do: `GET ${this.#path(served)}${query}`, headers: { accept }, save: { RV: 'metadata.resourceVersion' } }
  }

  #list(): RequestStep {
    const served = this.#served()
    const selector = this.#pick(['labelSelector=app%3Dweb', 'labelSelector=app', 'labelSelector=tier%20in%20(front,back)'])
    const all = served.namespaced && this.#chance(0.5)
    const query = all ? `fieldSelector=metadata.name%3D${this.#subject.name}` : selector
    const accept = this.#pick(['application/json', table, partialList])
    const path = served.namespaced ? served.collection : `${this.#path(served)}`
    const headers = { accept: served.namespaced ? accept : 'application/json' }
    // The version of a list is that of its collection.
    return { do: `GET ${path}?${query}`, headers, ignore: ['metadata.resourceVersion'] }
  }

  #subresource(served: Served): string {
    const names = ['status', 'scale', 'resize', 'ephemeralcontainers', 'approval'].filter((name) => served.subresources.has(name))
    return names.length === 0 || this.#chance(0.6) ? '' : this.#pick(names)
  }

  /** Returns the object to write to a subresource: with content of its status. */
  #content(served: Served, subresource: string): JsonObject {
    if (subresource === 'scale') {
      const { apiVersion: _version, kind: _kind, ...rest } = this.#pick(served.bases)
      const spec = { replicas: this.#pick<JsonValue>([0, 1, 5, -1, 'x', null, 2147483648]) }
      return { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: rest.metadata ?? {}, spec }
    }
    const base = this.#pick(served.bases)
    const within = subresource === 'status' ? 'status' : ''
    return edited(served, base, within === '' ? this.#count() : 1 + this.#count(), this.#random, within)
  }

  #update(): Step[] {
    const served = this.#served()
    const subresource = this.#subresource(served)
    const object = part(this.#content(served, subresource), this.#pick([0, 0, 0.05]), this.#random) as JsonObject
    const metadata = isObject(object.metadata) ? object.metadata : {}
    const versioned = this.#chance(0.6) ? { resourceVersion: this.#chance(0.1) ? '1' : `\${RV}` } : {}
    const labels = this.#chance(0.3) ? { labels: { app: this.#pick(['web', 'other']) } } : {}
    const body = { ...object, metadata: { ...metadata, ...labels, ...versioned } }
    const get = { do: `GET ${this.#path(served)}`, save: { RV: 'metadata.resourceVersion' } }
    return [get, { do: `PUT ${this.#path(served, subresource)}${this.#query()}`, ...this.#body(body) }]
  }

  #patch(type: string, body: JsonValue, served: Served, subresource: string): RequestStep {
    const query = this.#query(this.#chance(0.3) ? ['fieldManager=patcher'] : [])
    return {
      do: `PATCH ${this.#path(served, subresource)}${query}`,
      headers: { 'content-type': `application/${type}`, ...this.#accept() },
      body,
    }
  }

  #mergePatch(): RequestStep {
    const served = this.#served()
    const subresource = this.#subresource(served)
    return this.#patch('merge-patch+json', mergePatch(this.#content(served, subresource), this.#random), served, subresource)
  }

  #strategicPatch(): RequestStep {
    const served = this.#served()
    const subresource = this.#subresource(served)
    const body = strategicPatch(this.#content(served, subresource), this.#random)
    return this.#patch('strategic-merge-patch+json', body, served, subresource)
  }

  #jsonPatch(): RequestStep {
    const served = this.#served()
    const subresource = this.#subresource(served)
    return this.#patch('json-patch+json', jsonPatch(this.#content(served, subresource), this.#random), served, subresource)
  }

  #apply(): RequestStep {
    const served = this.#served()
    const subresource = this.#subresource(served)
    // With several broken fields kube-apiserver's message depends on the order of a Go map.
    const isOdd = this.#chance(0.2)
    const base = isOdd ? this.#pick(served.bases) : this.#content(served, subresource)
    const body = configuration(base, this.#random)
    const force = this.#chance(0.4) ? ['force=true'] : []
    const query = this.#query([`fieldManager=${this.#pick(['one', 'two', 'three'])}`, ...force])
    const sent = isOdd ? twiceOrUnknown(body, this.#random, 1) : this.#chance(0.2) ? writtenAs(body) : body
    return {
      do: `PATCH ${this.#path(served, subresource)}${query}`,
      headers: { 'content-type': 'application/apply-patch+yaml', ...this.#accept() },
      body: sent,
    }
  }

  #delete(): RequestStep {
    const served = this.#served()
    // The garbage collector of the reference takes its time for the other policies.
    const immediate: JsonObject[] = [
      { propagationPolicy: 'Background' },
      { gracePeriodSeconds: 0 },
      { preconditions: { uid: 'other' } },
      { preconditions: { resourceVersion: '1' } },
    ]
    const isDry = this.#chance(0.6)
    const options = this.#pick<JsonObject>(
      !isDry
        ? immediate
        : [
            ...immediate,
            {},
            { propagationPolicy: 'Orphan' },
            { propagationPolicy: 'Foreground' },
            { propagationPolicy: 'Odd' },
            { gracePeriodSeconds: -1 },
            { orphanDependents: true, propagationPolicy: 'Background' },
            { dryRun: ['Some'] },
          ],
    )
    const body = {
      apiVersion: this.#pick(['v1', 'meta.k8s.io/v1', served.apiVersion]),
      kind: 'DeleteOptions',
      ...(isDry && { dryRun: ['All'] }),
      ...options,
    }
    return { do: `DELETE ${this.#path(served)}`, headers: this.#accept(), body }
  }

  /** Returns the next requests. */
  next(): Step[] {
    const { changes = [] } = this.#subject
    if (changes.length > 0 && this.#chance(0.06)) return [...this.#pick(changes)]
    const roll = this.#random()
    if (roll < 0.1) return [this.#create()]
    if (roll < 0.25) return this.#update()
    if (roll < 0.33) return [this.#read()]
    if (roll < 0.37) return [this.#list()]
    if (roll < 0.4) return [this.#delete()]
    if (roll < 0.65) return [this.#apply()]
    if (roll < 0.8) return [this.#strategicPatch()]
    return [roll < 0.9 ? this.#jsonPatch() : this.#mergePatch()]
  }
}
