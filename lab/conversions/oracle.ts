/** The programs that convert objects with kube-apiserver's own functions. They need Go, and are built by the first call. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { parseJson, stringify } from '../../src/go/json.ts'
import type { JsonValue } from '../../src/go/json-value.ts'
import type { Oracle, Question } from './questions.ts'

const folder = join(import.meta.dirname, 'oracle')

/** The options of `go` for each program: the older one uses k8s.io/kubernetes v1.24.17. */
const options: Readonly<Record<Oracle, readonly string[]>> = {
  current: [],
  old: ['-modfile=go.1.24.mod', '-tags=release124'],
}

/** The answers to a question as JSON texts: one for each apiVersion. */
export type Answers = readonly string[]

/** 1.24 wrote absent times of metadata as null. */
const withoutNullTimes = (text: string): string => text.replace(/"creationTimestamp":null,?/g, '').replaceAll(',}', '}')

function ask(oracle: Oracle, questions: readonly Question[]): Answers[] {
  if (questions.length === 0) return []
  const lines = questions.map(({ object, through }) => `{"object":${object},"through":${JSON.stringify(through)}}\n`)
  const settings = { cwd: folder, input: lines.join(''), encoding: 'utf8', maxBuffer: 1 << 30 } as const
  const output = execFileSync('go', ['run', ...options[oracle], '.'], settings)
    .trimEnd()
    .split('\n')
  return output.map((line) => {
    if (line.startsWith('{"error"')) throw new Error(line)
    const list = parseJson(oracle === 'old' ? withoutNullTimes(line) : line, 'verbatim')
    return (list as JsonValue[]).map(stringify)
  })
}

/**
 * Returns the answers to all questions, in their order.
 * @throws Error if an object cannot be converted
 */
export function answersOf(questions: readonly Question[]): Map<Question, Answers> {
  const all = new Map<Question, Answers>()
  for (const oracle of ['current', 'old'] as const) {
    const asked = questions.filter((question) => question.oracle === oracle)
    for (const [index, answers] of ask(oracle, asked).entries()) {
      const question = asked[index]
      if (question !== undefined) all.set(question, answers)
    }
  }
  return all
}
