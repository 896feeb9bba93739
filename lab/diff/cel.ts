/**
 * Sends generated CEL expressions to an Edgeplane server and to kube-apiserver, and compares the whole responses:
 *
 *   npm run differential:cel -- --reference URL --reference-token T [--server URL --token T] [--count N] [--seed N]
 *     [--from FOLDER] [--places rules,validations] [--json FILE] [--verbose]
 *
 * Each expression becomes a rule of a custom resource, or a message expression that shows its value. First the responses to
 * definitions are compared, including compile errors and cost estimates; accepted rules are then evaluated for created and
 * updated objects. The same expressions are also put into admission policies, match conditions and device selectors, where they
 * are only compiled. About a third is invalid on purpose. --from takes the expressions from the JSON files of a folder instead.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type GeneratedRule, generatedRules } from './expressions/generate.ts'
import { compiledOnly } from './expressions/places.ts'
import { rulesWithin } from './expressions/read.ts'
import { type Difference, Trial } from './expressions/trial.ts'
import { startServer } from './own-server.ts'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string' },
    places: { type: 'string', default: ['rules', ...Object.keys(compiledOnly)].join(',') },
    json: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    server: { type: 'string' },
    token: { type: 'string', default: '' },
    reference: { type: 'string', default: '' },
    'reference-token': { type: 'string', default: '' },
  },
})

/** The number of rules in one definition. */
const batchSize = 25

function batches<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / batchSize) }, (_, i) => all.slice(i * batchSize, (i + 1) * batchSize))
}

const rulesFor = (roots: readonly string[], seed: number): GeneratedRule[] =>
  values.from === undefined ? generatedRules(roots, Number(values.count), seed) : rulesWithin(values.from)

function print({ place, expression, ours, theirs }: Difference): void {
  console.log(`  ${place}: ${expression}`)
  console.log(`    ours:   ${ours.slice(0, 1500)}`)
  console.log(`    theirs: ${theirs.slice(0, 1500)}`)
}

function tell(what: string, total: number, differences: readonly Difference[]): void {
  const equal = total - new Set(differences.map(({ expression }) => expression)).size
  console.log(`${what}: ${((100 * equal) / Math.max(1, total)).toFixed(2)}% (${equal} of ${total}) equal`)
  if (values.verbose) differences.forEach(print)
}

async function run(trial: Trial): Promise<Difference[]> {
  const seed = Number(values.seed)
  const places = values.places.split(',')
  const rules = places.includes('rules') ? rulesFor(['self', 'self', 'self', 'oldSelf'], seed) : []
  const ofRules: Difference[] = []
  for (const batch of batches(rules)) ofRules.push(...(await trial.rules(batch)))
  tell('rules', rules.length, ofRules)
  const written = rulesFor(['object', 'oldObject', 'params'], seed).flatMap(({ rule, messageExpression }) =>
    rule === 'false' && messageExpression !== undefined ? [messageExpression] : [rule],
  )
  const found = [...ofRules]
  for (const [place, form] of Object.entries(compiledOnly)) {
    if (!places.includes(place)) continue
    const ofPlace: Difference[] = []
    for (const batch of batches(written)) ofPlace.push(...(await trial.compiled(place, form, batch)))
    tell(place, written.length, ofPlace)
    found.push(...ofPlace)
  }
  return found
}

if (values.reference === '') throw new Error('--reference says where kube-apiserver is')
const own = values.server === undefined ? await startServer() : undefined
try {
  const ours = own ?? { url: values.server ?? '', token: values.token }
  const trial = new Trial([ours, { url: values.reference, token: values['reference-token'] }])
  try {
    await trial.begin()
    const differences = await run(trial)
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(differences, null, 1))
    process.exitCode = differences.length === 0 ? 0 : 1
  } finally {
    await trial.end()
  }
} finally {
  own?.stop()
}
