/** Records what a Go program that calls kube-apiserver's own code answers about generated Pods. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Recording {
  readonly pods: readonly object[]
  /** The folder of the Go program, which reads a Pod and writes an answer in each line. */
  readonly program: string
  /** The name of the answer in the recording. */
  readonly answer: string
  readonly file: string
}

/** Writes a line with each Pod and its answer. */
export function recordPods({ pods, program, answer, file }: Recording): void {
  const texts = pods.map((pod) => JSON.stringify(pod))
  const results = execFileSync('go', ['run', '.'], {
    cwd: join(import.meta.dirname, program),
    input: texts.join('\n'),
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const lines = results.trimEnd().split('\n')
  writeFileSync(file, texts.map((pod, index) => `{"pod":${pod},"${answer}":${lines[index] ?? ''}}\n`).join(''))
  console.log(`${pods.length} Pods are recorded`)
}
