/**
 * Writes src/config/recorded-gates.json: the stages of the feature gates of the newest release in each release, which the versioned
 * specifications in the modules of that release tell.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { featureGates } from '../../src/config/feature-gate-table.ts'
import { command } from '../command.ts'
import { root } from '../root.ts'

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

/** Returns the stages of the gates by release. */
function stages(): ReadonlyMap<string, string> {
  const all = new Map<string, string>()
  for (const [module, path] of SOURCES) {
    for (const { groups = {} } of readFileSync(join(download(module), path), 'utf8').matchAll(GATE)) {
      const { name = '', specs = '' } = groups
      const gate = NAMES[name] ?? name
      const history = [...specs.matchAll(SPEC)].map((spec) => words(spec.groups?.release ?? '', spec.groups?.rest ?? ''))
      if (featureGates.has(gate) && !all.has(gate)) all.set(gate, history.join(', '))
    }
  }
  return all
}

export default command({
  run() {
    const sorted = [...stages()].sort(([a], [b]) => (a < b ? -1 : 1))
    const file = join(root, 'src/config/recorded-gates.json')
    writeFileSync(file, JSON.stringify(Object.fromEntries(sorted)))
    execFileSync('biome', ['format', '--write', file])
  },
})
