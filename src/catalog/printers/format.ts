/** Formats of cells that many kinds have: ages, labels, selectors, containers, quantities. */

import type { JsonObject } from '../../go/json-value.ts'
import { compareText } from '../../go/text.ts'
import { humanDuration } from '../../meta/human-duration.ts'
import { formatLabelSelectorObject, type LabelSelectorObject } from '../../meta/label-selector-object.ts'
import { canonicalQuantity } from '../../meta/quantity.ts'
import { child, children, has, text, textMap } from './read.ts'

/** Returns a time in milliseconds since the epoch; undefined if the field has none. */
export function time(object: JsonObject, field: string): number | undefined {
  const milliseconds = Date.parse(text(object, field))
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** Returns the time since the field's time: `5m30s`; `<unknown>` if the field has none. */
export function age(object: JsonObject, field: string, now: number): string {
  const then = time(object, field)
  return then === undefined ? '<unknown>' : humanDuration(now - then)
}

/** Returns the text in the field, or `absent` if it is empty. */
export const textOr = (object: JsonObject, field: string, absent: string): string => text(object, field) || absent

/** Formats labels as `a=b,c=d`, sorted; `<none>` if there are no labels. */
export function formatLabels(object: JsonObject, field: string): string {
  const labels = Object.entries(textMap(object, field)).map(([key, value]) => `${key}=${value}`)
  return labels.sort(compareText).join(',') || '<none>'
}

/** Returns the label selector in the field; undefined if it is absent. */
export function selectorIn(object: JsonObject, field: string): LabelSelectorObject | undefined {
  return has(object, field) ? (child(object, field) as LabelSelectorObject) : undefined
}

/** Formats a label selector; `<none>` for an absent or empty one, `<error>` for an invalid one. */
export function formatSelector(object: JsonObject, field: string): string {
  return formatLabelSelectorObject(selectorIn(object, field))
}

/** Returns the names of a pod specification's containers. */
export function containerNames(podSpec: JsonObject): string {
  return children(podSpec, 'containers')
    .map((container) => text(container, 'name'))
    .join(',')
}

/** Returns the images of a pod specification's containers. */
export function containerImages(podSpec: JsonObject): string {
  return children(podSpec, 'containers')
    .map((container) => text(container, 'image'))
    .join(',')
}

/** Returns a quantity as canonical text; `absent` if the field has none. */
export function quantity(object: JsonObject, field: string, absent: string): string {
  if (!has(object, field)) return absent
  const found = object[field]
  const written = typeof found === 'number' ? String(found) : text(object, field)
  try {
    return canonicalQuantity(written)
  } catch {
    return written
  }
}

/** Returns a number or a text (IntOrString); `absent` if the field has neither. */
export function intOrString(object: JsonObject, field: string, absent: string): string {
  const found = object[field]
  return typeof found === 'number' || typeof found === 'string' ? String(found) : absent
}

/** Joins the first `most` entries and appends the number of the others. */
export function shortened(entries: readonly string[], most: number, separator = ','): string {
  const shown = entries.slice(0, most).join(separator)
  return entries.length > most ? `${shown} + ${entries.length - most} more...` : shown
}
