/** Times on the command line. */
import { parseDuration } from '../go/duration.ts'
import { LauncherError } from './launcher-error.ts'

/** Returns a time in RFC 3339. @param text the same, or a duration before now such as -5m @throws LauncherError */
export function readTime(text: string, now: number): string {
  try {
    const at = text.startsWith('-') ? now + Number(parseDuration(text) / 1_000_000n) : Date.parse(text)
    return new Date(at).toISOString()
  } catch {
    throw new LauncherError(`"${text}" is no time such as 2026-01-31T12:00:00Z, nor a duration before now such as -5m.`)
  }
}
