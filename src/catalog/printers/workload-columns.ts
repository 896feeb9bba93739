/** Cells of all kinds with a pod template. */
import type { JsonObject } from '../../go/json-value.ts'
import { containerImages, containerNames, formatSelector } from './format.ts'
import { child } from './read.ts'

type Part = (object: JsonObject) => JsonObject
type TextCell = (object: JsonObject) => string

/** Returns `spec`. */
export const specOf: Part = (object) => child(object, 'spec')

/** Returns `spec.template.spec`. */
export const podSpecOf: Part = (object) => child(object, 'spec', 'template', 'spec')

/** Returns the cells with the names and images of the containers. */
export const containerCells = (podSpec: Part): Record<'Containers' | 'Images', TextCell> => ({
  Containers: (object) => containerNames(podSpec(object)),
  Images: (object) => containerImages(podSpec(object)),
})

/** Returns a cell with the label selector in the field `selector`. */
export const selectorOf =
  (spec: Part): TextCell =>
  (object) =>
    formatSelector(spec(object), 'selector')
