/** /statusz: start time, version and paths of the server. Follows KEP-4827. */

import { rfc3339Seconds } from '../go/time.ts'
import { ApiError } from '../meta/errors.ts'
import { type AcceptClause, parseAccept } from './codec/accept.ts'
import { noCache } from './codec/headers.ts'
import { render } from './codec/render.ts'
import { addWarnings } from './verbs/respond.ts'
import { type BuildInfo, release } from './version.ts'

/** The path in the list at /. */
export const statuszPath = '/statusz'

const paths = ['/healthz', '/livez', '/metrics', '/readyz', statuszPath, '/version']
const versions: readonly string[] = ['v1alpha1', 'v1beta1']
const mediaTypes = ['application/json', 'application/yaml'] as const

interface Form {
  readonly mediaType: (typeof mediaTypes)[number]
  readonly version: string
}

/** Returns the form that an Accept entry requests; undefined if it is not available. */
function formOf({ type, subtype, parameters }: AcceptClause): Form | 'text' | undefined {
  const [as, group, version = ''] = ['as', 'g', 'v'].map((name) => parameters.get(name))
  if (as === undefined && group === undefined) {
    const isText = (type === 'text' || type === '*') && (subtype === 'plain' || subtype === '*')
    return isText ? 'text' : undefined
  }
  const mediaType = mediaTypes.find((each) => each === `${type}/${subtype}`)
  const isServed = as === 'Statusz' && group === 'config.k8s.io' && versions.includes(version)
  return mediaType !== undefined && isServed ? { mediaType, version } : undefined
}

const binaryVersion = release.gitVersion.slice(1)
const emulationVersion = `${release.emulationMajor}.${release.emulationMinor}`

const minute = 60
const hour = 60 * minute

/** Formats a time as Go's UnixDate: `Sun Nov 22 12:24:17 UTC 2026`. */
function unixDate(at: number): string {
  const [, day, date, month, year, time] = /^(\w+), (\d+) (\w+) (\d+) (\S+)/.exec(new Date(at).toUTCString()) ?? []
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${time} UTC ${year}`
}

interface Facts {
  readonly startedAt: number
  readonly uptimeSeconds: number
  readonly build: BuildInfo
}

function statusText({ startedAt, uptimeSeconds, build }: Facts): string {
  const up = `${Math.floor(uptimeSeconds / hour)} hr ${String(Math.floor((uptimeSeconds % hour) / minute)).padStart(2, '0')} min ${String(uptimeSeconds % minute).padStart(2, '0')} sec`
  const lines = [
    ['Started', unixDate(startedAt)],
    ['Up', up],
    ['Go version', build.goVersion],
    ['Binary version', binaryVersion],
    ['Emulation version', emulationVersion],
    ['Paths', paths.join(' ')],
  ]
  const warning =
    'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.'
  return `\napiserver statusz\n${warning}\n\n${lines.map(([name, value]) => `${name}: ${value}\n`).join('')}`
}

function structured({ mediaType, version }: Form, { startedAt, uptimeSeconds, build }: Facts): Response {
  const value = {
    kind: 'Statusz',
    apiVersion: `config.k8s.io/${version}`,
    metadata: { name: 'apiserver' },
    startTime: rfc3339Seconds(startedAt),
    uptimeSeconds,
    goVersion: build.goVersion,
    binaryVersion,
    emulationVersion,
    paths,
  }
  const type = `${mediaType};g=config.k8s.io;v=${version};as=Statusz`
  const headers = new Headers({ ...noCache, 'content-type': type })
  if (version === 'v1alpha1') {
    addWarnings(headers, ['This version of the statusz endpoint is deprecated. Please use a newer version.'])
  }
  return new Response(render(value, { mediaType, pretty: false }), { headers })
}

/**
 * Returns the response to /statusz for any method, or undefined for other paths.
 * @param startedAt start time of this isolate, in milliseconds since the epoch
 * @throws ApiError 406
 */
export function serveStatusz(request: Request, path: string, build: BuildInfo, startedAt: number): Response | undefined {
  if (path !== statuszPath) return undefined
  const accepted = parseAccept(request.headers.get('accept') || '*/*')
  const form = accepted.map(formOf).find((found) => found !== undefined)
  if (form === undefined) {
    const why = `only the following media types are accepted: ${[...mediaTypes, 'text/plain'].join(', ')}`
    throw new ApiError(406, 'NotAcceptable', why)
  }
  const facts = { startedAt, uptimeSeconds: Math.floor((Date.now() - startedAt) / 1000), build }
  if (form !== 'text') return structured(form, facts)
  return new Response(statusText(facts), { headers: { ...noCache, 'content-type': 'text/plain; charset=utf-8' } })
}
