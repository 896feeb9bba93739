/** /statusz: start time, version and paths of the server. Follows KEP-4827. */
import { releaseText } from '../../catalog/lifecycle.ts'
import { isEnabled } from '../../config/feature-gates.ts'
import { rfc3339Seconds } from '../../go/time.ts'
import type { Release } from '../../schema/tables.ts'
import { type BuildInfo, release } from '../version.ts'
import { flagzPath, hasFlagz, type ShownFlags } from './flagz.ts'
import { servePage } from './structured.ts'

/** The path in the list at /. */
export const statuszPath = '/statusz'

/** Returns the paths of these pages that are served, for the list at /. */
export const pagePaths = (flags: ShownFlags): string[] => [
  ...(hasFlagz(flags) ? [flagzPath] : []),
  ...(isEnabled('ComponentStatusz') ? [statuszPath] : []),
]

const binaryVersion = release.gitVersion.slice(1)

const minute = 60
const hour = 60 * minute

/** Formats a time as Go's UnixDate: `Sun Nov 22 12:24:17 UTC 2026`. */
function unixDate(at: number): string {
  const [, day, date, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(new Date(at).toUTCString()) ?? []
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${time} UTC ${year}`
}

function uptimeText(seconds: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const minutes = Math.floor((seconds % hour) / minute)
  return `${Math.floor(seconds / hour)} hr ${two(minutes)} min ${two(seconds % minute)} sec`
}

/**
 * Returns the response to /statusz for any method; undefined for other paths, and if the feature ComponentStatusz is disabled.
 * @param startedAt start time of this isolate, in milliseconds since the epoch
 * @throws ApiError 406
 */
export function serveStatusz(
  request: Request,
  path: string,
  { build, flags, emulated }: { readonly build: BuildInfo; readonly flags: ShownFlags; readonly emulated: Release },
  startedAt: number,
): Response | undefined {
  if (path !== statuszPath || !isEnabled('ComponentStatusz')) return undefined
  const uptimeSeconds = Math.floor((Date.now() - startedAt) / 1000)
  const paths = ['/healthz', '/livez', '/metrics', '/readyz', ...pagePaths(flags), '/version'].sort()
  const { goVersion } = build
  const lines = [
    ['Started', unixDate(startedAt)],
    ['Up', uptimeText(uptimeSeconds)],
    ['Go version', goVersion],
    ['Binary version', binaryVersion],
    ['Emulation version', releaseText(emulated)],
    ['Paths', paths.join(' ')],
  ]
  // kube-apiserver draws one of several separators, so that nobody parses the text.
  return servePage(request, {
    kind: 'Statusz',
    lines: ['', ...lines.map(([name, value]) => `${name}: ${value}`)],
    fields: {
      startTime: rfc3339Seconds(startedAt),
      uptimeSeconds,
      goVersion,
      binaryVersion,
      emulationVersion: releaseText(emulated),
      paths,
    },
  })
}
