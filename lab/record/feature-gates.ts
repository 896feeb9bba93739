/**
 * Writes src/config/recorded-gates.json: the stages of the feature gates of the newest release in each release.
 *
 *   node scripts/record-feature-gates.ts
 *
 * Needs Go, and reads the versioned specifications in the modules of that release.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { featureGates } from '../src/config/feature-gate-table.ts'

/** The files with specifications, by module. */
const SOURCES: readonly (readonly [module: string, path: string])[] = [
  ['k8s.io/kubernetes@v1.36.3', 'pkg/features/kube_features.go'],
  ['k8s.io/apiserver@v0.36.3', 'pkg/features/kube_features.go'],
  ['k8s.io/component-base@v0.36.3', 'metrics/features/kube_features.go'],
  ['k8s.io/component-base@v0.36.3', 'logs/api/v1/kube_features.go'],
  ['k8s.io/component-base@v0.36.3', 'zpages/features/kube_features.go'],
  ['k8s.io/client-go@v0.36.3', 'features/known_features.go'],
  ['k8s.io/apiextensions-apiserver@v0.36.3', 'pkg/features/kube_features.go'],
  ['k8s.io/controller-manager@v0.36.3', 'pkg/features/kube_features.go'],
]

/** Constants whose value is not their name. */
const NAMES: Readonly<Record<string, string>> = {
  CPUCFSQuotaPeriod: 'CustomCPUCFSQuotaPeriod',
  RuntimeClassInImageCriAPI: 'RuntimeClassInImageCriApi',
}

function download(module: string): string {
  const output = execFileSync('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), encoding: 'utf8' })
  return (JSON.parse(output) as { Dir: string }).Dir
}

const GATE = /^\t+(?:\w+\.)?(?<name>\w+):\s*\{\n(?<specs>(?:\s*(?:\/\/.*|\{Version: version\.MustParse\(.*)\n)+)\s*\}/gm
const SPEC = /^\s*\{Version: version\.MustParse\("(?<release>[\d.]+)"\), (?<rest>.*?)\}/gm

/** Writes a specification as words: `1.26 BETA on`, `1.30 GA on locked`. */
function words(release: string, rest: string): string {
  const stage = /(?:Alpha|Beta|Deprecated|GA)\b/.exec(rest)?.[0].toUpperCase() ?? 'GA'
  const isLocked = /\bLockToDefault: true/.test(rest)
  return `${release} ${stage} ${/\bDefault: true/.test(rest) ? 'on' : 'off'}${isLocked ? ' locked' : ''}`
}

const found = new Map<string, string[]>()
for (const [module, path] of SOURCES) {
  for (const { groups = {} } of readFileSync(join(download(module), path), 'utf8').matchAll(GATE)) {
    const { name = '', specs = '' } = groups
    const gate = NAMES[name] ?? name
    const history = [...specs.matchAll(SPEC)].map((spec) => words(spec.groups?.release ?? '', spec.groups?.rest ?? ''))
    if (featureGates.has(gate) && !found.has(gate)) found.set(gate, history)
  }
}
const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, history]) => [name, history.join(', ')] as const)
const file = resolve(import.meta.dirname, '../src/config/recorded-gates.json')
writeFileSync(file, JSON.stringify(Object.fromEntries(sorted)))
execFileSync('biome', ['format', '--write', file])
