/** What is shown of a kind of which nothing more is known. Follows the default table convertor of kube-apiserver. */
import { CREATED, name, printer } from './column.ts'
import { textOr } from './format.ts'
import { child } from './read.ts'

/** What Go writes for a time that is not set. */
const ZERO_TIME = '0001-01-01T00:00:00Z'

/** Name and time of creation. */
export const defaultPrinter = printer([
  name,
  {
    name: 'Created At',
    type: 'date',
    description: CREATED,
    cell: (object) => textOr(child(object, 'metadata'), 'creationTimestamp', ZERO_TIME),
  },
])
