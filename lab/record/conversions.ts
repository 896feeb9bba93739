/** Records how kube-apiserver's own functions convert generated objects between versions, for the tests. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, number, text } from '../command.ts'
import { type Conversions, expectedOf } from '../conversions/compare.ts'
import { answersOf } from '../conversions/oracle.ts'
import { generatedQuestions } from '../conversions/questions.ts'
import { root } from '../root.ts'

/** The most characters of a recorded object. */
const maxCharacters = 900

/** Returns some objects of each version and direction that have many fields, but not too many for a file. */
function sample(all: readonly Conversions[], most: number): Conversions[] {
  const sizeOf = ({ object }: Conversions): number => object.length
  const groups = Map.groupBy(all, ({ version, direction }) => `${version} ${direction}`)
  return [...groups.values()].flatMap((group) => {
    const sorted = group.toSorted((a, b) => sizeOf(a) - sizeOf(b))
    const fitting = sorted.filter((conversions) => sizeOf(conversions) <= maxCharacters)
    return fitting.length === 0 ? sorted.slice(0, 1) : fitting.slice(-most)
  })
}

const lineOf = ({ version, direction, object, converted }: Conversions): string =>
  `{"version":"${version}","direction":"${direction}","object":${object},"converted":[${converted.join()}]}\n`

export default command({
  options: {
    count: number('N', 'the generated objects of each version', 24),
    seed: number('N', 'makes other objects', 1),
    most: number('N', 'the recorded objects of each version and direction', 2),
    out: text('FILE', 'receives the recording', join(root, 'conformance/recorded/conversions.jsonl')),
  },
  run({ count, seed, most, out }) {
    const answers = [...answersOf(generatedQuestions(count, seed))]
    const expected = (isSpecial: boolean): Conversions[] =>
      answers.filter(([question]) => question.isSpecial === isSpecial).map(([question, texts]) => expectedOf(question, texts))
    const lines = [...expected(true), ...sample(expected(false), most)].map(lineOf)
    writeFileSync(out, lines.join(''))
    console.log(`${lines.length} objects are recorded`)
  },
})
