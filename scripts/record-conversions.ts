/**
 * Records how kube-apiserver's own functions convert generated objects between versions, for the tests. Needs Go.
 *
 *   npm run record:conversions -- [--count N] [--seed N] [--most N] [--out FILE]
 *   npm run record:conversions -- --compare [--count N] [--seed N]
 *
 * With --compare it records nothing: it compares the answers with this server's, and fails if any differ.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Conversions, conversionsOf, expectedOf } from './conversions/compare.ts'
import { answersOf } from './conversions/oracle.ts'
import { generatedQuestions } from './conversions/questions.ts'

const { values } = parseArgs({
  options: {
    compare: { type: 'boolean', default: false },
    count: { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
    most: { type: 'string', default: '2' },
    out: { type: 'string', default: join(import.meta.dirname, '../conformance/recorded/conversions.jsonl') },
  },
})

/** The most characters of a recorded object. */
const mostCharacters = 900

const answers = answersOf(generatedQuestions(Number(values.count), Number(values.seed)))
const recorded = [...answers].map(([question, texts]) => expectedOf(question, texts))
const chosen = [...answers].flatMap(([question, texts]) => (question.isSpecial ? [expectedOf(question, texts)] : []))

const generated = [...answers].flatMap(([question, texts]) => (question.isSpecial ? [] : [expectedOf(question, texts)]))

/** Returns some objects of each version and direction that have many fields, but not too many for a file. */
function sample(all: readonly Conversions[], most: number): Conversions[] {
  const sizeOf = ({ object }: Conversions): number => object.length
  const groups = Map.groupBy(all, ({ version, direction }) => `${version} ${direction}`)
  return [...groups.values()].flatMap((group) => {
    const sorted = group.toSorted((a, b) => sizeOf(a) - sizeOf(b))
    const fitting = sorted.filter((conversions) => sizeOf(conversions) <= mostCharacters)
    return fitting.length === 0 ? sorted.slice(0, 1) : fitting.slice(-most)
  })
}

if (values.compare) {
  const different = recorded.filter((expected) => conversionsOf(expected).join('\n') !== expected.converted.join('\n'))
  for (const { version, direction, object } of different.slice(0, 20)) console.log(`${version} ${direction}: ${object}`)
  console.log(`${recorded.length} objects, ${different.length} differ`)
  process.exit(different.length === 0 ? 0 : 1)
}
const lines = [...chosen, ...sample(generated, Number(values.most))].map(
  ({ version, direction, object, converted }) =>
    `{"version":"${version}","direction":"${direction}","object":${object},"converted":[${converted.join()}]}\n`,
)
writeFileSync(values.out, lines.join(''))
console.log(`${lines.length} objects are recorded`)
