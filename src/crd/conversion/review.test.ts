import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../go/json-value.ts'
import { type ConversionFailure, failureError } from './failure.ts'
import { convertedObjects, type Review, requestText, reviewVersion } from './review.ts'

const metadata = { name: 'a', namespace: 'default', uid: 'u', generation: 3, labels: { x: 'y' }, finalizers: ['e.com/f'] }
const object = { apiVersion: 'e.com/v2', kind: 'Host', metadata, spec: { host: 'h' } }
const review: Review = { version: 'v1', uid: 'call', desiredApiVersion: 'e.com/v1', objects: [object] }
const converted = { ...object, apiVersion: 'e.com/v1', spec: { hostPort: 'h' } }

const answerOf = (response: JsonValue, apiVersion = 'apiextensions.k8s.io/v1'): string =>
  JSON.stringify({ apiVersion, kind: 'ConversionReview', response })
const success = (...objects: JsonValue[]): JsonValue => ({
  uid: 'call',
  result: { status: 'Success' },
  convertedObjects: objects,
})
const changed = (change: JsonObject): string => answerOf(success({ ...converted, ...change }))
const withMetadata = (change: JsonObject): string => changed({ metadata: { ...metadata, ...change } })

/** What a client is told. */
function refusal(text: string, of: Review = review): string {
  try {
    convertedObjects(of, text)
  } catch (error) {
    return failureError(error as ConversionFailure, 'e.com/v2, Kind=Host').message
  }
  throw new Error('accepted')
}

const failed = (why: string): string => `conversion webhook for e.com/v2, Kind=Host failed: ${why}`
const returned = (what: string): string => `conversion webhook for e.com/v2, Kind=Host returned ${what}`
const noObject = (kind: string): string => `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`
const typeMeta = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
const labelKey =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

/** Recorded from kube-apiserver 1.36.3. */
const refusals: readonly (readonly [what: string, answer: string, message: string])[] = [
  [
    'another call',
    answerOf({ ...(success(converted) as JsonObject), uid: 'other' }),
    failed('expected response.uid="call", got "other"'),
  ],
  ['a refusal', answerOf({ uid: 'call', result: { status: 'Failure', message: 'I will not' } }), failed('I will not')],
  [
    'a refusal without words',
    answerOf({ uid: 'call', result: { status: 'Failure' } }),
    failed("response.result.status was 'Failure', not 'Success'"),
  ],
  ['no result', answerOf({ uid: 'call', convertedObjects: [converted] }), failed("response.result.status was '', not 'Success'")],
  ['no response', answerOf(null), failed('no response provided')],
  ['too few', answerOf(success()), returned('0 objects, expected 1')],
  ['too many', answerOf(success(converted, converted)), returned('2 objects, expected 1')],
  [
    'no list',
    answerOf({ uid: 'call', result: { status: 'Success' }, convertedObjects: null }),
    returned('0 objects, expected 1'),
  ],
  [
    'another version',
    changed({ apiVersion: 'e.com/v9' }),
    returned('invalid object at index 0: invalid groupVersion (expected e.com/v1, received e.com/v9)'),
  ],
  [
    'no version',
    changed({ apiVersion: '' }),
    returned('invalid object at index 0: invalid groupVersion (expected e.com/v1, received )'),
  ],
  [
    'another kind',
    changed({ kind: 'Other' }),
    returned('invalid object at index 0: invalid kind (expected Host, received Other)'),
  ],
  ['another name', withMetadata({ name: 'b' }), returned('invalid object: must have the same name: a != b')],
  ['another namespace', withMetadata({ namespace: 'b' }), returned('invalid object: must have the same namespace: default != b')],
  ['another uid', withMetadata({ uid: 'b' }), returned('invalid object: must have the same UID: u != b')],
  ['no metadata', changed({ metadata: 'x' }), returned('invalid object: must have the same name: a != ')],
  ['null', answerOf(success(null)), 'unexpected end of JSON input'],
  ['a text', answerOf(success('x')), noObject('string')],
  ['a list', answerOf(success([])), noObject('array')],
  [
    'a label that is none',
    withMetadata({ labels: { 'bad key!': 'x' } }),
    returned(`invalid metadata: metadata.labels: Invalid value: "bad key!": ${labelKey}`),
  ],
  [
    'an annotation that is none',
    withMetadata({ annotations: { 'bad key!': 'x' } }),
    returned(`invalid metadata: metadata.annotation: Invalid value: "bad key!": ${labelKey}`),
  ],
  [
    'a label that is a number',
    withMetadata({ labels: { ok: 5 } }),
    returned('invalid metadata: metadata.labels[ok] must be a string, but is int64 in converted object'),
  ],
  [
    'labels that are a list',
    withMetadata({ labels: ['a'] }),
    returned('invalid metadata: invalid metadata.labels of type []interface {} in converted object'),
  ],
  [
    'annotations that are a text',
    withMetadata({ annotations: 'x' }),
    returned('invalid metadata: invalid metadata.annotations of type string in converted object'),
  ],
  ['nothing of JSON', '{"a":', failed("couldn't get version/kind; json parse error: unexpected end of JSON input")],
  [
    'a page',
    '<html>hello</html>',
    failed(`couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${typeMeta}`),
  ],
  [
    'a list in place of the answer',
    '[]',
    failed(`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${typeMeta}`),
  ],
  [
    'an answer that does not say what it is',
    '{}',
    failed('expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind='),
  ],
  [
    'a Pod',
    '{"apiVersion":"v1","kind":"Pod"}',
    failed('no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'),
  ],
  [
    'a Status',
    '{"apiVersion":"v1","kind":"Status"}',
    failed('converting (v1.Status) to (v1.ConversionReview): unknown conversion'),
  ],
  [
    'an older review',
    answerOf(success(converted), 'apiextensions.k8s.io/v1beta1'),
    failed('converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion'),
  ],
]

