/** How many connections a server holds: each takes two descriptors in the proxy, and two in workerd. */
import { readFileSync } from 'node:fs'
import { LauncherError } from '../launcher-error.ts'

/** The process that listens in front of workerd: it ends TLS, or passes bytes on unread. */
export type ProxyKind = 'tls' | 'tcp'

/** As many as a proxy of 512 MiB can hold: with an open watch, a connection takes about 90 KiB of a TLS proxy. */
const memoryFor: Readonly<Record<ProxyKind, number>> = { tls: 5_000, tcp: 20_000 }

/** The descriptors that the supervisor asks for if it may have more. */
const mostDescriptors = 65_536
/** The limit of a system that does not tell its own. */
const usualLimit = 1024
/** Descriptors of a process for itself. */
const ownDescriptors = 64

/** Returns how many descriptors a process of this server may have: its hard limit, to which the supervisor raises the other one. */
function descriptorLimit(): number {
  try {
    const [, limit] = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return limit === undefined ? usualLimit : Math.min(Number(limit), mostDescriptors)
  } catch {
    return usualLimit
  }
}

/**
 * Gives how many connections may be open: as many as were asked for, or as there are memory and descriptors for. They take four fifths
 * of the descriptors; the rest is for databases and for calls to other servers.
 * @throws LauncherError if there are no descriptors for so many
 */
export function openConnections(kind: ProxyKind, asked: number | undefined): number {
  const descriptors = descriptorLimit()
  const most = Math.max(1, Math.floor((descriptors - ownDescriptors) * 0.4))
  if (asked === undefined) return Math.min(memoryFor[kind], most)
  if (asked <= most) return asked
  throw new LauncherError(
    `--max-connections cannot be ${asked}: ${descriptors} descriptors (ulimit -Hn) are enough for ${most} connections.`,
  )
}
