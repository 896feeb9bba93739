/** Objects of every built-in kind, for typed clients to write and read. */

import { fullest } from '../../lab/generated/fullest.ts'
import { names, smallest } from '../../lab/generated/samples.ts'
import type { Kind } from '../../src/catalog/kind.ts'
import { allKinds } from '../../src/catalog/scheme.ts'
import type { JsonObject } from '../../src/go/json-value.ts'

/** One line of the input of `operator kinds`. */
export interface TypedSample {
  readonly APIPath: '/api' | '/apis'
  readonly Resource: string
  /** '' for cluster-scoped kinds. */
  readonly Namespace: string
  readonly Object: JsonObject
}

/** The generated samples contain no CustomResourceDefinition, because it changes the served API. */
const definition: JsonObject = {
  spec: {
    group: 'typed.edgeplane.dev',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', maxProperties: 3 } } } },
      },
    ],
  },
}

function nameOf(kind: Kind): string {
  return kind.resource === 'customresourcedefinitions'
    ? 'things.typed.edgeplane.dev'
    : (names[kind.storage.prefix] ?? 'typed-sample')
}

function sampleOf(kind: Kind, namespace: string): TypedSample | undefined {
  const { group, resource, apiVersion } = kind
  const served = group === '' ? resource : `${resource}.${group}`
  const rest = resource === 'customresourcedefinitions' ? definition : (fullest[served] ?? smallest[served])
  // Reviews are not stored.
  if (rest === undefined || !kind.verbs.has('list') || !kind.verbs.has('create')) return undefined
  const object = JSON.stringify({ apiVersion, kind: kind.kind, metadata: { name: nameOf(kind) }, ...rest })
  return {
    APIPath: group === '' ? '/api' : '/apis',
    Resource: resource,
    Namespace: kind.namespaced ? namespace : '',
    Object: JSON.parse(object.replaceAll('$NAMESPACE', namespace)) as JsonObject,
  }
}

/** Returns an object of every kind that is stored and that clients may create. */
export const typedSamples = (namespace: string): TypedSample[] =>
  [...allKinds()].flatMap((kind) => sampleOf(kind, namespace) ?? [])
