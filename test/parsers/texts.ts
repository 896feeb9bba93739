/** Texts for parsers: tokens of a language in any order, good texts that were damaged, and anything else. */
import fc from 'fast-check'

/** What a language is written with. */
export interface Language {
  /** What its texts are made of. */
  readonly tokens: readonly string[]
  /** Good texts. */
  readonly samples: readonly string[]
}

/** What breaks parsers of any language. */
const anywhere = [
  '',
  '\u0000',
  '\ufeff',
  '\ud800',
  '\u00e4',
  '\ud83d\ude00',
  '__proto__',
  'constructor',
  '\n',
  '\r',
  '\t',
  ' ',
  '\\',
  '"',
  "'",
  '%',
  '0',
  '-',
]

/** A text of the language, good or not. */
export function textOf({ tokens, samples }: Language): fc.Arbitrary<string> {
  const token = fc.constantFrom(...tokens, ...anywhere)
  const sequence = fc.array(token, { maxLength: 24 }).map((parts) => parts.join(''))
  const damaged = fc
    .tuple(fc.constantFrom(...samples), fc.nat(), fc.nat({ max: 8 }), token)
    .map(([sample, place, removed, inserted]) => {
      const at = place % (sample.length + 1)
      return sample.slice(0, at) + inserted + sample.slice(at + removed)
    })
  const joined = fc.tuple(damaged, token, damaged).map((parts) => parts.join(''))
  return fc.oneof(
    { arbitrary: damaged, weight: 6 },
    { arbitrary: sequence, weight: 4 },
    { arbitrary: joined, weight: 2 },
    { arbitrary: fc.constantFrom(...samples), weight: 1 },
    { arbitrary: fc.string({ unit: 'binary', maxLength: 40 }), weight: 1 },
  )
}

/** How long the texts are with which it is seen that the work does not grow faster than the text. */
const longLength = Number(process.env.PARSER_LENGTH ?? 20_000)

/** Long texts that say the same again and again: each token alone, pairs of tokens, and good texts. */
export function longTexts({ tokens, samples }: Language): string[] {
  const units = [...tokens, ...samples, ...tokens.map((token, index) => token + (tokens[(index * 7 + 3) % tokens.length] ?? ''))]
  const repeated = units.filter((unit) => unit !== '').map((unit) => unit.repeat(Math.ceil(longLength / unit.length)))
  // What comes after a long beginning makes some parsers begin again.
  return [...repeated, ...repeated.map((text) => `${text}!`)]
}
