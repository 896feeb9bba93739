/**
 * Whatever a client writes, a parser either reads it or says what is wrong with it. `PARSER_RUNS=100000` tries as many texts of
 * each language, `PARSER_SEED` begins elsewhere.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/meta/errors.ts'
import { type Parser, parsers } from './languages.ts'
import { runs } from './runs.ts'
import { longTexts, textOf } from './texts.ts'

/** Reads, and lets through what no parser may throw: what JavaScript itself throws, and other parsers' errors. */
function read({ read: parse, declared = [] }: Parser, text: string): void {
  try {
    parse(text)
  } catch (error) {
    const isDeclared = error instanceof ApiError || declared.some((errors) => error instanceof errors)
    if (!isDeclared && Object.getPrototypeOf(error) !== Error.prototype) throw error
  }
}

describe.each(parsers)('$name', (parser) => {
  test('are read, or refused with an error that the parser declares', { timeout: runs.timeout }, () => {
    fc.assert(
      fc.property(textOf(parser), (text) => read(parser, text)),
      runs,
    )
  })

  test('take no more than a bounded time for each character', () => {
    const texts = longTexts(parser)
    for (const text of texts) read(parser, text)
    expect(texts).not.toEqual([])
  })
})
