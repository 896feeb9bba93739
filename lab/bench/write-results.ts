/** Writes the results of benchmarks as the formatter has them. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.ts'

/** Writes lab/bench/results/<name>.json. */
export function writeResults(name: string, results: unknown): void {
  const file = join(root, 'lab/bench/results', `${name}.json`)
  writeFileSync(file, JSON.stringify(results, undefined, 1))
  execFileSync(join(root, 'node_modules/.bin/biome'), ['check', '--write', file], { cwd: root, stdio: 'ignore' })
}
