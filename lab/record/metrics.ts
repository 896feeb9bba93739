/**
 * Records the metric families of kube-apiserver for the tests: those of a server after requests that give most of them a value, and
 * those in the list in its sources that still have none.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, required, text } from '../command.ts'
import { root } from '../root.ts'
import { referenceOptions, withReference } from '../servers.ts'
import { exercise } from './metrics/exercise.ts'
import { documentedFamilies, familiesOf, type RecordedFamily } from './metrics/families.ts'

export default command({
  options: {
    ...referenceOptions,
    sources: required(text('DIR', 'the module k8s.io/kubernetes of the same release, as `go mod download` unpacks it')),
  },
  async run({ sources, ...values }) {
    const metrics = await withReference(values, exercise)
    const documented = readFileSync(join(sources, 'test/instrumentation/documentation/documentation-list.yaml'), 'utf8')
    const families = new Map<string, RecordedFamily>(documentedFamilies(documented).map((family) => [family.name, family]))
    for (const family of familiesOf(metrics)) families.set(family.name, family)
    const sorted = [...families.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    const file = join(root, 'conformance/recorded/metrics.jsonl')
    writeFileSync(file, sorted.map((family) => `${JSON.stringify(family)}\n`).join(''))
    const seen = sorted.filter(({ unseen }) => unseen === undefined).length
    console.log(`${sorted.length} families are recorded, ${seen} of them with values`)
  },
})