describe('an answer of a conversion webhook', () => {
  test.each(refusals)('is refused: %s', (_what, answer, message) => {
    expect(refusal(answer)).toBe(message)
  })

  test('without a kind is shown', () => {
    const { kind: _, ...nameless } = converted
    expect(refusal(answerOf(success(nameless)))).toBe(`Object 'Kind' is missing in '${JSON.stringify(nameless)}'`)
  })

  test('of the older version needs no uid and need not say what it is', () => {
    const older = { ...review, version: 'v1beta1' }
    const answer = JSON.stringify({ response: { result: { status: 'Success' }, convertedObjects: [converted] } })
    expect(convertedObjects(older, answer)).toEqual([converted])
  })

  test('gives the object its spec, its labels and its annotations, and nothing else', () => {
    const labels = { added: 'yes' }
    const answer = withMetadata({ labels, annotations: { note: 'x' }, generation: 77, finalizers: [], ownerReferences: [{}] })
    expect(convertedObjects(review, answer)).toEqual([
      { ...converted, metadata: { ...metadata, labels, annotations: { note: 'x' } } },
    ])
  })

  test('keeps the order of many', () => {
    const objects = ['a', 'b', 'c'].map((name) => ({ ...object, metadata: { name } }))
    const answer = answerOf(success(...objects.map((each) => ({ ...each, apiVersion: 'e.com/v1' }))))
    const names = convertedObjects({ ...review, objects }, answer).map((each) => (each.metadata as JsonObject).name)
    expect(names).toEqual(['a', 'b', 'c'])
  })
})

const key = fc.stringMatching(/^[a-z]{1,8}$/)
const value = fc.stringMatching(/^[a-z0-9]{0,8}$/)
const texts = fc.dictionary(key, value, { noNullPrototype: true })
const others = fc.dictionary(
  fc.constantFrom('generation', 'finalizers', 'managedFields', 'deletionTimestamp', '__proto__'),
  fc.jsonValue(),
  {
    noNullPrototype: true,
  },
)

test('whatever a webhook answers, the metadata but labels and annotations are those that were sent', () => {
  fc.assert(
    fc.property(texts, texts, others, fc.jsonValue(), (labels, annotations, more, spec) => {
      const answered = { ...metadata, ...(more as JsonObject), name: 'a', namespace: 'default', uid: 'u', labels, annotations }
      const [result] = convertedObjects(review, answerOf(success({ ...converted, spec: spec as JsonValue, metadata: answered })))
      expect(result?.metadata).toEqual({ ...metadata, labels, annotations })
      expect(JSON.stringify(result?.spec)).toBe(JSON.stringify(spec))
    }),
  )
})

test('the first version of ConversionReview that is spoken is taken', () => {
  expect(reviewVersion(['v9', 'v1beta1', 'v1'])).toBe('v1beta1')
  expect(() => reviewVersion(['v9'])).toThrow('no supported conversion review versions')
})

test('a webhook is asked for whole objects', () => {
  expect(JSON.parse(requestText(review))).toEqual({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    request: { uid: 'call', desiredAPIVersion: 'e.com/v1', objects: [object] },
  })
})
