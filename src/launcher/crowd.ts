/** Notices when workerd has more connections than it can hold, and when they have become few again. supervise.sh does the first too. */
import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { descriptorLimit } from './proxy/connection-limiter.ts'

const interval = 1000
/** No more than this part of the descriptors is to be used. */
const mostUsed = 0.8
/** A gate goes when no more than so many connections have been open for so long, in milliseconds. */
const fewConnections = 200
const calmTime = 5 * 60 * 1000

/** What a look at a running workerd has found. */
export interface Look {
  readonly promise: Promise<'crowded' | 'calm'>
  readonly cancel: () => void
}

/**
 * Looks once a second, until something is found.
 * @param gate what stands in front of workerd already, so that workerd itself cannot be crowded
 */
export function lookAt(child: ChildProcess, gate: { readonly connections: number } | undefined): Look {
  let cancel = (): void => undefined
  const promise = new Promise<'crowded' | 'calm'>((resolve) => {
    let since = Date.now()
    const timer = setInterval(() => {
      if (gate === undefined) {
        if (isCrowded(child.pid ?? 0)) resolve('crowded')
        return
      }
      if (gate.connections > fewConnections) since = Date.now()
      else if (Date.now() - since >= calmTime) resolve('calm')
    }, interval).unref()
    cancel = () => clearInterval(timer)
  })
  return { promise, cancel }
}

/** Counting takes time: the kernel's table of descriptors, of which it tells the size, is looked at first. */
function isCrowded(pid: number): boolean {
  try {
    const most = descriptorLimit() * mostUsed
    const [, size] = /^FDSize:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(size) >= most && readdirSync(`/proc/${pid}/fd`).length >= most
  } catch {
    return false
  }
}
