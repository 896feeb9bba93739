/**
 * Compares the programs for envtest with kube-apiserver and etcd, in turn on the same machine: the time until envtest has started
 * them, and controller-runtime's own test suites, of which every spec that passes there must pass here. Needs Go.
 * Fails if a spec fails here alone.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { command, list, number, required, text, type Values } from '../command.ts'
import { root } from '../root.ts'
import { writeResults } from './write-results.ts'

const module = 'sigs.k8s.io/controller-runtime'
const defaultPackages = [
  'builder',
  'webhook',
  'cluster',
  'controller',
  'internal/recorder',
  'source',
  'client',
  'envtest',
  'manager',
  'cache',
]
const go = { ...process.env, GOFLAGS: `${process.env.GOFLAGS ?? ''} -buildvcs=false`.trim() }

/** The options that the measurements of these suites share. */
export const envtestOptions = {
  assets: required(text('DIR', 'kube-apiserver, etcd and kubectl of Kubernetes')),
  version: text('V', 'of controller-runtime', 'v0.25.2'),
  packages: list('NAME,…', 'the suites', defaultPackages),
  work: text('DIR', 'keeps the compiled suites for the next run'),
}

/** The result of one suite. */
interface Suite {
  readonly seconds: number
  readonly passed: number
  /** The full names of the specs that failed. */
  readonly failed: readonly string[]
}

interface Spec {
  readonly ContainerHierarchyTexts: readonly string[] | null
  readonly LeafNodeText: string
  readonly LeafNodeType: string
  readonly State: string
}

const results = join(root, 'lab/bench/results/envtest.json')

/** The contents of the results. */
interface Results {
  readonly suites: Record<string, Record<'kubernetes' | 'edgeplane', Suite>>
}

/** The directory of a run: given, or a new one. */
export const workOf = (given: string | undefined): string => resolve(given ?? mkdtempSync(join(tmpdir(), 'edgeplane-envtest-')))

/** Returns the directory in `work` with the sources of a version, which are copied there once. */
export function sourceOf(work: string, version: string): string {
  const source = join(work, 'source')
  if (existsSync(source)) return source
  mkdirSync(work, { recursive: true })
  const { Dir } = JSON.parse(
    execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], { cwd: work, encoding: 'utf8' }),
  ) as { Dir: string }
  cpSync(Dir, source, { recursive: true })
  // Modules are read-only, and carry no permission to execute.
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true }))
    chmodSync(join(entry.parentPath, entry.name), 0o755)
  return source
}

/** Compiles the suite of a package, unless it is there. */
export function compileSuite(source: string, name: string, suite: string): void {
  if (existsSync(suite)) return
  execFileSync('go', ['test', '-vet=off', '-c', '-o', suite, `./pkg/${name}`], { cwd: source, env: go, stdio: 'inherit' })
}

/** Compiles the suites that are not there yet. */
function compile(work: string, version: string, packages: readonly string[]): void {
  const source = sourceOf(work, version)
  mkdirSync(join(work, 'suites'), { recursive: true })
  for (const name of packages) compileSuite(source, name, suiteOf(work, name))
}

/** Returns the directory of this checkout's programs. */
export const ourAssets = (): string =>
  execFileSync(process.execPath, [join(root, 'bin/edgeplane.mjs'), 'envtest-assets'], { encoding: 'utf8' }).trim()

const suiteOf = (work: string, name: string): string => join(work, 'suites', `${name.replaceAll('/', '_')}.test`)

function runSuite(work: string, name: string, assets: string): Suite {
  const report = join(work, 'report.json')
  const began = performance.now()
  spawnSync(suiteOf(work, name), [`-ginkgo.json-report=${report}`], {
    cwd: join(work, 'source/pkg', name),
    env: { ...process.env, KUBEBUILDER_ASSETS: assets },
    stdio: 'ignore',
  })
  const seconds = Number(((performance.now() - began) / 1000).toFixed(1))
  const [{ SpecReports } = { SpecReports: [] }] = JSON.parse(readFileSync(report, 'utf8')) as { SpecReports: readonly Spec[] }[]
  const specs = SpecReports.filter(({ LeafNodeType, State }) => LeafNodeType === 'It' || State === 'failed')
  const nameOf = ({ ContainerHierarchyTexts, LeafNodeText }: Spec): string =>
    [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ')
  const failed = specs.filter(({ State }) => !['passed', 'pending', 'skipped'].includes(State)).map(nameOf)
  return { seconds, passed: specs.filter(({ State }) => State === 'passed').length, failed }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The milliseconds of starts, and their processor time. */
interface Starts {
  readonly median: number
  readonly all: readonly number[]
  readonly processorTime: { readonly median: number; readonly all: readonly number[] }
}

/** Starts both in turn with envtest itself. */
function startTimes(times: number, assets: Readonly<Record<string, string>>): Record<string, Starts> {
  const output = execFileSync('go', ['run', './starts', String(times), ...Object.values(assets)], {
    cwd: join(root, 'test/clients/operator'),
    env: go,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { assets: string; startMs: number; processorMs: number })
  return Object.fromEntries(
    Object.entries(assets).map(([name, directory]) => {
      const found = lines.filter((line) => line.assets === directory)
      const all = found.map(({ startMs }) => Math.round(startMs))
      const processor = found.map(({ processorMs }) => processorMs)
      return [name, { median: median(all), all, processorTime: { median: median(processor), all: processor } }]
    }),
  )
}

const options = { ...envtestOptions, times: number('N', 'the starts that are measured', 5) }

function run(values: Values<typeof options>): void {
  const work = workOf(values.work)
  const packages = values.packages.filter((name) => name !== '')
  if (packages.length > 0) compile(work, values.version, packages)
  const assets = { kubernetes: resolve(values.assets), edgeplane: ourAssets() }
  const starts = startTimes(values.times, assets)
  const shown = (one: Starts | undefined): string => `${one?.median} ms (processor time ${one?.processorTime.median} ms)`
  console.log(`envtest has started: ${shown(starts.kubernetes)} with kube-apiserver, ${shown(starts.edgeplane)} here`)
  // Suites that are not run again keep their results.
  const { suites } = JSON.parse(readFileSync(results, 'utf8')) as Results
  write(starts, values.version, suites)
  for (const name of packages) {
    const pair: Results['suites'][string] = {
      kubernetes: runSuite(work, name, assets.kubernetes),
      edgeplane: runSuite(work, name, assets.edgeplane),
    }
    suites[name] = pair
    const failsHere = pair.edgeplane.failed.filter((spec) => !pair.kubernetes.failed.includes(spec))
    console.log(
      `${name}: ${pair.kubernetes.passed} passed in ${pair.kubernetes.seconds} s; here ${pair.edgeplane.passed} in ${pair.edgeplane.seconds} s`,
    )
    for (const spec of failsHere) console.log(`  fails here alone: ${spec}`)
    if (failsHere.length > 0) process.exitCode = 1
    // Some suites take minutes: a run that is broken off leaves its results.
    write(starts, values.version, suites)
  }
}

function write(starts: Readonly<Record<string, Starts>>, controllerRuntime: string, suites: Results['suites']): void {
  writeResults('envtest', { controllerRuntime, starts: { unit: 'ms', ...starts }, suites })
}

export default command({
  options,
  run,
})
