/** What acts answer: they leave nothing to show. */
import type { WriteResult } from '../registry.ts'

/** The Status of an act that is done. */
export const created: WriteResult = {
  code: 201,
  text: '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201}',
}
