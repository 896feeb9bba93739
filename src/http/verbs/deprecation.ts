/** Tells every client of a deprecated version of a kind, as KEP-1693 has it. */
import { apiVersionOf, type Kind } from '../../catalog/kind.ts'
import { release } from '../version.ts'
import { warningValue } from './respond.ts'

const texts = new WeakMap<Kind, string>()

function textOf(kind: Kind): string {
  const { deprecated, removed, replacement } = kind.lifecycle ?? {}
  if (deprecated === undefined || deprecated[0] > Number(release.major) || deprecated[1] > Number(release.minor)) return ''
  const gone = removed === undefined ? '' : `, unavailable in v${removed.join('.')}+`
  const instead =
    replacement === undefined ? '' : `; use ${apiVersionOf(replacement.group, replacement.version)} ${replacement.kind}`
  return `${kind.apiVersion} ${kind.kind} is deprecated in v${deprecated.join('.')}+${gone}${instead}`
}

/** The answer, with a warning where the kind is deprecated in this release. */
export function withDeprecation(response: Response, kind: Kind): Response {
  if (kind.custom !== undefined) return withWarnings(response, kind.custom.warnings)
  if (kind.lifecycle?.deprecated === undefined) return response
  let text = texts.get(kind)
  if (text === undefined) {
    text = textOf(kind)
    texts.set(kind, text)
  }
  return text === '' ? response : withWarnings(response, [text])
}

function withWarnings(response: Response, warnings: readonly string[]): Response {
  if (warnings.length === 0) return response
  const copy = new Response(response.body, response)
  for (const text of warnings) copy.headers.append('warning', warningValue(text))
  return copy
}
