/**
 * Records the errors of kube-apiserver for objects of kinds that are not served by default:
 *
 *   npm run record:optional-kinds -- --reference URL --reference-token T
 *
 * The reference must run with `--runtime-config=api/all=true --feature-gates=AllAlpha=true,AllBeta=true`.
 */
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readLines, writeLines } from '../conformance/lines.ts'

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

const file = join(import.meta.dirname, '../conformance/recorded/optional-kinds.jsonl')
const { values } = parseArgs({
  options: { reference: { type: 'string', default: '' }, 'reference-token': { type: 'string', default: '' } },
})
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })

const send = (method: string, path: string, body?: object): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${values['reference-token']}`,
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
    }
    const sent = request(`${values.reference}${path}`, { method, headers, agent }, async (response) => {
      let text = ''
      for await (const chunk of response) text += String(chunk)
      resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) as Reply['body'] })
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })

async function play({ kind, namespaced, name = 'a', from, object, status, then }: Row): Promise<Reply> {
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

const rows = readLines<Row>(file)
for (const row of rows) {
  const { code, body } = await play(row)
  const causes = body.details?.causes?.map(({ field, message }) => `${field}: ${message}`)
  row.errors = code < 300 ? [] : (causes ?? [body.message ?? ''])
  const { spec, status } = body
  if (code < 300) row.stored = { ...(spec && { spec }), ...(status && typeof status === 'object' && { status }) }
  else delete row.stored
}
writeLines(file, rows)
agent.destroy()
