import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { certificate, certificateSchema, definition, ruledSchema } from './custom-definitions.ts'

const token = readFileSync('/tmp/crdspeed/data/admin-token', 'utf8').trim()
const agent = new Agent({ keepAlive: true, maxSockets: 16, rejectUnauthorized: false })
const post = (path: string, body: string, method = 'POST') =>
  new Promise<number>((d, f) => {
    const s = request(
      'https://127.0.0.1:27111' + path,
      {
        method,
        agent,
        headers: {
          authorization: 'Bearer ' + token,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      (r) => {
        r.resume()
        r.on('end', () => d(r.statusCode ?? 0))
      },
    )
    s.on('error', f)
    s.end(body)
  })
const run = Math.random().toString(36).slice(2, 6)
for (let round = 0; round < 3; round++)
  for (const [n, of] of [
    ['plain', definition(1, certificateSchema)],
    ['rules', definition(2, ruledSchema)],
  ] as const) {
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', JSON.stringify(of))
    const path = `/apis/${of.spec.group}/v1/namespaces/default/${of.spec.names.plural}`
    let count = 0
    const b = performance.now()
    await Promise.all(
      Array.from({ length: 16 }, async (_, w) => {
        for (let i = 0; performance.now() - b < 4000; i++) {
          const st = await post(path, JSON.stringify(certificate(of, `c-${run}-${round}-${w}-${i}`)))
          if (st !== 201) throw new Error(String(st))
          count++
        }
      }),
    )
    console.log(n, (count / 4).toFixed(0))
  }
process.exit(0)
