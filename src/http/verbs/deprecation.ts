/** Adds warnings to the responses for deprecated kinds. Follows KEP-1693. */
import { apiVersionOf, type Kind } from '../../catalog/kind.ts'
import { compareReleases, releaseText } from '../../catalog/lifecycle.ts'
import { withWarningsOnErrors } from '../../meta/errors.ts'
import type { Release } from '../../schema/tables.ts'
import { warningValue } from './respond.ts'

const texts = new WeakMap<Kind, string>()

function textOf(kind: Kind): string {
  const { deprecated, removed, replacement } = kind.lifecycle ?? {}
  if (deprecated === undefined) return ''
  const gone = removed === undefined ? '' : `, unavailable in v${releaseText(removed)}+`
  const instead =
    replacement === undefined ? '' : `; use ${apiVersionOf(replacement.group, replacement.version)} ${replacement.kind}`
  return `${kind.apiVersion} ${kind.kind} is deprecated in v${releaseText(deprecated)}+${gone}${instead}`
}

function rememberedTextOf(kind: Kind, release: Release): string {
  const { deprecated } = kind.lifecycle ?? {}
  if (deprecated === undefined || compareReleases(deprecated, release) > 0) return ''
  let text = texts.get(kind)
  if (text === undefined) {
    text = textOf(kind)
    texts.set(kind, text)
  }
  return text
}

/** Whether this version of the kind is deprecated in a release. */
export const isDeprecated = (kind: Kind, release: Release): boolean => rememberedTextOf(kind, release) !== ''

/** Adds the warnings of a kind that is deprecated in a release, or by its definition, to the response or the error. */
export function withDeprecation(kind: Kind, release: Release, answer: () => Promise<Response>): Promise<Response> {
  const text = rememberedTextOf(kind, release)
  const warnings = kind.definition?.warnings ?? (text === '' ? [] : [text])
  return warnings.length === 0 ? answer() : withWarnings(warnings, answer)
}

async function withWarnings(warnings: readonly string[], answer: () => Promise<Response>): Promise<Response> {
  const response = await withWarningsOnErrors(warnings, answer)
  const copy = new Response(response.body, response)
  for (const text of warnings) copy.headers.append('warning', warningValue(text))
  return copy
}
