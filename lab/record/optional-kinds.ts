/** Records the errors of kube-apiserver for objects of kinds that are not served by default. */
import { join } from 'node:path'
import { readLines, writeLines } from '../../conformance/lines.ts'
import type { Client } from '../../test/client.ts'
import { command } from '../command.ts'
import { root } from '../root.ts'
import { referenceOptions, withReference } from '../servers.ts'

/** A write, and the response of kube-apiserver. */
interface Row {
  /** `<group>/<version>/<resource>`. */
  readonly kind: string
  readonly namespaced?: true
  /** `a` if it is absent. */
  readonly name?: string
  /** The object before an update, without metadata. */
  readonly from?: object
  /** The object to create, or to update to. */
  readonly object?: object
  /** The status to write. */
  readonly status?: object
  /** The status to write after that. */
  readonly then?: object
  errors?: readonly string[]
  /** The spec and status that the server stores. */
  stored?: object
}

interface Reply {
  readonly code: number
  readonly body: {
    readonly metadata?: { readonly resourceVersion?: string }
    readonly spec?: object
    readonly status?: object
    readonly message?: string
    readonly details?: { readonly causes?: readonly { readonly field: string; readonly message: string }[] }
  }
}

const file = join(root, 'conformance/recorded/optional-kinds.jsonl')

/** The flags of a kube-apiserver that serves these kinds. */
const flags = ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true']

type Send = (method: string, path: string, body?: object) => Promise<Reply>

const senderOf =
  (server: Client): Send =>
  async (method, path, body) => {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}
    const reply = await server.send(path, { method, headers, body })
    return { code: reply.status, body: reply.json<Reply['body']>() }
  }

async function play(send: Send, { kind, namespaced, name = 'a', from, object, status, then }: Row): Promise<Reply> {
  const [resource, version, group] = kind.split('/').reverse()
  const collection = `/apis/${group}/${version}/${namespaced ? 'namespaces/default/' : ''}${resource}`
  const path = `${collection}/${encodeURIComponent(name)}`
  await send('DELETE', path)
  // An admission plugin protects PodGroups by a finalizer.
  await send('PATCH', path, { metadata: { finalizers: null } })
  const metadata = { name }
  const created = await send('POST', collection, { metadata, ...(from ?? object) })
  if (from === undefined) return created
  if (created.code !== 201) throw new Error(`${kind}: ${created.body.message}`)
  const update = (reply: Reply, to: string, rest: object): Promise<Reply> =>
    send('PUT', to, { metadata: { name, resourceVersion: reply.body.metadata?.resourceVersion }, ...rest })
  if (object !== undefined) return update(created, path, object)
  const first = await update(created, `${path}/status`, { ...from, status })
  return then === undefined ? first : update(first, `${path}/status`, { ...from, status: then })
}

async function record(send: Send): Promise<void> {
  const rows = readLines<Row>(file)
  for (const row of rows) {
    const { code, body } = await play(send, row)
    const causes = body.details?.causes?.map(({ field, message }) => `${field}: ${message}`)
    row.errors = code < 300 ? [] : (causes ?? [body.message ?? ''])
    const { spec, status } = body
    if (code < 300) row.stored = { ...(spec && { spec }), ...(status && typeof status === 'object' && { status }) }
    else delete row.stored
  }
  writeLines(file, rows)
}

export default command({
  about: `A running one must have the options ${flags.join(' ')}`,
  options: referenceOptions,
  run: (values) => withReference(values, (server) => record(senderOf(server)), flags),
})
