/**
 * Measures decoding, validating and encoding one custom resource of 4 KB, in CPU time, so that other load on the machine matters
 * less.
 */

import type { DefinedKind, Kind } from '../../src/catalog/kind.ts'
import type { CustomResourceDefinition } from '../../src/crd/definition.ts'
import { kindsOf } from '../../src/crd/kind.ts'
import { parseJson } from '../../src/go/json.ts'
import { command } from '../command.ts'
import { certificate, certificateSchema, definition, ruledSchema } from './custom-definitions.ts'
import { writeResults } from './write-results.ts'

function kindOfDefinition(crd: CustomResourceDefinition): Kind & { readonly definition: DefinedKind } {
  const kind = kindsOf(crd, 'bench').get('v1')
  if (kind?.definition === undefined) throw new Error('no kind')
  return Object.assign(kind, { definition: kind.definition })
}

function cases(): Record<string, () => unknown> {
  const plain = definition(0, certificateSchema)
  const kind = kindOfDefinition(plain)
  const ruled = kindOfDefinition(definition(0, ruledSchema))
  const text = JSON.stringify(certificate(plain, 'bench'))
  const body = parseJson(text, 'verbatim')
  const { object } = kind.codec.decode(body, text, 'Strict')
  const wrong = [...kind.definition.validate(object), ...ruled.definition.validate(object)]
  if (wrong.length > 0) throw new Error(JSON.stringify(wrong))
  return {
    'prune, default and validate a custom resource of 4 KB': () => {
      const decoded = kind.codec.decode(body, undefined, 'Strict')
      return kind.definition.validate(decoded.object)
    },
    'prune and default a custom resource of 4 KB': () => kind.codec.decode(body, undefined, 'Strict'),
    'validate a custom resource of 4 KB': () => kind.definition.validate(object),
    'validate a custom resource of 4 KB with 10 rules': () => ruled.definition.validate(object),
    'write a custom resource of 4 KB as it is stored': () => kind.codec.encode(object, '1'),
  }
}

const calls = 500

/** Returns the median of nine runs, in microseconds of CPU time per call. */
function microseconds(run: () => unknown): number {
  const times = Array.from({ length: 9 }, () => {
    const began = process.cpuUsage()
    for (let i = 0; i < calls; i++) run()
    const { user, system } = process.cpuUsage(began)
    return (user + system) / calls
  })
  return Number((times.sort((a, b) => a - b)[4] ?? Number.NaN).toFixed(1))
}

function run(): void {
  const measured = Object.entries(cases())
  for (const [, run] of measured) microseconds(run)
  const result = Object.fromEntries(measured.map(([name, run]) => [name, microseconds(run)]))
  writeResults('custom-objects', { unit: 'µs of the processor', ...result })
  console.log(result)
}

export default command({ run })
