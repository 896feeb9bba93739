/**
 * Records the objects of a running kube-apiserver as the tests of imports read them: the responses to discovery and to lists, by
 * path. They are texts, so that long numbers stay as they are.
 *
 *     node scripts/record-cluster.ts --reference URL --reference-token T > test/launcher/transfer/reference-cluster.json
 */
import { parseArgs } from 'node:util'
import { parseJson, stringify } from '../src/go/json.ts'
import type { JsonValue } from '../src/go/json-value.ts'

const { values } = parseArgs({ options: { reference: { type: 'string' }, 'reference-token': { type: 'string' } } })
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'

interface Item {
  readonly metadata: { managedFields?: unknown }
}

interface Listed {
  readonly groups?: readonly { readonly preferredVersion: { readonly groupVersion: string } }[]
  readonly resources?: readonly { readonly name: string; readonly verbs: readonly string[] }[]
  readonly items?: readonly Item[]
}

const recorded: Record<string, string> = {}

async function record(path: string): Promise<Listed> {
  const response = await fetch(`${values.reference}${path}`, {
    headers: { authorization: `Bearer ${values['reference-token']}`, accept: 'application/json' },
  })
  const body = parseJson(await response.text()) as Listed
  // They take most of the space, and no export contains them.
  for (const { metadata } of body.items ?? []) delete metadata.managedFields
  recorded[path] = stringify(body as JsonValue)
  return body
}

const { groups = [] } = await record('/apis')
for (const version of ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)]) {
  const { resources = [] } = await record(version)
  for (const { name, verbs } of resources) {
    const isListed = !name.includes('/') && verbs.includes('list') && verbs.includes('create')
    if (isListed && !/^(events|leases|endpoints|endpointslices)$/.test(name)) await record(`${version}/${name}`)
  }
}
process.stdout.write(`${JSON.stringify(recorded)}\n`)
