/** Tells every client of a deprecated version of a kind, as KEP-1693 has it. */
import { apiVersionOf, type Kind } from '../../catalog/kind.ts'
import { warnedOf } from '../../meta/errors.ts'
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

/** Gives the answer, or the refusal, with a warning where the kind is deprecated in this release. */
export async function withDeprecation(kind: Kind, answer: () => Promise<Response>): Promise<Response> {
  if (kind.lifecycle?.deprecated === undefined) return answer()
  let text = texts.get(kind)
  if (text === undefined) {
    text = textOf(kind)
    texts.set(kind, text)
  }
  if (text === '') return answer()
  const response = await warnedOf([text], answer)
  const copy = new Response(response.body, response)
  copy.headers.append('warning', warningValue(text))
  return copy
}
