/** Cells that kinds with a pod template share. */
import type { JsonObject } from '../../go/json-value.ts'
import { containerImages, containerNames, formatSelector } from './format.ts'
import { child } from './read.ts'

type Part = (object: JsonObject) => JsonObject
type TextCell = (object: JsonObject) => string

/** `spec`. */
export const specOf: Part = (object) => child(object, 'spec')

/** Returns `spec.template.spec`. */
export const podSpecOf: Part = (object) => child(object, 'spec', 'template', 'spec')

/** Names and images of the containers. */
export const containerCells = (podSpec: Part): Record<'Containers' | 'Images', TextCell> => ({
  Containers: (object) => containerNames(podSpec(object)),
  Images: (object) => containerImages(podSpec(object)),
})

/** The label selector in the field `selector`. */
export const selectorOf =
  (spec: Part): TextCell =>
  (object) =>
    formatSelector(spec(object), 'selector')
