/** How a Status is shown: the answer to a deletion, for a client that wants Tables. */
import { fieldOf, printer } from './column.ts'
import { text } from './read.ts'

export const statusPrinter = printer([
  { name: 'Status', description: fieldOf('meta/v1.Status', 'status'), cell: (object) => text(object, 'status') },
  { name: 'Reason', description: fieldOf('meta/v1.Status', 'reason'), cell: (object) => text(object, 'reason') },
  { name: 'Message', description: '', cell: (object) => text(object, 'message') },
])
