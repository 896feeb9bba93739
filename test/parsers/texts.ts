/** Texts for parsers: random tokens of a language, damaged valid texts, and arbitrary texts. */
import fc from 'fast-check'

/** The vocabulary of a language. */
export interface Language {
  /** The tokens of its texts. */
  readonly tokens: readonly string[]
  /** Valid texts. */
  readonly samples: readonly string[]
}

/** Texts that are difficult for parsers of any language. */
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

/** Generates a text of the language, valid or not. */
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

/** The length of the texts that show whether the work grows faster than the text. */
const longLength = Number(process.env.PARSER_LENGTH ?? 20_000)

/** Returns long repetitive texts: each token alone, pairs of tokens, and valid texts. */
export function longTexts({ tokens, samples }: Language): string[] {
  const units = [...tokens, ...samples, ...tokens.map((token, index) => token + (tokens[(index * 7 + 3) % tokens.length] ?? ''))]
  const repeated = units.filter((unit) => unit !== '').map((unit) => unit.repeat(Math.ceil(longLength / unit.length)))
  // After a long beginning, a further character makes some parsers backtrack.
  return [...repeated, ...repeated.map((text) => `${text}!`)]
}
