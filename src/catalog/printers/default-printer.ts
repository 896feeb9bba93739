/** The table of kinds without a printer of their own. Follows the default table convertor of kube-apiserver. */
import { CREATED, name, printer } from './column.ts'
import { textOr } from './format.ts'
import { child } from './read.ts'

/** Go's text for a zero time. */
const ZERO_TIME = '0001-01-01T00:00:00Z'

/** Prints the name and the creation time. */
export const defaultPrinter = printer([
  name,
  {
    name: 'Created At',
    type: 'date',
    description: CREATED,
    cell: (object) => textOr(child(object, 'metadata'), 'creationTimestamp', ZERO_TIME),
  },
])
