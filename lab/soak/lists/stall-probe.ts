/** A thread that reads a small object every 50 ms and records the longest latency. */
import { Agent, request } from 'node:https'
import { parentPort, workerData } from 'node:worker_threads'

const { url, token, path } = workerData as { readonly url: string; readonly token: string; readonly path: string }
const interval = 50
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false })

let longest = 0
let refused = 0
const pending = new Set<number>()

function read(): void {
  const began = performance.now()
  pending.add(began)
  const done = (): void => {
    pending.delete(began)
    longest = Math.max(longest, performance.now() - began)
  }
  const sent = request(`${url}${path}`, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
    if (answer.statusCode !== 200) refused++
    answer.resume().on('end', done)
  })
  sent.on('error', () => {
    refused++
    done()
  })
  sent.end()
}

setInterval(read, interval)

// A pending response counts with its waiting time so far.
parentPort?.on('message', () => {
  const waiting = [...pending].map((began) => performance.now() - began)
  parentPort?.postMessage({ longest: Math.max(longest, ...waiting), refused })
  longest = 0
  refused = 0
})
