/** Compares conversions of generated objects between versions with those of kube-apiserver's own functions. */
import { command, number } from '../command.ts'
import { conversionsOf, expectedOf } from '../conversions/compare.ts'
import { answersOf } from '../conversions/oracle.ts'
import { generatedQuestions } from '../conversions/questions.ts'

/** The differences that are printed. */
const maxPrinted = 20

export default command({
  options: {
    count: number('N', 'the generated objects of each version', 24),
    seed: number('N', 'makes other objects', 1),
  },
  run({ count, seed }) {
    const all = [...answersOf(generatedQuestions(count, seed))].map(([question, texts]) => expectedOf(question, texts))
    const different = all.filter((expected) => conversionsOf(expected).join('\n') !== expected.converted.join('\n'))
    for (const { version, direction, object } of different.slice(0, maxPrinted)) console.log(`${version} ${direction}: ${object}`)
    console.log(`${all.length} objects, ${different.length} differ`)
    if (different.length > 0) process.exitCode = 1
  },
})
