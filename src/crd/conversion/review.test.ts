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

/** Returns the message that a client gets. */
function refusal(text: string, call: Review = review): string {
  try {
    convertedObjects(call, text)
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
    'the uid of another call',
    answerOf({ ...(success(converted) as JsonObject), uid: 'other' }),
    failed('expected response.uid="call", got "other"'),
  ],
  [
    'status Failure with a message',
    answerOf({ uid: 'call', result: { status: 'Failure', message: 'I will not' } }),
    failed('I will not'),
  ],
  [
    'status Failure without a message',
    answerOf({ uid: 'call', result: { status: 'Failure' } }),
    failed("response.result.status was 'Failure', not 'Success'"),
  ],
  ['no result', answerOf({ uid: 'call', convertedObjects: [converted] }), failed("response.result.status was '', not 'Success'")],
  ['no response', answerOf(null), failed('no response provided')],
  ['too few objects', answerOf(success()), returned('0 objects, expected 1')],
  ['too many objects', answerOf(success(converted, converted)), returned('2 objects, expected 1')],
  [
    'convertedObjects that is not a list',
    answerOf({ uid: 'call', result: { status: 'Success' }, convertedObjects: null }),
    returned('0 objects, expected 1'),
  ],
  [
    'an object in another version',
    changed({ apiVersion: 'e.com/v9' }),
    returned('invalid object at index 0: invalid groupVersion (expected e.com/v1, received e.com/v9)'),
  ],
  [
    'an object without a version',
    changed({ apiVersion: '' }),
    returned('invalid object at index 0: invalid groupVersion (expected e.com/v1, received )'),
  ],
  [
    'an object of another kind',
    changed({ kind: 'Other' }),
    returned('invalid object at index 0: invalid kind (expected Host, received Other)'),
  ],
  ['an object with another name', withMetadata({ name: 'b' }), returned('invalid object: must have the same name: a != b')],
  [
    'an object with another namespace',
    withMetadata({ namespace: 'b' }),
    returned('invalid object: must have the same namespace: default != b'),
  ],
  ['an object with another uid', withMetadata({ uid: 'b' }), returned('invalid object: must have the same UID: u != b')],
  ['an object without metadata', changed({ metadata: 'x' }), returned('invalid object: must have the same name: a != ')],
  ['null', answerOf(success(null)), 'unexpected end of JSON input'],
  ['a string instead of an object', answerOf(success('x')), noObject('string')],
  ['a list instead of an object', answerOf(success([])), noObject('array')],
  [
    'an invalid label',
    withMetadata({ labels: { 'bad key!': 'x' } }),
    returned(`invalid metadata: metadata.labels: Invalid value: "bad key!": ${labelKey}`),
  ],
  [
    'an invalid annotation',
    withMetadata({ annotations: { 'bad key!': 'x' } }),
    returned(`invalid metadata: metadata.annotation: Invalid value: "bad key!": ${labelKey}`),
  ],
  [
    'a label with a number',
    withMetadata({ labels: { ok: 5 } }),
    returned('invalid metadata: metadata.labels[ok] must be a string, but is int64 in converted object'),
  ],
  [
    'labels as a list',
    withMetadata({ labels: ['a'] }),
    returned('invalid metadata: invalid metadata.labels of type []interface {} in converted object'),
  ],
  [
    'annotations as a string',
    withMetadata({ annotations: 'x' }),
    returned('invalid metadata: invalid metadata.annotations of type string in converted object'),
  ],
  ['truncated JSON', '{"a":', failed("couldn't get version/kind; json parse error: unexpected end of JSON input")],
  [
    'an HTML page',
    '<html>hello</html>',
    failed(`couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${typeMeta}`),
  ],
  [
    'a list instead of a ConversionReview',
    '[]',
    failed(`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${typeMeta}`),
  ],
  [
    'a response without apiVersion and kind',
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
    'a ConversionReview in v1beta1',
    answerOf(success(converted), 'apiextensions.k8s.io/v1beta1'),
    failed('converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion'),
  ],
]

describe('the response of a conversion webhook', () => {
  test.each(refusals)('is refused: %s', (_what, answer, message) => {
    expect(refusal(answer)).toBe(message)
  })

  test('with an object without kind is quoted in the error', () => {
    const { kind: _, ...nameless } = converted
    expect(refusal(answerOf(success(nameless)))).toBe(`Object 'Kind' is missing in '${JSON.stringify(nameless)}'`)
  })

  test('in v1beta1 needs no uid, apiVersion or kind', () => {
    const older = { ...review, version: 'v1beta1' }
    const answer = JSON.stringify({ response: { result: { status: 'Success' }, convertedObjects: [converted] } })
    expect(convertedObjects(older, answer)).toEqual([converted])
  })

  test('may change spec, labels and annotations only', () => {
    const labels = { added: 'yes' }
    const answer = withMetadata({ labels, annotations: { note: 'x' }, generation: 77, finalizers: [], ownerReferences: [{}] })
    expect(convertedObjects(review, answer)).toEqual([
      { ...converted, metadata: { ...metadata, labels, annotations: { note: 'x' } } },
    ])
  })

  test('keeps the order of the objects', () => {
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

test('never changes metadata other than labels and annotations', () => {
  fc.assert(
    fc.property(texts, texts, others, fc.jsonValue(), (labels, annotations, more, spec) => {
      const answered = { ...metadata, ...(more as JsonObject), name: 'a', namespace: 'default', uid: 'u', labels, annotations }
      const [result] = convertedObjects(review, answerOf(success({ ...converted, spec: spec as JsonValue, metadata: answered })))
      expect(result?.metadata).toEqual({ ...metadata, labels, annotations })
      expect(JSON.stringify(result?.spec)).toBe(JSON.stringify(spec))
    }),
  )
})

test('conversionReviewVersions: the first supported version is used', () => {
  expect(reviewVersion(['v9', 'v1beta1', 'v1'])).toBe('v1beta1')
  expect(() => reviewVersion(['v9'])).toThrow('no supported conversion review versions')
})

test('the request of a conversion webhook contains whole objects', () => {
  expect(JSON.parse(requestText(review))).toEqual({
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    request: { uid: 'call', desiredAPIVersion: 'e.com/v1', objects: [object] },
  })
})
