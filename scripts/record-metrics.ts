/**
 * Records the metric families of kube-apiserver for the tests: those of a server after requests that give most of them a value, and
 * those in the list in its sources that still have none.
 *
 *   npm run record:metrics -- --reference URL --reference-token T --sources DIR
 *
 * DIR is the module k8s.io/kubernetes of the same release, as `go mod download` unpacks it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { exercise } from './metrics/exercise.ts'
import { documentedFamilies, familiesOf, type RecordedFamily } from './metrics/families.ts'

const { values } = parseArgs({
  options: {
    reference: { type: 'string', default: '' },
    'reference-token': { type: 'string', default: '' },
    sources: { type: 'string', default: '' },
  },
})

const text = await exercise({ url: values.reference, token: values['reference-token'] })
const list = readFileSync(join(values.sources, 'test/instrumentation/documentation/documentation-list.yaml'), 'utf8')
const families = new Map<string, RecordedFamily>(documentedFamilies(list).map((family) => [family.name, family]))
for (const family of familiesOf(text)) families.set(family.name, family)
const sorted = [...families.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
const file = resolve(import.meta.dirname, '../conformance/recorded/metrics.jsonl')
writeFileSync(file, sorted.map((family) => `${JSON.stringify(family)}\n`).join(''))
const seen = sorted.filter(({ unseen }) => unseen === undefined).length
console.log(`${sorted.length} families are recorded, ${seen} of them with values`)
