/**
 * Divides the time of controller-runtime's own test suites: the starts and stops of the programs, the time in which at least one
 * request has no response yet, and the rest, which is the suite's own and would remain with the fastest server. Needs Go.
 *
 */

import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { command, type Values } from '../command.ts'
import { compileSuite, envtestOptions, ourAssets, sourceOf, workOf } from './envtest.ts'
import { writeResults } from './write-results.ts'

/** The times of one suite, in seconds. */
interface Division {
  readonly seconds: number
  readonly startsAndStops: number
  readonly requests: number
  readonly inRequests: number
  readonly own: number
}

const results = join(import.meta.dirname, 'results/envtest-waits.json')

type Interval = readonly [from: number, to: number]

/** The changes of pkg/envtest/server.go that call the functions of envtest-trace.go. */
const changes: readonly (readonly [string, string])[] = [
  ['te.Config = adminUser.Config()', 'te.Config = tracedConfig(adminUser.Config())'],
  ['if err := te.startControlPlane(); err', 'defer traced("start", time.Now())\n\t\tif err := te.startControlPlane(); err'],
  ['\treturn te.ControlPlane.Stop()\n', '\tdefer traced("stop", time.Now())\n\treturn te.ControlPlane.Stop()\n'],
]

/** Copies the sources, and changes those of envtest. */
function tracedSource(work: string, version: string): string {
  const source = join(work, 'traced')
  if (existsSync(source)) return source
  cpSync(sourceOf(work, version), source, { recursive: true })
  const file = join(source, 'pkg/envtest/server.go')
  let text = readFileSync(file, 'utf8')
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${file} has changed: ${from}`)
    text = text.replace(from, to)
  }
  writeFileSync(file, text)
  copyFileSync(join(import.meta.dirname, 'envtest-trace.go'), join(source, 'pkg/envtest/trace.go'))
  return source
}

/** Returns the seconds that at least one interval covers. */
function covered(intervals: readonly Interval[]): number {
  let sum = 0
  let end = 0
  for (const [from, to] of intervals.toSorted((a, b) => a[0] - b[0])) {
    if (to <= end) continue
    sum += to - Math.max(from, end)
    end = to
  }
  return sum / 1_000_000
}

const rounded = (seconds: number): number => Number(seconds.toFixed(1))

function divide(source: string, suite: string, name: string, assets: string): Division {
  const trace = `${suite}.trace`
  rmSync(trace, { force: true })
  const began = performance.now()
  spawnSync(suite, [], {
    cwd: join(source, 'pkg', name),
    env: { ...process.env, KUBEBUILDER_ASSETS: assets, TRACE: trace },
    stdio: 'ignore',
  })
  const seconds = (performance.now() - began) / 1000
  const lines = readFileSync(trace, 'utf8').trim().split('\n')
  const rows = lines.map((line) => {
    const [what = '', from = 0, took = 0] = line.split(' ').map((word, index) => (index === 0 ? word : Number(word)))
    return { isRequest: what === 'request', interval: [Number(from), Number(from) + Number(took)] as const }
  })
  const requests = rows.filter(({ isRequest }) => isRequest).map(({ interval }) => interval)
  const others = rows.filter(({ isRequest }) => !isRequest).map(({ interval }) => interval)
  return {
    seconds: rounded(seconds),
    startsAndStops: rounded(covered(others)),
    requests: requests.length,
    inRequests: rounded(covered(requests)),
    own: rounded(seconds - covered([...others, ...requests])),
  }
}

function run(values: Values<typeof envtestOptions>): void {
  const work = workOf(values.work)
  const source = tracedSource(work, values.version)
  mkdirSync(join(work, 'traced-suites'), { recursive: true })
  const assets = { kubernetes: resolve(values.assets), edgeplane: ourAssets() }
  // Suites that are not run again keep their results.
  const { suites } = (existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : { suites: {} }) as {
    suites: Record<string, Record<keyof typeof assets, Division>>
  }
  for (const name of values.packages) {
    const suite = join(work, 'traced-suites', `${name.replaceAll('/', '_')}.test`)
    compileSuite(source, name, suite)
    const pair = {
      kubernetes: divide(source, suite, name, assets.kubernetes),
      edgeplane: divide(source, suite, name, assets.edgeplane),
    }
    suites[name] = pair
    console.log(name, pair)
    writeResults('envtest-waits', { controllerRuntime: values.version, unit: 's', suites })
  }
}

export default command({
  options: envtestOptions,
  run,
})
