/** How cells show what many kinds have: ages, labels, selectors, containers, quantities. */

import type { JsonObject } from '../../go/json-value.ts'
import { compareText } from '../../go/text.ts'
import { humanDuration } from '../../meta/human-duration.ts'
import { formatLabelSelectorObject, type LabelSelectorObject } from '../../meta/label-selector-object.ts'
import { canonicalQuantity } from '../../meta/quantity.ts'
import { child, children, has, text, textMap } from './read.ts'

/** A point in time in milliseconds since the epoch; undefined where the field holds none. */
export function time(object: JsonObject, field: string): number | undefined {
  const milliseconds = Date.parse(text(object, field))
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}

/** How long ago the time in the field was: `5m30s`; `<unknown>` where it holds none. */
export function age(object: JsonObject, field: string, now: number): string {
  const then = time(object, field)
  return then === undefined ? '<unknown>' : humanDuration(now - then)
}

/** The text in the field, or what stands for an empty one. */
export const textOr = (object: JsonObject, field: string, absent: string): string => text(object, field) || absent

/** Labels as `a=b,c=d`, sorted; `<none>` where there are none. */
export function formatLabels(object: JsonObject, field: string): string {
  const labels = Object.entries(textMap(object, field)).map(([key, value]) => `${key}=${value}`)
  return labels.sort(compareText).join(',') || '<none>'
}

/** The label selector in the field; undefined where there is none. */
export function selectorIn(object: JsonObject, field: string): LabelSelectorObject | undefined {
  return has(object, field) ? (child(object, field) as LabelSelectorObject) : undefined
}

/** A label selector as text; `<none>` for none and an empty one, `<error>` for one that cannot be read. */
export function formatSelector(object: JsonObject, field: string): string {
  return formatLabelSelectorObject(selectorIn(object, field))
}

/** The names of a pod specification's containers. */
export function containerNames(podSpec: JsonObject): string {
  return children(podSpec, 'containers')
    .map((container) => text(container, 'name'))
    .join(',')
}

/** The images of a pod specification's containers. */
export function containerImages(podSpec: JsonObject): string {
  return children(podSpec, 'containers')
    .map((container) => text(container, 'image'))
    .join(',')
}

/** A quantity as canonical text, `absent` where the field holds none. */
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

/** A number or a text (IntOrString), `absent` where the field holds neither. */
export function intOrString(object: JsonObject, field: string, absent: string): string {
  const found = object[field]
  return typeof found === 'number' || typeof found === 'string' ? String(found) : absent
}

/** The first few entries; of more, how many are left out. */
export function shortened(entries: readonly string[], most: number, separator = ','): string {
  const shown = entries.slice(0, most).join(separator)
  return entries.length > most ? `${shown} + ${entries.length - most} more...` : shown
}
