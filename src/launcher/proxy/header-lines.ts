/** Tells the Worker how many lines a header has had: the runtime joins them for it, and sends them on as they are. */
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
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
  const server = createServer({ maxHeaderSize }, ({ rawHeaders }, response) => {
    response.end(JSON.stringify(partsOfLines(rawHeaders)))
  })
  server.maxHeadersCount = 0
  return server.listen(path)
}
