/** Columns that kinds with a pod template share. */
import type { JsonObject } from '../../go/json-value.ts'
import type { ColumnOf, DescribedField } from './column.ts'
import { containerImages, containerNames, formatSelector } from './format.ts'
import { child } from './read.ts'

type Part = (object: JsonObject) => JsonObject

/** `spec.template.spec`. */
export const podSpecOf: Part = (object) => child(object, 'spec', 'template', 'spec')

/** Names and images of the template's containers, in wide output. */
export function containerColumns(podSpec: Part = podSpecOf): readonly ColumnOf<JsonObject>[] {
  return [
    {
      name: 'Containers',
      priority: 1,
      description: 'Names of each container in the template.',
      cell: (object) => containerNames(podSpec(object)),
    },
    {
      name: 'Images',
      priority: 1,
      description: 'Images referenced by each container in the template.',
      cell: (object) => containerImages(podSpec(object)),
    },
  ]
}

/** The label selector in `spec.selector`, in wide output. */
export function selectorColumn(
  description: DescribedField,
  spec: Part = (object) => child(object, 'spec'),
): ColumnOf<JsonObject> {
  return { name: 'Selector', priority: 1, description, cell: (object) => formatSelector(spec(object), 'selector') }
}
