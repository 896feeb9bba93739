/** The requests of the time fuzz: a valid object of each kind, with one field at a time filled so that it is slow for bad code. */
import type { Kind } from '../../../src/catalog/kind.ts'
import { allKinds } from '../../../src/catalog/scheme.ts'
import type { JsonObject } from '../../../src/go/json-value.ts'
import { type FieldPlace, fieldsOf, pathText, withValue } from '../../generated/cases.ts'
import { servedAs } from '../../generated/comparison.ts'
import { names, smallest } from '../../generated/samples.ts'
import { Choice } from '../choice.ts'
import { collectionOf } from '../corpus.ts'
import type { AttackRequest } from '../request.ts'
import { type Shape, shapesOf } from './values.ts'

/** A request whose body can have any size. */
export interface TimeCase {
  /** `create pods.spec.containers[0].ports equal` */
  readonly title: string
  /** Returns the request with about `size` bytes in the field. */
  readonly request: (size: number) => AttackRequest
}

/** The ways to send an object, none of which stores it. */
const verbs = {
  create: { method: 'POST', type: 'application/json', query: 'dryRun=All&fieldValidation=Ignore' },
  apply: { method: 'PATCH', type: 'application/apply-patch+yaml', query: 'dryRun=All&force=true&fieldManager=time' },
} as const

type Verb = keyof typeof verbs

/** A field that no other kind has in the same Go type: templates of Pods are the same in every kind that has one. */
interface KindField {
  readonly kind: Kind
  readonly place: FieldPlace
}

function* differentFields(): Generator<KindField> {
  const seen = new Set<string>()
  for (const kind of allKinds()) {
    if (smallest[servedAs(kind)] === undefined) continue
    for (const place of fieldsOf(kind.type)) {
      const key = `${place.owner} ${place.name} ${place.type.go}`
      if (!seen.has(key)) yield { kind, place }
      seen.add(key)
    }
  }
}

const nameOf = (kind: Kind): string => names[servedAs(kind)] ?? 'time'

function caseOf({ kind, place }: KindField, shape: Shape, verb: Verb, namespace: string): TimeCase {
  const { method, type, query } = verbs[verb]
  const { path, types } = place
  const base: JsonObject = {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata: { name: nameOf(kind) },
    ...smallest[servedAs(kind)],
  }
  const collection = collectionOf(kind).replace('$NAMESPACE', namespace)
  const target = verb === 'create' ? collection : `${collection}/${nameOf(kind)}`
  return {
    title: `${verb} ${servedAs(kind)}/${kind.version}${pathText(path)} ${shape.name}`,
    request: (size) => ({
      method,
      target: `${target}?${query}`,
      headers: [['content-type', type]],
      body: Buffer.from(JSON.stringify(withValue(base, path, types, shape.make(place.type, place.name, size)))),
      chunks: undefined,
      isAnonymous: false,
    }),
  }
}

const textsOfField = 1

/** Returns the cases of a seed: all lists and maps in all shapes, sent in one way or the other, and texts in some shapes. */
export function timeCases(seed: number, namespace: string): TimeCase[] {
  return [...differentFields()].flatMap((field, index) => {
    const choice = new Choice(seed, index)
    const { type } = field.place
    const shapes = shapesOf(type)
    if (shapes.length === 0) return []
    const isText = type.kind !== 'list' && type.kind !== 'map'
    const chosen = isText ? Array.from({ length: textsOfField }, () => choice.one(shapes)) : shapes
    return chosen.map((shape) => caseOf(field, shape, choice.happens(0.25) ? 'apply' : 'create', namespace))
  })
}
