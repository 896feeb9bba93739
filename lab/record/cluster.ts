/**
 * Records the objects of a running kube-apiserver as the tests of imports read them: the responses to discovery and to lists, by
 * path. They are texts, so that long numbers stay as they are.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson, stringify } from '../../src/go/json.ts'
import type { JsonValue } from '../../src/go/json-value.ts'
import type { Client } from '../../test/client.ts'
import { command, text } from '../command.ts'
import { root } from '../root.ts'
import { referenceOptions, withReference } from '../servers.ts'

interface Item {
  readonly metadata: { managedFields?: unknown }
}

interface Listed {
  readonly groups?: readonly { readonly preferredVersion: { readonly groupVersion: string } }[]
  readonly resources?: readonly { readonly name: string; readonly verbs: readonly string[] }[]
  readonly items?: readonly Item[]
}

/** Returns the responses by path. */
async function objectsOf(server: Client): Promise<Readonly<Record<string, string>>> {
  const recorded: Record<string, string> = {}
  const record = async (path: string): Promise<Listed> => {
    const body = parseJson((await server.send(path)).text) as Listed
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
  return recorded
}

export default command({
  options: {
    ...referenceOptions,
    out: text('FILE', 'receives the recording', join(root, 'test/launcher/transfer/reference-cluster.json')),
  },
  async run({ out, ...values }) {
    writeFileSync(out, `${JSON.stringify(await withReference(values, objectsOf))}\n`)
  },
})
