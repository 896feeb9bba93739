/**
 * Objects of every kind with some broken fields: the engines that decode, patch, apply and encode them reject objects that they
 * cannot process.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Choice } from '../../lab/attack/choice.ts'
import { breakBytes, breakValue, jsonOf, jsonPatchOf } from '../../lab/attack/mutate-body.ts'
import { fullest } from '../../lab/generated/fullest.ts'
import { smallest } from '../../lab/generated/samples.ts'
import { applyConfiguration } from '../../src/apply/apply.ts'
import { EMPTY } from '../../src/apply/path-set.ts'
import type { Kind } from '../../src/catalog/kind.ts'
import { messageOfKind, messages } from '../../src/catalog/protobuf-messages.ts'
import { allKinds } from '../../src/catalog/scheme.ts'
import { protobufOfText, renderProtobuf } from '../../src/encoding/protobuf.ts'
import { parseJson } from '../../src/go/json.ts'
import { structJson } from '../../src/go/json-sorted.ts'
import { JsonSyntaxError } from '../../src/go/json-syntax.ts'
import type { JsonObject, JsonValue } from '../../src/go/json-value.ts'
import { ApiError } from '../../src/meta/errors.ts'
import { formatIp, parseIp } from '../../src/net/ip.ts'
import { jsonPatch } from '../../src/patch/json-patch.ts'
import { mergePatch } from '../../src/patch/merge-patch.ts'
import { strategicMerge } from '../../src/patch/strategic-merge-patch.ts'
import { readEnvelope } from '../../src/protobuf/envelope.ts'
import { decode } from '../../src/schema/decode.ts'
import { DecodeError } from '../../src/schema/decode-run.ts'
import { runs } from './runs.ts'

const servedAs = ({ group, resource }: Kind): string => (group === '' ? resource : `${resource}.${group}`)

/** A kind with a valid object of it, as JSON. */
const goodObjects = [...allKinds()].flatMap((kind) =>
  [smallest[servedAs(kind)], fullest[servedAs(kind)]].flatMap((rest) =>
    rest === undefined
      ? []
      : [{ kind, json: JSON.stringify({ kind: kind.kind, apiVersion: kind.apiVersion, metadata: { name: 'web' }, ...rest }) }],
  ),
)

function refusedOrDone<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof ApiError || error instanceof DecodeError || error instanceof JsonSyntaxError) return undefined
    throw error
  }
}

/** A valid object, the same object with one to four broken fields as JSON, and a seed for further choices. */
interface Case {
  readonly choice: Choice
  readonly kind: Kind
  readonly good: JsonObject
  readonly broken: string
}

function caseOf(index: number): Case {
  const choice = new Choice(7, index)
  const { kind, json } = choice.one(goodObjects)
  const value = JSON.parse(json) as JsonObject
  for (let left = 1 + choice.below(4); left > 0; left--) breakValue(choice, value)
  return { choice, kind, good: JSON.parse(json) as JsonObject, broken: jsonOf(value) }
}

/** Checks the property for random cases by number, so that a failure reports the number. */
const each = (property: (one: Case) => void): void =>
  fc.assert(
    fc.property(fc.nat(), (index) => property(caseOf(index))),
    runs,
  )

describe('an object with broken fields', { timeout: runs.timeout }, () => {
  test('is decoded or rejected, and decoding is idempotent', () => {
    each(({ kind, broken }) => {
      const object = refusedOrDone(() => decode(kind.type, parseJson(broken, 'verbatim'), { strict: true }).object)
      if (object === undefined) return
      const text = JSON.stringify(object)
      expect(JSON.stringify(decode(kind.type, parseJson(text, 'verbatim')).object)).toBe(text)
    })
  })

  test('is applied or rejected as a patch of each type', () => {
    each(({ choice, kind, good, broken }) => {
      refusedOrDone(() => strategicMerge(good, broken, kind.type))
      refusedOrDone(() => mergePatch(good, broken, false))
      refusedOrDone(() => jsonPatch(good, jsonOf(jsonPatchOf(choice, good))))
    })
  })

  test('is applied or rejected by server-side apply', () => {
    each(({ kind, good, broken }) => {
      const configuration = refusedOrDone(() => parseJson(broken))
      if (typeof configuration !== 'object' || configuration === null || Array.isArray(configuration)) return
      refusedOrDone(() =>
        applyConfiguration({
          type: kind.type,
          apiVersion: kind.apiVersion,
          live: good,
          configuration: configuration as JsonObject,
          called: 'default/web',
          calledLive: 'default/web',
          managers: [],
          manager: 'attack',
          subresource: '',
          time: '2026-01-02T03:04:05Z',
          resetFields: EMPTY,
          force: true,
        }),
      )
    })
  })

  test('has the same protobuf from its value and from its text, if it can be decoded', () => {
    each(({ kind, broken }) => {
      if (messageOfKind(kind) === undefined) return
      const object = refusedOrDone(() => decode(kind.type, parseJson(broken, 'verbatim')).object)
      if (object === undefined) return
      const { kind: _kind, apiVersion: _apiVersion, ...rest } = object
      const whole = { kind: kind.kind, apiVersion: kind.apiVersion, ...rest }
      const bytes = refusedOrDone(() => renderProtobuf(whole))
      // The text as the store has it, with Go's escapes.
      const same = refusedOrDone(() => protobufOfText(structJson(whole)))
      expect(same && Buffer.from(same).toString('hex')).toBe(bytes && Buffer.from(bytes).toString('hex'))
    })
  })
})

test('broken protobuf is decoded or rejected', { timeout: runs.timeout }, () => {
  each(({ choice, kind, good }) => {
    const reference = messageOfKind(kind)
    if (reference === undefined) return
    const bytes = breakBytes(choice, breakBytes(choice, Buffer.from(renderProtobuf(good))))
    const value = refusedOrDone(() => messages.decode(reference, readEnvelope(bytes).raw))
    if (value !== undefined) refusedOrDone(() => decode(kind.type, value))
  })
})

test('parseJson rejects the same broken JSON as JSON.parse', { timeout: runs.timeout }, () => {
  const parsed = (text: string, parse: (text: string) => JsonValue): string => {
    try {
      return JSON.stringify(parse(text))
    } catch {
      return 'refused'
    }
  }
  each(({ choice, good }) => {
    const text = breakBytes(choice, Buffer.from(JSON.stringify(good))).toString()
    expect(parsed(text, parseJson)).toBe(parsed(text, JSON.parse))
  })
})

test('a parsed IP address is formatted so that it parses to the same address', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6())
  fc.assert(
    fc.property(address, (text) => {
      const found = parseIp(text)
      if (found !== undefined) expect(parseIp(formatIp(found))).toEqual(found)
    }),
    runs,
  )
})
