/** Writes the results of benchmarks as the formatter has them. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** Writes bench/results/<name>.json. */
export function writeResults(name: string, results: unknown): void {
  const file = join(root, 'bench/results', `${name}.json`)
  writeFileSync(file, JSON.stringify(results, undefined, 1))
  execFileSync(join(root, 'node_modules/.bin/biome'), ['check', '--write', file], { cwd: root, stdio: 'ignore' })
}
