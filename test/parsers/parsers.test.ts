/**
 * A parser either parses a client's text or rejects it with a declared error. `PARSER_RUNS=100000` tries as many texts of each
 * language, `PROPERTY_SEED` sets the random seed.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/meta/errors.ts'
import { type Parser, parsers } from './languages.ts'
import { runs } from './runs.ts'
import { longTexts, textOf } from './texts.ts'

/** Parses, and rethrows errors that no parser may throw: those of JavaScript itself and those of other parsers. */
function read({ read: parse, declared = [] }: Parser, text: string): void {
  try {
    parse(text)
  } catch (error) {
    const isDeclared = error instanceof ApiError || declared.some((errors) => error instanceof errors)
    if (!isDeclared && Object.getPrototypeOf(error) !== Error.prototype) throw error
  }
}

describe.each(parsers)('$name', (parser) => {
  test('texts are parsed, or rejected with an error that the parser declares', { timeout: runs.timeout }, () => {
    fc.assert(
      fc.property(textOf(parser), (text) => read(parser, text)),
      runs,
    )
  })

  test('long texts take a bounded time per character', () => {
    const texts = longTexts(parser)
    for (const text of texts) read(parser, text)
    expect(texts).not.toEqual([])
  })
})
