/** `edgeplane recover`: takes all Durable Objects back to a time, by the platform's point-in-time recovery. */
import type { Api } from '../api.ts'
import { LauncherError } from '../launcher-error.ts'
import { forEach } from '../parallel.ts'
import { versionSince } from './versions.ts'

/** How far back the platform can go, in milliseconds. */
const longest = 30 * 24 * 60 * 60 * 1000

/** Longer than Workers use the rules that they have, in milliseconds. */
const ruleAge = 2000

/** Parses a time of RFC 3339. @throws LauncherError if it is not one of the last 30 days */
export function readTime(text: string, now: number): number {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw new LauncherError(`--at must be a time such as 2026-11-22T21:00:00Z, not "${text}".`)
  if (at >= now) throw new LauncherError('--at must be in the past.')
  if (at < now - longest) throw new LauncherError('--at is more than 30 days ago: the platform keeps no earlier state.')
  return at
}

const pathOf = (step: string, object: string): string => `/edgeplane/v1/${step}?object=${encodeURIComponent(object)}`

/**
 * Takes the cluster back. While it runs, the control object refuses requests, and with it everybody but administrators. It can be
 * started again after an interruption.
 * @returns the number of objects
 * @throws LauncherError
 */
export async function recover(api: Api, at: number): Promise<number> {
  const { names } = await api.json<{ names: readonly string[] }>('/edgeplane/v1/objects')
  const control = names.at(-1) ?? ''
  const others = names.filter((name) => name !== control)
  const back = async (name: string): Promise<void> => {
    const state = await api.json<{ resourceVersion: number }>(pathOf('state', name), {})
    await api.json(pathOf('recover', name), { at })
    const { resourceVersion } = await api.json<{ resourceVersion: number }>(pathOf('state', name), {})
    const now = Date.now()
    const atLeast = Math.max(versionSince(resourceVersion, at, now), versionSince(state.resourceVersion, now, now))
    await api.json(pathOf('raise', name), { atLeast })
  }
  await api.json(pathOf('hold', control), others)
  try {
    await new Promise((resolve) => setTimeout(resolve, ruleAge))
    await forEach(others, back)
    await back(control)
  } catch (error) {
    // A platform that cannot recover has changed nothing.
    if (error instanceof LauncherError && / 501: /.test(error.message)) await api.json(pathOf('raise', control), { atLeast: 0 })
    throw error
  }
  return names.length
}
