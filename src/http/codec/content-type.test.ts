import { describe, expect, test } from 'vitest'
import { customPatchTypes, negotiateInput, negotiatePatch, parseMediaType, patchTypes } from './content-type.ts'

const unknownFormat = 'the body of the request was in an unknown format - accepted media types include: '

describe('negotiateInput', () => {
  test.each([
    [null, 'application/json'],
    ['', 'application/json'],
    ['APPLICATION/JSON', 'application/json'],
    ['application/json;charset=utf-8', 'application/json'],
    ['application/json; charset="utf-8"', 'application/json'],
    ['application/json;', 'application/json'],
    [' application/yaml', 'application/yaml'],
    ['application/vnd.kubernetes.protobuf', 'application/vnd.kubernetes.protobuf'],
  ])('%j', (contentType, expected) => {
    expect(negotiateInput(contentType)).toBe(expected)
  })

  test.each([
    'application/json; charset=utf-8; charset=ascii',
    'application/json, text/plain',
    'json',
    'application/json; =x',
    'application/json;a="b',
    'application/json;charset',
    'text/yaml',
    'application/cbor',
    ';',
  ])('%j: 415 UnsupportedMediaType', (contentType) => {
    expect(() => negotiateInput(contentType)).toThrow(
      expect.objectContaining({
        code: 415,
        reason: 'UnsupportedMediaType',
        details: undefined,
        message: `${unknownFormat}application/json, application/yaml, application/vnd.kubernetes.protobuf`,
      }),
    )
  })

  test('a long Content-Type is parsed in linear time', () => {
    expect(parseMediaType(`a/b${';c=d '.repeat(20_000)}`)).toBeUndefined()
    expect(parseMediaType(`a/b;${' '.repeat(100_000)}x`)).toBeUndefined()
  })
})

describe('negotiatePatch', () => {
  test('parameters of the Content-Type are ignored', () => {
    expect(negotiatePatch('application/merge-patch+json; charset=utf-8', patchTypes())).toBe('application/merge-patch+json')
  })

  test.each([null, 'application/json', 'application/merge-patch+json ;x', 'application/MERGE-patch+json'])(
    '%j: 415 UnsupportedMediaType',
    (contentType) => {
      expect(() => negotiatePatch(contentType, patchTypes())).toThrow(
        `${unknownFormat}application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml`,
      )
    },
  )

  test('strategic merge patch of a custom resource: 415 UnsupportedMediaType', () => {
    expect(() => negotiatePatch('application/strategic-merge-patch+json', customPatchTypes())).toThrow(
      `${unknownFormat}application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml`,
    )
  })
})
