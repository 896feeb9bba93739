/**
 * Measures a list of 10,000 Pods of 2 KB in JSON and in protobuf, first and repeated, on a server with default settings.
 */

import { startServer, type TestServer } from '../../test/server.ts'
import { command } from '../command.ts'
import { writeResults } from './write-results.ts'

const pods = '/api/v1/namespaces/default/pods'
const count = 10_000
const connections = 16
const rounds = 9
const mediaTypes = { JSON: 'application/json', protobuf: 'application/vnd.kubernetes.protobuf' }

const pod = (name: string): object => ({
  metadata: { name, labels: { app: 'bench' } },
  spec: {
    containers: [
      {
        name: 'a',
        image: 'a:1',
        ports: [{ containerPort: 80 }],
        env: [{ name: 'A', value: '1' }],
        resources: { requests: { cpu: '0.5', memory: '1024Mi' } },
      },
    ],
  },
})

async function fill(server: TestServer): Promise<void> {
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const reply = await server.send(pods, { method: 'POST', body: pod(`bench-${next++}`) })
      if (reply.status !== 201) throw new Error(reply.text)
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

async function read(server: TestServer, accept: string): Promise<{ milliseconds: number; bytes: number }> {
  const began = performance.now()
  const answer = await server.open(pods, { headers: { accept } })
  let bytes = 0
  for await (const chunk of answer) bytes += (chunk as Buffer).byteLength
  return { milliseconds: performance.now() - began, bytes }
}

const rounded = (milliseconds: number): number => Number(milliseconds.toFixed(1))

async function run(): Promise<void> {
  const server = await startServer()
  try {
    await fill(server)
    const result: Record<string, { bytes: number; first: number; again: number }> = {}
    for (const [name, accept] of Object.entries(mediaTypes)) {
      const first = await read(server, accept)
      const times: number[] = []
      for (let round = 0; round < rounds; round++) times.push((await read(server, accept)).milliseconds)
      const again = times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
      result[name] = { bytes: first.bytes, first: rounded(first.milliseconds), again: rounded(again) }
    }
    console.log(result)
    writeResults('lists', { unit: 'ms', pods: count, ...result })
  } finally {
    await server.stop()
  }
}

export default command({ run })
