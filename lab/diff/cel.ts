/**
 * Sends generated CEL expressions to an Edgeplane server and to kube-apiserver, and compares the whole responses.
 *
 * Each expression becomes a rule of a custom resource, or a message expression that shows its value. First the responses to
 * definitions are compared, including compile errors and cost estimates; accepted rules are then evaluated for created and
 * updated objects. The same expressions are also put into admission policies, match conditions and device selectors, where they
 * are only compiled. About a third is invalid on purpose.
 */
import { writeFileSync } from 'node:fs'
import { command, flag, list, number, text, type Values } from '../command.ts'
import { referenceOptions, serverOptions, withBoth } from '../servers.ts'
import { type GeneratedRule, generatedRules } from './cel/generate.ts'
import { compiledOnly } from './cel/places.ts'
import { rulesWithin } from './cel/read.ts'
import { type Difference, Trial } from './cel/trial.ts'

const options = {
  count: number('N', 'the expressions', 500),
  seed: number('N', 'makes other expressions', 1),
  from: text('DIR', 'takes the expressions from the JSON files of a folder'),
  places: list('NAME,…', `where they are: rules,${Object.keys(compiledOnly).join(',')}`, ['rules', ...Object.keys(compiledOnly)]),
  json: text('FILE', 'receives the differences'),
  verbose: flag('prints each difference'),
  ...serverOptions,
  ...referenceOptions,
}

/** The number of rules in one definition. */
const batchSize = 25

function batches<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / batchSize) }, (_, i) => all.slice(i * batchSize, (i + 1) * batchSize))
}

const rulesFor = ({ from, count, seed }: Values<typeof options>, roots: readonly string[]): GeneratedRule[] =>
  from === undefined ? generatedRules(roots, count, seed) : rulesWithin(from)

function print({ place, expression, ours, theirs }: Difference): void {
  console.log(`  ${place}: ${expression}`)
  console.log(`    ours:   ${ours.slice(0, 1500)}`)
  console.log(`    theirs: ${theirs.slice(0, 1500)}`)
}

function tell(what: string, total: number, differences: readonly Difference[], verbose: boolean): void {
  const equal = total - new Set(differences.map(({ expression }) => expression)).size
  console.log(`${what}: ${((100 * equal) / Math.max(1, total)).toFixed(2)}% (${equal} of ${total}) equal`)
  if (verbose) differences.forEach(print)
}

async function differencesOf(trial: Trial, values: Values<typeof options>): Promise<Difference[]> {
  const { places, verbose } = values
  const rules = places.includes('rules') ? rulesFor(values, ['self', 'self', 'self', 'oldSelf']) : []
  const ofRules: Difference[] = []
  for (const batch of batches(rules)) ofRules.push(...(await trial.rules(batch)))
  tell('rules', rules.length, ofRules, verbose)
  const written = rulesFor(values, ['object', 'oldObject', 'params']).flatMap(({ rule, messageExpression }) =>
    rule === 'false' && messageExpression !== undefined ? [messageExpression] : [rule],
  )
  const all = [...ofRules]
  for (const [place, form] of Object.entries(compiledOnly)) {
    if (!places.includes(place)) continue
    const ofPlace: Difference[] = []
    for (const batch of batches(written)) ofPlace.push(...(await trial.compiled(place, form, batch)))
    tell(place, written.length, ofPlace, verbose)
    all.push(...ofPlace)
  }
  return all
}

export default command({
  options,
  run: (values) =>
    withBoth(values, async (ours, theirs) => {
      const trial = new Trial([ours, theirs])
      try {
        await trial.begin()
        const differences = await differencesOf(trial, values)
        if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(differences, null, 1))
        process.exitCode = differences.length === 0 ? 0 : 1
      } finally {
        await trial.end()
      }
    }),
})
