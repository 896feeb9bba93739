/** Tells the Worker how many lines a header has had: the runtime joins them for it, and sends them on as they are. */
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { maxHeaderSize } from './request-headers.ts'

/** The separator with which the runtime joins the values of lines. */
const separator = ', '

/** Counts, for each header, the parts of each of its lines. */
export function partsOfLines(rawHeaders: readonly string[]): Readonly<Record<string, readonly number[]>> {
  const counts = Object.create(null) as Record<string, number[]>
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    const line = counts[name] ?? []
    counts[name] = line
    line.push((rawHeaders[i + 1] ?? '').split(separator).length)
  }
  return counts
}

/** Answers requests with the parts of their headers' lines. @param path a Unix socket, which only this user can open */
export function serveHeaderLines(path: string | undefined): Server | undefined {
  if (path === undefined) return undefined
  // The socket of an earlier process is in the way.
  rmSync(path, { force: true })
  let answering: ReturnType<typeof answerer> | undefined
  return createServer((socket) => {
    // Most servers are never asked: Node's HTTP takes memory, and time at the start.
    answering ??= answerer()
    void answering.then((server) => server.emit('connection', socket))
  }).listen(path)
}

async function answerer(): Promise<import('node:http').Server> {
  const http = await import('node:http')
  const server = http.createServer({ maxHeaderSize }, ({ rawHeaders }, response) => {
    response.end(JSON.stringify(partsOfLines(rawHeaders)))
  })
  server.maxHeadersCount = 0
  return server
}
